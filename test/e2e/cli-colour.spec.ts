import { describe, expect, it, jest } from '@jest/globals';
import { print, printJson, printTable } from '../../src/cli/terminal/terminal.js';

/** The text that `work` writes to standard output. */
function written(work: () => void): string {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    work();
    return write.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    write.mockRestore();
  }
}

describe('colour on a terminal', () => {
  /** Runs `work` with FORCE_COLOR, by which Node.js shows colours without a terminal. */
  function coloured(work: () => void): string {
    const before = process.env['FORCE_COLOR'];
    process.env['FORCE_COLOR'] = '1';
    try {
      return written(work);
    } finally {
      if (before === undefined) delete process.env['FORCE_COLOR'];
      else process.env['FORCE_COLOR'] = before;
    }
  }

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
});
