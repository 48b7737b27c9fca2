import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BuiltProgram } from '../support/cli.js';

// Every command is a separate process.
jest.setTimeout(180_000);

let program: BuiltProgram;

beforeEach(async () => {
  program = await BuiltProgram.prepare();
});
afterEach(() => program.remove());

describe('npm start', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('passes %s on: the server logs that it stops, and no process is left', async (signal, code) => {
    const server = program.npm(['start']);
    await server.listening();
    // Ends when the last process that holds the output has ended.
    expect([signal, code]).toContain(await server.stop(signal));
    expect(server.log).toContain(`stopping: ${signal}`);
    expect(server.log).toContain('stopped');
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow('fetch failed');
  });
});

describe('npm run demo', () => {
  const folders = () => readdirSync(join(program.folder, 'tmp')).filter((name) => name.startsWith('guildbook-demo-'));
  const demo = () => {
    mkdirSync(join(program.folder, 'tmp'));
    return program.npm(['run', 'demo'], { TMPDIR: join(program.folder, 'tmp') });
  };

  it('removes its folder on Ctrl-C while it waits', async () => {
    const running = demo();
    await running.waitForOutput('Press Ctrl-C to stop it');
    expect(folders()).toHaveLength(1);
    expect(await running.stop('SIGINT')).toBe(0);
    expect(folders()).toEqual([]);
  });

  it('removes its folder on Ctrl-C during its work', async () => {
    const running = demo();
    await running.waitForOutput('Importing');
    expect(folders()).toHaveLength(1);
    expect([130, 'SIGINT']).toContain(await running.stop('SIGINT'));
    expect(folders()).toEqual([]);
    expect(running.log).not.toContain('keeps running');
  });
});
