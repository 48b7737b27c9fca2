import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { SpecProcess } from '../../../test/support/spec-process.js';
import { commandProcess, givenPath, runIn } from './command-process.js';
import { print } from './terminal.js';

describe('the process of a command', () => {
  it('has its own output, folder and exit code while other commands run in the same process', async () => {
    const all = ['/first', '/second'].map((folder) => new SpecProcess(folder, {}));
    const before = process.exitCode;
    await Promise.all(
      all.map((own, n) =>
        runIn(own, async () => {
          print('begins');
          await setImmediate();
          print(`reads ${givenPath('notes.md')}`);
          commandProcess().exitCode = n;
        }),
      ),
    );
    expect(all.map(({ stdout, exitCode }) => [stdout.text, exitCode])).toEqual([
      ['begins\nreads /first/notes.md\n', 0],
      ['begins\nreads /second/notes.md\n', 1],
    ]);
    expect(process.exitCode).toBe(before);
  });

  it('is that of Node outside a command', () => {
    expect(commandProcess()).toBe(process);
  });
});
