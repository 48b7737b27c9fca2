import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { formatCount, oneLine, Progress, print, printError, printJson, table } from './terminal.js';

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

/** Everything that steers a terminal or cannot be seen, but for the line break. */
const STEERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const steering = (text: string) => (text.match(STEERS) ?? []).filter((character) => character !== '\n');

describe('text on a terminal', () => {
  it('shows what would clear the screen, move the cursor or turn the text around', () => {
    const text = written(() => print('a\u001b[2Jb\u009b31mc\u202ed\re'));
    expect(text).toBe('a\\u{1b}[2Jb\\u{9b}31mc\\u{202e}d\\u{0d}e\n');
  });

  it('keeps the lines of a text for a person', () => {
    expect(written(() => print('one\ntwo'))).toBe('one\ntwo\n');
  });

  it('never steers the terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(steering(written(() => print(text))).filter((character) => character !== '\t')).toEqual([]);
      }),
    );
  });

  it('cannot forge a line where one is expected', () => {
    expect(oneLine('harmless\nApproved by Rosa')).toBe('harmless\\u{0a}Approved by Rosa');
  });

  it('counts with singular and plural nouns', () => {
    expect([formatCount(0, 'file'), formatCount(1, 'file'), formatCount(2, 'file')]).toEqual([
      '0 files',
      '1 file',
      '2 files',
    ]);
  });
});

describe('JSON on a terminal', () => {
  it('is the same value, with everything escaped that steers a terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = written(() => printJson({ text }));
        expect(steering(json)).toEqual([]);
        // A lone surrogate becomes its escape, and parses to the same value.
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
  });

  it('leaves readable text as it is', () => {
    expect(written(() => printJson('größer → ✓'))).toBe('"größer → ✓"\n');
  });
});

describe('a table', () => {
  it('is as wide as its cells, with numbers to the right', () => {
    expect(
      table(
        ['name', 'count'],
        [
          ['short', 5],
          ['rather longer', 10_000],
        ],
      ),
    ).toBe(['name           count', 'short              5', 'rather longer  10000'].join('\n'));
  });

  it('has one line for each row, for any content of the cells', () => {
    expect(table(['name'], [['a\nb'], ['c\td']]).split('\n')).toEqual(['name', 'a\\u{0a}b', 'c\\u{09}d']);
  });

  it('has only its head without rows', () => {
    expect(table(['name', 'count'], [])).toBe('name  count');
  });
});

describe('progress', () => {
  function progressed(output: { json?: boolean; quiet?: boolean }): string {
    const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const progress = new Progress('import', output);
      progress.update('file 1 of 2');
      progress.update('file 2 of 2');
      progress.done('2 files');
      printError('the end');
      return write.mock.calls.map(([text]) => String(text)).join('');
    } finally {
      write.mockRestore();
    }
  }

  it('is a line every two seconds in a pipe', () => {
    expect(progressed({})).toBe('import: file 1 of 2\nimport: 2 files\nthe end\n');
  });

  it.each([{ json: true }, { quiet: true }])('is missing with %j', (output) => {
    expect(progressed(output)).toBe('the end\n');
  });
});
