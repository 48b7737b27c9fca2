import { describe, expect, it } from '@jest/globals';
import { runIn } from '../../src/cli/terminal/command-process.js';
import { print, printJson, printTable } from '../../src/cli/terminal/terminal.js';
import { SpecProcess } from '../support/spec-process.js';

/** The text that `work` writes to the standard output of a process. */
function written(work: () => void, env: Readonly<Record<string, string>> = {}, isTTY = false): string {
  const own = new SpecProcess('/', env);
  Object.assign(own.stdout, { isTTY });
  runIn(own, work);
  return own.stdout.text;
}

describe('colour on a terminal', () => {
  /** Runs `work` with FORCE_COLOR, which shows colours without a terminal. */
  const coloured = (work: () => void): string => written(work, { FORCE_COLOR: '1' });

  it('styles what was escaped before, and cannot be steered by the text', () => {
    expect(coloured(() => print('bad\u001b[0m', 'red'))).toBe('\u001b[31mbad\\u{1b}[0m\u001b[39m\n');
  });

  it('styles single cells of a table and keeps its columns', () => {
    const text = coloured(() =>
      printTable(
        ['risk', 'name'],
        [
          ['high', 'high'],
          ['low', 'x\u001b[1m'],
        ],
        (cell, column) => (column === 'risk' && cell === 'high' ? 'red' : undefined),
      ),
    );
    expect(text.split('\n').slice(1)).toEqual(['\u001b[31mhigh\u001b[39m  high', 'low   x\\u{1b}[1m', '']);
  });

  it('is missing in JSON and where the output is no terminal', () => {
    expect(coloured(() => printJson({ risk: 'high' }))).not.toContain('\u001b');
    expect(written(() => print('high', 'red'))).toBe('high\n');
  });

  it.each([
    [{ TERM: 'xterm' }, true],
    [{ TERM: 'dumb' }, false],
    [{ TERM: 'xterm', NO_COLOR: '1' }, false],
    [{ TERM: 'xterm', FORCE_COLOR: '0' }, false],
  ] as const)('follows the environment of the command: %j', (env, isColoured) => {
    expect(written(() => print('high', 'red'), env, true).includes('\u001b')).toBe(isColoured);
  });
});
