import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { Database } from '../../src/platform/database/database.js';
import { report, run } from '../support/reports.js';
import { type AttackedServer, type Attempt, attempt } from './attack.js';

const LEARNED_MS = 30_000;
const Lessons = z.object({
  items: z.array(z.object({ id: z.string(), lesson: z.object({ discovery: z.string() }) })),
});
const Principals = z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) });
const Status = z.object({ awaitingCapture: z.number(), awaitingProposal: z.number() });
const Promotion = z.object({ provenance: z.string(), because: z.string() });

export interface Taught {
  readonly id: string;
  readonly token: string;
}

/** Agents that report failures and remedies, and the lessons that these teach. */
export class Scene {
  private reported = 0;
  private errors = 0;

  constructor(readonly server: AttackedServer) {}

  /** An error that no other attempt uses, so that the executions of one are no evidence in another. */
  nextError(): string {
    this.errors += 1;
    return `${String.fromCharCode(64 + this.errors)}ttackError: invalid syntax`;
  }

  /** The agent of the token reports that this failed, and that the remedy did or did not work. */
  async reports(
    token: string,
    error: string,
    more: { agent?: string; title?: string; remedy?: string; fails?: boolean } = {},
  ) {
    this.reported += 1;
    const { agent, title, remedy = 'python3 close.py', fails = false } = more;
    const toolCalls = [run('python close.py', error), fails ? run(remedy, error) : run(remedy)];
    const id = `attack-${this.reported}`;
    const body = report({
      executionId: id,
      taskId: id,
      toolCalls,
      ...(title === undefined ? {} : { taskTitle: title }),
    });
    const headers = agent === undefined ? {} : { 'guildbook-agent': agent };
    const sent = await this.server.call('POST', '/v1/executions', { token, body, headers });
    if (sent.status !== 202) throw new Error(`the report was refused: ${sent.status} ${JSON.stringify(sent.body)}`);
  }

  /** Waits until nothing is left to learn, and returns the first lesson of the agent about this error. */
  async lessonOf(name: string, error: string): Promise<string> {
    const { server } = this;
    for (const deadline = performance.now() + LEARNED_MS; ; await sleep(20)) {
      const { awaitingCapture, awaitingProposal } = Status.parse(await this.get('/v1/executions/status'));
      if (awaitingCapture + awaitingProposal === 0) break;
      if (performance.now() > deadline) throw new Error(`nothing was learned:\n${server.log.slice(-2_000)}`);
    }
    const { items: agents } = Principals.parse(await this.get('/v1/agents?limit=200'));
    const agent = agents.find((one) => one.name === name);
    const { items } = Lessons.parse(await this.get(`/v1/lessons?agent=${agent?.id}&limit=200`));
    const [about = ''] = error.split(':');
    const lesson = items.findLast(({ lesson: { discovery } }) => discovery.includes(about));
    if (lesson === undefined) throw new Error(`${name} has learned nothing`);
    return lesson.id;
  }

  async get(path: string): Promise<unknown> {
    return (await this.server.call('GET', path, { token: this.server.adminToken })).body;
  }

  async check(id: string) {
    const token = this.server.adminToken;
    return Promotion.parse((await this.server.call('POST', `/v1/promotions/${id}/check`, { token })).body);
  }

  async remains(name: string, id: string): Promise<Attempt> {
    const { provenance, because } = await this.check(id);
    return attempt(name, provenance !== 'verified', `${provenance}, ${because}`);
  }

  /** A check that the way is open for honest evidence: otherwise every attempt would be held for another reason. */
  async isVerified(id: string): Promise<void> {
    const { provenance, because } = await this.check(id);
    if (provenance !== 'verified') throw new Error(`honest evidence did not verify the memory: ${because}`);
  }
}

/** An attempt that held if the statement fails. */
export async function refused(name: string, statement: () => Promise<unknown>): Promise<Attempt> {
  try {
    await statement();
    return attempt(name, false, 'accepted');
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const [, said = text.trim().split('\n').at(-1) ?? ''] = /Message: `([^`]*)`/.exec(text) ?? [];
    return attempt(name, true, said.slice(0, 120));
  }
}

/** Runs SQL as the login of the server. The embedded database allows one process, so the server stops for it. */
export async function withSql<T>(
  server: AttackedServer,
  work: (execute: (sql: string) => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const isEmbedded = server.databaseUrl === undefined;
  if (isEmbedded) await server.stop();
  const where = isEmbedded ? { dataDir: server.dataDir } : { url: server.databaseUrl ?? '' };
  const database = await Database.open({ ...where, migrationsDir: join(PROJECT_ROOT, 'prisma', 'migrations') });
  try {
    return await work((sql) =>
      database.transaction(async (tx) => {
        for (const statement of sql.split('; ')) await tx.$executeRawUnsafe(statement);
      }),
    );
  } finally {
    await database.close();
    if (isEmbedded) await server.restart();
  }
}
