import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clipErrorText } from './error-text.js';
import { EXECUTION_END, sourceOfCall, TOOL_ANSWER } from './text-source.js';

const ROWS = '17,Ann Canary,ann@canary.example\n18,Ben Canary,overdue: payment failed\n';
const stored = (text: string, command?: string) => clipErrorText(text, false, sourceOfCall('Bash', command));

describe('the stored text of a failed call', () => {
  it.each([
    ['a printed file', `Exit code 1\n${ROWS}`, 'cat customers.csv && false'],
    [
      'a printed letter',
      'Exit code 1\nDear Ann Canary, your payment failed and is not found.',
      'head -5 letter.txt; false',
    ],
    ['a printed log', 'Exit code 1\nERROR payment of Ann Canary refused', 'tail app.log | grep Canary; exit 1'],
    ['rows of a program', `Exit code 1\n${ROWS}`, 'python report.py'],
    ['a table of a database', 'Exit code 1\n | 17 | Ann Canary | failed |', 'psql -c "select 1"; false'],
    [
      'JSON of a service',
      'Exit code 1\n  "customer": "Ann Canary",\n  "state": "failed",',
      'curl localhost:3000; false',
    ],
    ['a line with an address', 'Exit code 1\npayment of ann@canary.example failed', 'python report.py'],
    ['rows, without the command', `Exit code 1\n${ROWS}`, undefined],
  ])('is withheld for %s', (_what, text, command) => {
    expect(stored(text, command)).toBe('Exit code 1\n[output without an error line]');
  });

  it('has the error of a program, and none of the rows that it printed before', () => {
    const text = `${ROWS}the payment of Ann Canary failed\nTraceback (most recent call last):\n  File "a.py", line 3, in <module>\n    check("Ann Canary")\nValueError: bad month`;
    expect(stored(text, 'python a.py')).toBe(
      'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nValueError: bad month',
    );
  });

  it('has the message of a printing program', () => {
    expect(stored(`${ROWS}cat: orders.csv: No such file or directory`, 'cat customers.csv orders.csv')).toBe(
      'cat: orders.csv: No such file or directory',
    );
    expect(stored("stat: cannot statx 'a'\nfind: needs an argument", 'find . -newer $(stat a)')).toBe(
      "stat: cannot statx 'a'\nfind: needs an argument",
    );
  });

  it.each([
    [
      'a compiler',
      'building\nsrc/a.ts(3,1): error TS2304: Cannot find name x\ndone',
      'src/a.ts(3,1): error TS2304: Cannot find name x',
    ],
    [
      'the usage',
      'usage: pytest [options]\npytest: error: unrecognized arguments: --fast',
      'usage: pytest [options]\npytest: error: unrecognized arguments: --fast',
    ],
    ['words, if nothing is more certain', 'step one\nthe login was refused', 'the login was refused'],
    ['nothing', '', ''],
    ['an exit code alone', 'Exit code 3', 'Exit code 3'],
  ])('has the lines of %s', (_what, text, expected) => {
    expect(stored(text)).toBe(expected);
  });

  it('is that of a command if the tool of another name has one', () => {
    const from = sourceOfCall('execute', '{"command":"head -5 letter.txt && false"}');
    expect(clipErrorText('Dear Ann, your payment failed.', false, from)).toBe('[output without an error line]');
  });

  it('has a sentence of a tool, but no row', () => {
    expect(clipErrorText('This page has too much to read at once.', true, TOOL_ANSWER)).toBe(
      'This page has too much to read at once.',
    );
    expect(clipErrorText(ROWS, false, TOOL_ANSWER)).toBe('[output without an error line]');
    expect(clipErrorText('gave up', false, EXECUTION_END)).toBe('gave up');
  });

  it('keeps within its bound, and shows no more when it is read again, for any text', () => {
    const piece = fc.constantFrom(
      ...[
        'Traceback (most recent call last):\n',
        '  File "a.py", line 3, in f\n',
        'ValueError: bad\n',
        ROWS,
        '\n',
        'Exit code 2\n',
      ],
      ...[
        'ls: a: No such file or directory\n',
        'E   KeyError: 1\n',
        'failed ',
        '{"a": 1}\n',
        '[...]\n',
        'x'.repeat(250),
        ': ',
        '\u0000',
        'é',
      ],
      ...[
        '{"error":"',
        '["',
        'Error processing line 1 of a.pth:\n',
        'usage: a\n',
        '[output without an error line]\n',
        '/home/ann/x ',
      ],
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 40 }).map((p) => p.join('')),
    );
    const source = fc.constantFrom(sourceOfCall('Bash'), sourceOfCall('Bash', 'cat a'), TOOL_ANSWER, EXECUTION_END);
    fc.assert(
      fc.property(text, fc.boolean(), source, (message, oneLine, from) => {
        const once = clipErrorText(message, oneLine, from);
        expect(once.length).toBeLessThanOrEqual(1_000);
        const added = clipErrorText(once, oneLine, from)
          .split('\n')
          .filter((line) => !once.includes(line) && !/^Exit code|^\[/.test(line));
        expect(added).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });
});
