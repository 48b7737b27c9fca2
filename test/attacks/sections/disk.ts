import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ready } from '../../../src/platform/health/health.schema.js';
import { BuiltProgram, type ServerProcess } from '../../support/cli.js';
import { report, run } from '../../support/reports.js';
import { type Attempt, attempt, type Section } from '../attack.js';

/** An embedded database takes about 40 MB. */
const DISK = '128m';
const SAID_MS = 10_000;
const REQUESTS = 40;

const PARTS = {
  log: { code: 'log.write_failed', settings: () => ({}) },
  database: { code: 'database.write_failed', settings: (disk: string) => ({ GUILDBOOK_DATA_DIR: join(disk, 'data') }) },
  skills: { code: 'skills.write_failed', settings: (disk: string) => ({ GUILDBOOK_SKILLS_DIR: join(disk, 'skills') }) },
} as const;
type Part = keyof typeof PARTS;

/**
 * A file system without space under one part of the server. Mounting one takes root; the specs of `npm test` try the same
 * without it, with a limit for the size of files.
 */
export const section: Section = {
  name: 'disk',
  databases: ['embedded'],
  async *attempts(_server, { isQuick }) {
    const parts = isQuick ? (['skills'] as const) : (['log', 'database', 'skills'] as const);
    for (const part of parts) yield* fill(part);
  },
};

async function* fill(part: Part): AsyncGenerator<Attempt> {
  const program = await BuiltProgram.prepare();
  const disk = join(program.folder, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', disk]);
  try {
    const logFile = join(part === 'log' ? disk : program.folder, 'server.log');
    const settings = { DATABASE_URL: '', ...PARTS[part].settings(disk) };
    const server = await program.serve(settings, logFile);
    yield* attack(part, server, disk);
    await server.stop('SIGTERM');
  } finally {
    await program.remove().catch(() => undefined);
    execFileSync('umount', ['--lazy', disk]);
    rmSync(program.folder, { recursive: true, force: true });
  }
}

async function* attack(part: Part, server: ServerProcess, disk: string): AsyncGenerator<Attempt> {
  const { url } = server;
  const admin = await server.administrator();
  const { token } = await admin.agents.add({ name: 'Ada' });
  fillUp(join(disk, 'filler'));
  // A log is not tried while no line is due.
  const calls = callMany(url, token);
  const [statuses, said] = await Promise.all([calls, untilProblems(url, PARTS[part].code, calls)]);
  yield attempt(`a full disk under the ${part} is not said in /readyz`, said.isExpected, said.detail);
  const wrong = statuses.filter((status) => status !== '200' && status !== '202' && status !== '503');
  yield attempt(`a full disk under the ${part} ends or breaks the server`, wrong.length === 0, countOf(statuses));
  rmSync(join(disk, 'filler'));
  const recovered = await untilProblems(url, '');
  yield attempt(`the server stays degraded with space under the ${part}`, recovered.isExpected, recovered.detail);
  const after = await callMany(url, token);
  yield attempt(`requests fail with space under the ${part}`, !after.some((status) => status > '202'), countOf(after));
  const isSaid = part !== 'log' || /\d+ log lines? (?:was|were) lost \(ENOSPC\)/.test(server.log);
  yield attempt(`the log does not say what was lost under the ${part}`, isSaid, isSaid ? 'it does' : 'nothing said');
}

function fillUp(file: string): void {
  for (let size = 1_024 * 1_024; size >= 1; size = Math.floor(size / 2))
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size));
    } catch {
      // No space for this many bytes: fewer may fit.
    }
}

/** Reports and recalls, in turns. A request without an answer has its error. */
async function callMany(url: string, token: string): Promise<string[]> {
  const statuses: string[] = [];
  for (let n = 0; n < REQUESTS; n += 1) {
    // Large enough that the tables need new pages.
    const toolCalls = Array.from({ length: 50 }, (_, at) => run(`step-${at} --with ${randomUUID()}`));
    statuses.push(await post(`${url}/v1/executions`, token, report({ executionId: randomUUID(), toolCalls })));
    statuses.push(await post(`${url}/v1/recall`, token, { query: 'close the books' }));
  }
  return statuses;
}

const post = (url: string, token: string, body: unknown): Promise<string> =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).then(({ status }) => String(status), String);

const countOf = (statuses: readonly string[]): string =>
  [...new Set(statuses)].map((status) => `${statuses.filter((one) => one === status).length} × ${status}`).join(', ');

/** Waits while the work is under way, which gives the problem its occasions, and `SAID_MS` more. */
async function untilProblems(url: string, expected: string, work: Promise<unknown> = Promise.resolve()) {
  const started = performance.now();
  let until = Number.POSITIVE_INFINITY;
  void work.finally(() => {
    until = performance.now() + SAID_MS;
  });
  for (;;) {
    const found = await problems(url).catch(String);
    const ms = Math.round(performance.now() - started);
    const isExpected = found === expected;
    if (isExpected || performance.now() > until) return { isExpected, detail: `${found || 'ready'} after ${ms} ms` };
    await sleep(50);
  }
}

async function problems(url: string): Promise<string> {
  const answer = await fetch(`${url}/readyz`);
  return answer.ok
    ? Ready.parse(await answer.json())
        .problems.map(({ code }) => code)
        .join()
    : String(answer.status);
}
