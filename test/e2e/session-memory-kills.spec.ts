import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { programPath } from '../../src/platform/config/environment.js';
import { openSessionMemory, type SessionStoreName } from '../../src/session-stores/sessions.js';
import { build } from '../support/cli.js';

// The package is built, and each kill needs a process.
jest.setTimeout(240_000);

/** Processes that write to the same folder at once. */
const AT_ONCE = 6;
const ROUNDS = 3;
const SAVER = join(PROJECT_ROOT, 'test', 'support', 'session-saver.mjs');

/**
 * Kills a process at a random time after it has printed so many lines: the first says that it starts to save, each other
 * one that it has saved. Returns the number of the last fact that it reported.
 */
async function killWhileSaving(folder: string, store: string, session: string, lines: number): Promise<number> {
  const child = spawn(process.execPath, [SAVER, folder, store, session], {
    cwd: PROJECT_ROOT,
    env: { PATH: programPath() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stderr.on('data', (text) => {
    err += String(text);
  });
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (text) => {
      out += String(text);
      if (out.split('\n').length > lines) resolve();
    });
    child.once('exit', () => resolve());
  });
  await sleep(Math.random() * 100);
  await kill(child);
  expect({ session, err }).toEqual({ session, err: '' });
  // The process may have been killed while it printed.
  const numbers = out.slice(0, out.lastIndexOf('\n')).split('\n').slice(1).map(Number);
  return numbers.at(-1) ?? 0;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

describe.each(['session-files', 'markdown', 'jsonl'] as const)(
  'a session memory whose writers are killed (%s)',
  (store: SessionStoreName) => {
    let folder: string;
    beforeAll(async () => {
      await build();
      folder = await realpath(await mkdtemp(join(tmpdir(), 'guildbook-kills-')));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    it('has every entry that was saved, whole and once, and at most the one that was being saved', async () => {
      const saved = new Map<string, number>();
      for (let round = 1; round <= ROUNDS; round += 1) {
        const killed = Array.from({ length: AT_ONCE }, async (_, n) => {
          const session = `s-${round}-${n}`;
          saved.set(session, await killWhileSaving(folder, store, session, 1 + (n % 3)));
        });
        await Promise.all(killed);
        const memory = await openSessionMemory({ folder, store, readOnly: true });
        for (const [session, count] of saved) {
          const facts = (await memory.read(session)).filter(({ kind }) => kind === 'fact');
          const expected = Array.from({ length: facts.length }, (_, n) => `${session} fact ${n + 1}.`);
          expect(facts.map(({ content }) => content)).toEqual(expected);
          expect([count, count + 1]).toContain(facts.length);
          expect(facts.every(({ provenance }) => provenance.by === 'agent')).toBe(true);
        }
        expect(memory.problems()).toEqual([]);
      }
      expect(saved.size).toBe(AT_ONCE * ROUNDS);
      expect([...saved.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(AT_ONCE * ROUNDS);

      // The next start tidies up: every session that has entries is summarised, and nothing temporary is left.
      const next = await openSessionMemory({ folder, store });
      for (const [session, count] of saved)
        if (count > 0)
          expect((await next.read(session)).filter(({ kind }) => kind === 'session-summary')).toHaveLength(1);
      expect((await readdir(folder, { recursive: true })).filter((name) => name.includes('.tmp-'))).toEqual([]);
      if (store === 'session-files')
        expect(JSON.parse(await readFile(join(folder, 'index.json'), 'utf8'))).toBeTruthy();
    });
  },
);
