import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECT_ROOT, SETTINGS } from '../../src/platform/config/config.js';
import { programPath } from '../../src/platform/config/environment.js';

const PROGRAM = join(PROJECT_ROOT, 'dist', 'main.js');
const LISTENING = /Guildbook is listening on (http:\/\/\S+)/;
const START_MS = 180_000;

/** A process of the built server, and what became of its start. */
export interface StartedProcess {
  /** Empty if it did not start. */
  readonly url: string;
  readonly log: string;
  stop(): Promise<void>;
}

/** Starts the built server several times at once and waits until each one listens or has ended. */
export async function startAtOnce(
  count: number,
  settingsOf: (n: number) => Readonly<Record<string, string>>,
): Promise<StartedProcess[]> {
  const unset = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, '']));
  const started = Array.from({ length: count }, (_, n) =>
    // The database of a process that lives for seconds runs longer in the compiler than in the code.
    spawn(process.execPath, ['--liftoff-only', PROGRAM], {
      env: { PATH: programPath(), ...unset, GUILDBOOK_PORT: '0', ...settingsOf(n) },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  return Promise.all(started.map(untilDecided));
}

async function untilDecided(child: ChildProcess): Promise<StartedProcess> {
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const deadline = performance.now() + START_MS;
  while (!LISTENING.test(log) && isRunning()) {
    if (performance.now() > deadline) throw new Error(`a server neither starts nor ends:\n${log}`);
    await sleep(20);
  }
  // The lines for the operator follow the address.
  await sleep(200);
  return {
    url: LISTENING.exec(log)?.[1] ?? '',
    get log() {
      return log;
    },
    stop: async () => {
      if (!isRunning()) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
