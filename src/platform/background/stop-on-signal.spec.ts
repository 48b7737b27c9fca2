import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { PROJECT_ROOT } from '../config/config.js';
import { closeWithin } from './stop-on-signal.js';

const MODULE = pathToFileURL(join(PROJECT_ROOT, 'src/platform/background/stop-on-signal.ts')).href;

/** A process that closes as `close` says, within 200 ms; it gets the signals once it is ready. */
async function stopped(close: string, signals: readonly NodeJS.Signals[]) {
  const program = `
    import { closeOnSignal } from ${JSON.stringify(MODULE)};
    setInterval(() => undefined, 1_000);
    const log = { log: (text) => console.log(text), error: (text) => console.log(text) };
    void closeOnSignal(() => ${close}, log, { limitMs: 200, left: async () => '2 connections' });
    console.log('ready');`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    cwd: PROJECT_ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output === '') for (const signal of signals) child.kill(signal);
    output += text;
  });
  const [code, by] = await once(child, 'close');
  return { end: code ?? by, lines: output.trim().split('\n') };
}

describe('a process that is to stop', () => {
  it('closes, and ends by the signal', async () => {
    expect(await stopped('Promise.resolve()', ['SIGTERM'])).toEqual({
      end: 'SIGTERM',
      lines: ['ready', 'stopping: SIGTERM', 'stopped'],
    });
  });

  it('ends after the limit although something does not close, and says what was left', async () => {
    expect(await stopped('new Promise(() => undefined)', ['SIGTERM'])).toEqual({
      end: 'SIGTERM',
      lines: ['ready', 'stopping: SIGTERM', 'stopped after 0.2 seconds, and left: 2 connections'],
    });
  });

  it('ends once, whatever signal follows', async () => {
    const close = 'new Promise((resolve) => setTimeout(resolve, 100))';
    const { end, lines } = await stopped(close, ['SIGTERM', 'SIGTERM', 'SIGINT']);
    expect(lines.filter((line) => line.startsWith('stopp'))).toHaveLength(2);
    expect(['SIGTERM', 'SIGINT']).toContain(end);
  });

  it('reports a failure to close', async () => {
    await expect(closeWithin(() => Promise.reject(new Error('made up')))).rejects.toThrow('made up');
  });
});
