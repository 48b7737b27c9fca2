import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { programPath } from '../../src/platform/config/environment.js';
import { runHook, ScriptedServer, writeHookSettings } from '../support/hook-client.js';
import { SlowLine } from '../support/slow-line.js';

const ANSWER = '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"use python3"}}\n';
const EVENT = JSON.stringify({ session_id: 's', tool_response: 'é'.repeat(500) });

let home: string;
let line: SlowLine;
const server = new ScriptedServer();
beforeAll(() => server.start());
afterAll(() => server.close());
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'guildbook-lines-'));
  server.requests.length = 0;
  server.answer = (response) => response.end(ANSWER);
});
afterEach(async () => {
  await line.close();
  // A client in the background may still write there.
  await rm(home, { recursive: true, force: true, maxRetries: 20 });
});

const own = (suffix: string) => join(home, '.config', 'guildbook', `codex.${suffix}`);
const run = async () => (await runHook(['sh'], ['codex', 'PostToolUse'], { home, input: EVENT })).stdout;

async function connectOver(roundTripMs: number): Promise<void> {
  line = new SlowLine(Number(new URL(server.url).port), roundTripMs);
  await writeHookSettings(home, 'codex', { server: `http://127.0.0.1:${await line.start()}`, token: 'gbt_test' });
}

describe('guildbook-hook over a slow line', () => {
  it.each([20, 100, 300, 800])('gets its answer within a round trip of %i ms', async (roundTripMs) => {
    await connectOver(roundTripMs);
    let answer = '';
    // Two round trips of 800 ms leave 0.4 seconds for this machine, which may be busy.
    for (let tries = 0; answer === '' && tries < 3; tries += 1) {
      await rm(own('rest'), { force: true });
      answer = await run();
    }
    expect(answer).toBe(ANSWER);
    expect(new Set(server.requests.map(({ body }) => body))).toEqual(new Set([EVENT]));
    expect(existsSync(own('dropped'))).toBe(false);
  });

  it('loses nothing that arrives only after two seconds, and sends what follows in the background', async () => {
    await connectOver(3_000);
    expect(await run()).toBe('');
    expect(existsSync(own('rest'))).toBe(true);
    expect(await run()).toBe('');
    await server.received(2);
    expect(server.requests.map(({ body }) => body)).toEqual([EVENT, EVENT]);
    expect(server.requests.map(({ headers }) => headers['guildbook-live'])).toContain('no');
    expect(existsSync(own('dropped'))).toBe(false);
  });

  it('sends in the background what did not leave in two seconds', async () => {
    await connectOver(0);
    await mkdir(join(home, 'bin'));
    // Stands for curl on a line where the handshake takes all of the time, and then for curl itself.
    const first = `[ -e '${home}/tried' ] || { : >'${home}/tried'; cat >/dev/null; printf '0 000'; exit 28; }`;
    await writeFile(join(home, 'bin', 'curl'), `#!/bin/sh\n${first}\nPATH='${programPath()}' exec curl "$@"\n`);
    await chmod(join(home, 'bin', 'curl'), 0o755);
    const environment = { PATH: `${join(home, 'bin')}:${programPath()}` };
    const { stdout } = await runHook(['sh'], ['codex', 'PostToolUse'], { home, input: EVENT, environment });
    expect(stdout).toBe('');
    expect(existsSync(own('rest'))).toBe(true);
    await server.received(1);
    expect(server.requests.map(({ body, headers }) => [body, headers['guildbook-live']])).toEqual([[EVENT, 'no']]);
    expect(existsSync(own('dropped'))).toBe(false);
  });

  it('sends nothing again whose answer alone is late, and loses nothing in the minute after it', async () => {
    await connectOver(20);
    server.answer = () => undefined;
    expect(await run()).toBe('');
    server.answer = (response) => response.end(ANSWER);
    for (let events = 0; events < 5; events += 1) expect(await run()).toBe('');
    await server.received(6);
    expect(server.requests.map(({ headers }) => headers['guildbook-live'])).toEqual([
      undefined,
      ...Array(5).fill('no'),
    ]);
    expect(existsSync(own('dropped'))).toBe(false);
  });
});
