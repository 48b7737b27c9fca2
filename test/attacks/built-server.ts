import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jobActor } from '../../src/journal/actor.js';
import { PROJECT_ROOT, SETTINGS } from '../../src/platform/config/config.js';
import { programPath } from '../../src/platform/config/environment.js';
import { Database } from '../../src/platform/database/database.js';
import { SkillList } from '../../src/skills/catalogue/skills.schema.js';
import { readAdminToken } from '../support/admin-token.js';
import { testProposalInput } from '../support/proposal-input.js';
import { wireServices } from '../support/wired-services.js';
import type { AttackedServer } from './attack.js';
import { type CallOptions, callHttp } from './http-call.js';

const PROGRAM = join(PROJECT_ROOT, 'dist', 'main.js');
const LISTENING = /Guildbook is listening on (http:\/\/\S+)/;
const START_MS = 120_000;
const PUBLISHED_MS = 60_000;

export interface BuiltServerOptions {
  readonly folder: string;
  readonly databaseUrl: string | undefined;
  readonly settings?: Readonly<Record<string, string>>;
  /** The token of the first person, if the folder was prepared with one. */
  readonly adminToken?: string;
}

/** The built server as a process, started and restarted with its own settings. */
export class BuiltServer implements AttackedServer {
  url = '';
  log = '';
  adminToken: string;
  readonly folder: string;
  readonly databaseUrl: string | undefined;
  #settings: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;

  constructor({ folder, databaseUrl, settings = {}, adminToken = '' }: BuiltServerOptions) {
    this.folder = folder;
    this.databaseUrl = databaseUrl;
    this.adminToken = adminToken;
    this.#settings = settings;
  }

  get database(): AttackedServer['database'] {
    return this.databaseUrl === undefined ? 'embedded' : 'postgresql';
  }
  get dataDir(): string {
    return join(this.folder, 'database');
  }
  get skillsDir(): string {
    return join(this.folder, 'skills');
  }
  get #isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async start(): Promise<void> {
    const unset = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, '']));
    const own = {
      DATABASE_URL: this.databaseUrl ?? '',
      GUILDBOOK_DATA_DIR: this.dataDir,
      GUILDBOOK_SKILLS_DIR: this.skillsDir,
      GUILDBOOK_PORT: '0',
    };
    this.log = '';
    const env = { PATH: programPath(), ...unset, ...own, ...this.#settings };
    const child = spawn(process.execPath, [PROGRAM], { cwd: this.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.log += text;
      });
    for (const deadline = performance.now() + START_MS; !LISTENING.test(this.log); await sleep(10))
      if (!this.#isRunning || performance.now() > deadline) throw new Error(`the server does not start:\n${this.log}`);
    this.url = LISTENING.exec(this.log)?.[1] ?? '';
    if (this.adminToken !== '') return;
    const token = readAdminToken(this.dataDir);
    if (token === undefined) throw new Error(`the server wrote no first token:\n${this.log}`);
    this.adminToken = await this.#signIn(token);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || !this.#isRunning) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  async restart(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.stop();
    this.#settings = { ...this.#settings, ...settings };
    await this.start();
  }

  call(method: string, path: string, options: CallOptions = {}) {
    return callHttp(this.url, method, path, options);
  }

  async reviewer(name: string): Promise<string> {
    const email = `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}@example.test`;
    const person = { name, email, reviewer: true };
    return this.#signIn(textAt(await this.#done('POST', '/v1/people', person), 'token'));
  }

  async agent(name: string, owner?: string): Promise<string> {
    return textAt(await this.#done('POST', '/v1/agents', { name, ...(owner === undefined ? {} : { owner }) }), 'token');
  }

  async propose({ name, description, body }: { name: string; description: string; body: string }) {
    const isEmbedded = this.databaseUrl === undefined;
    if (isEmbedded) await this.stop();
    const where = isEmbedded ? { dataDir: this.dataDir } : { url: this.databaseUrl ?? '' };
    const database = await Database.open({ ...where, migrationsDir: join(PROJECT_ROOT, 'prisma', 'migrations') });
    let id: string;
    try {
      const { submitProposal } = await wireServices(database);
      const submission = testProposalInput(name, { discovery: description, action: body });
      ({ id } = await submitProposal.submit(jobActor('attack'), submission));
    } finally {
      await database.close();
    }
    if (isEmbedded) await this.start();
    return { id, sha256: await this.#hashOf(id) };
  }

  async approve(id: string, token: string): Promise<void> {
    const { status, body } = await this.call('POST', `/v1/proposals/${id}/approve`, {
      token,
      body: { artifactSha256: await this.#hashOf(id) },
    });
    if (status !== 200) throw new Error(`the approval was refused: ${status} ${JSON.stringify(body)}`);
    // Another vote may be needed.
    if (textAt(body, 'state') !== 'approved') return;
    // Asked over HTTP: git itself would obey the configuration of an attacked folder.
    const isPublished = async () => {
      const { items } = SkillList.parse(await this.#done('GET', '/v1/skills'));
      return items.some(({ proposalId, publication }) => proposalId === id && publication.state === 'published');
    };
    for (const deadline = performance.now() + PUBLISHED_MS; !(await isPublished()); await sleep(50))
      if (performance.now() > deadline) throw new Error(`the skill was not published:\n${this.log.slice(-2_000)}`);
  }

  async #hashOf(id: string): Promise<string> {
    return textAt(await this.#done('GET', `/v1/proposals/${id}`), 'artifactSha256');
  }

  async #signIn(oneTimeToken: string): Promise<string> {
    return textAt(await this.#done('POST', '/v1/sign-in', { token: oneTimeToken }, ''), 'token');
  }

  async #done(method: string, path: string, body?: unknown, token = this.adminToken): Promise<unknown> {
    const answer = await this.call(method, path, {
      ...(token === '' ? {} : { token }),
      ...(body === undefined ? {} : { body }),
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

/** A text of an answer. Throws if it is missing. */
export function textAt(value: unknown, key: string): string {
  const found = typeof value === 'object' && value !== null ? Object.entries(value).find(([name]) => name === key) : [];
  if (typeof found?.[1] !== 'string') throw new Error(`the answer has no text "${key}": ${JSON.stringify(value)}`);
  return found[1];
}
