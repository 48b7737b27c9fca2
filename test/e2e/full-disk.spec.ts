import { execFileSync } from 'node:child_process';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Ready } from '../../src/platform/health/health.schema.js';
import { BuiltProgram, type ServerProcess } from '../support/cli.js';
import { report } from '../support/reports.js';

// Every server is a separate process.
jest.setTimeout(180_000);

const MIB = 1_024 * 1_024;

let program: BuiltProgram;
let logFile: string;

beforeEach(async () => {
  program = await BuiltProgram.prepare();
  logFile = join(program.folder, 'server.log');
});
afterEach(() => program.remove());

/**
 * Files of the server may have this size at most, and a write beyond it fails: a full disk for which no file system is
 * mounted, which takes root.
 */
const limitFiles = ({ pid }: ServerProcess, bytes: number | 'unlimited') =>
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);

/** Waits until the server has these problems and no other. */
async function untilProblems(url: string, ...expected: string[]): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/readyz`);
    // 503 while the embedded database is opened again.
    const found = answer.ok ? Ready.parse(await answer.json()).problems.map(({ code }) => code) : ['none'];
    if (found.join() === expected.join()) return;
    await sleep(100);
  }
}

describe('a full disk', () => {
  it('under the log does not end the server, which counts the lost lines and says so in /readyz and later', async () => {
    const server = await program.serve({}, logFile);
    // Read from the log, which will be large.
    const { url } = server;
    const call = () => fetch(`${url}/v1/recall`, { method: 'POST' });
    limitFiles(server, 64 * MIB);
    // A file without blocks: the next line is beyond the limit.
    truncateSync(logFile, 64 * MIB);
    for (let n = 0; n < 20; n += 1) expect((await call()).status).toBe(401);
    await untilProblems(url, 'log.write_failed');
    truncateSync(logFile, 0);
    await untilProblems(url);
    expect(server.log).toMatch(/"message":"\d{2} log lines were lost \(EFBIG\)"/);
    expect((await call()).status).toBe(401);
    await server.stop('SIGTERM');
    expect(
      server.log
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).message),
    ).toContain('stopped');
  });

  it('under the embedded database is an outage: it crashes, is opened again, and lacks nothing', async () => {
    const server = await program.serve({ DATABASE_URL: '' });
    const admin = await server.administrator();
    const { token } = await admin.agents.add({ name: 'Ada' });
    const send = async (executionId: string) => {
      const answer = await fetch(`${server.url}/v1/executions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(report({ executionId })),
      });
      return { status: answer.status, pause: answer.headers.get('retry-after'), body: await answer.json() };
    };
    expect((await send('before')).status).toBe(202);
    // More than the probe of the skills folder writes.
    limitFiles(server, 100_000);
    for (let n = 0; n < 3; n += 1)
      expect(await send(`during ${n}`)).toMatchObject({
        status: 503,
        pause: '5',
        body: { code: 'database.unavailable' },
      });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    limitFiles(server, 'unlimited');
    await untilProblems(server.url);
    for (let n = 0; n < 3; n += 1) expect((await send(`during ${n}`)).status).toBe(202);
    expect(await send('before')).toMatchObject({ status: 202, body: { duplicate: true } });
    expect(server.log).toContain('the embedded database was opened again');
    await server.stop('SIGTERM');
    expect(server.log).toContain('stopped');
  });
});
