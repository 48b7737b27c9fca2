import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { classifyError, errorClass, readError } from './error-class.js';

const TRACEBACK = (last: string) =>
  `Exit code 1\nTraceback (most recent call last):\n  File "jobs/close.py", line 7, in <module>\n    run()\n${last}`;

describe('the class of an error', () => {
  it.each([
    ['the last exception of a traceback', TRACEBACK('ValueError: month 13 is out of range'), 'ValueError'],
    ['a chained exception', TRACEBACK("KeyError: 'vat'\n\nDuring handling\nTypeError: no"), 'TypeError'],
    ['an exception of a package', TRACEBACK('billing.errors.Unbalanced: 3 lines'), 'Unbalanced'],
    [
      'a syntax error without a traceback',
      'Exit code 1\n  File "a.py", line 3\n    x = f"{y}"\nSyntaxError: invalid syntax',
      'SyntaxError',
    ],
    ['a missing module in Python 2', TRACEBACK('ImportError: No module named ledger'), 'ImportError'],
    ['a missing module in Python 3', TRACEBACK("ModuleNotFoundError: No module named 'ledger'"), 'ModuleNotFoundError'],
    [
      'a missing module of an interpreter',
      'Exit code 1\n/usr/bin/python: No module named pytest',
      'ModuleNotFoundError',
    ],
    ['a missing file of Node', "Error: ENOENT: no such file or directory, open 'a.json'", 'ENOENT'],
    ['a missing module of Node', "Error: Cannot find module 'left'", 'MODULE_NOT_FOUND'],
    ['an exception of Node', 'TypeError: x is not a function\n    at run (a.js:3:1)', 'TypeError'],
    [
      'a refused argument',
      "cut: option requires an argument -- 'f'\nTry 'cut --help' for more information.",
      'bad-option',
    ],
    ['a separator that is read as a script', 'awk: cannot open : (No such file or directory)', 'bad-option'],
    ['a script of awk', 'awk: line 1: runaway regular expression /ledger ...', 'script-syntax'],
    ['a script of sed', "sed: -e expression #1, char 9: unterminated `s' command", 'script-syntax'],
    ['an expression of find', "find: missing argument to `-exec'", 'script-syntax'],
    ['a pattern of grep', 'grep: Unmatched ( or \\(', 'script-syntax'],
    ['a sentence that was sent as a command', 'bash: line 1: Sorry: command not found', 'prose'],
    [
      'a sentence after a statement',
      "You have an error in your SQL syntax; check the manual for the right syntax to use near 'The ledger holds two rows' at line 2",
      'prose',
    ],
    [
      'a statement in mixed case',
      "You have an error in your SQL syntax; check the manual for the right syntax to use near 'Order by rows' at line 2",
      'unknown',
    ],
    ['an error that is named by its module', TRACEBACK('re.error: bad escape at position 4'), 're.error'],
    ['arguments that exclude each other', "tar: You may not specify more than one '-cx' option", 'bad-option'],
    ['an unknown test of find', 'find: unknown predicate `-recurse', 'bad-option'],
    ['an end that the shell misses', 'bash: -c: line 2: syntax error: unexpected end of file', 'shell-syntax'],
    ['a command that a plain shell cannot read', 'sh: 1: Syntax error: ";" unexpected', 'shell-syntax'],
    ['a missing file', 'Exit code 1\nls: ledger: No such file or directory', 'file-not-found'],
    ['a missing file of an agent tool', '<tool_use_error>File does not exist.</tool_use_error>', 'file-not-found'],
    ['a missing folder of the shell', 'Exit code 1\n(eval):cd:1: no such file or directory: app', 'no-such-directory'],
    ['a missing folder of bash', 'bash: line 1: cd: app: No such file or directory', 'no-such-directory'],
    ['a missing program', 'Exit code 127\n(eval):1: command not found: tfswitch', 'command-not-found'],
    ['git', 'Exit code 128\nfatal: not a git repository', 'exit-128 fatal'],
    ['a rate limit', 'API Error: 429 {"type":"rate_limit_error"}', 'http-429'],
    ['an HTTP state', 'curl: (22) The requested URL returned error: 403', 'http-403'],
    [
      'pytest',
      '=== test session starts ===\nE   AssertionError: 2\nFAILED t.py::test_a\n=== 1 failed in 0.1s ===',
      'test-failure',
    ],
    ['jest', 'Tests:       2 failed, 5 passed, 7 total', 'test-failure'],
    ['TypeScript', 'src/a.ts(3,1): error TS2304: Cannot find name', 'TS2304'],
    ['Prisma', 'Error: P3009 migrate found failed migrations', 'prisma-P3009'],
    ['npm', 'npm ERR! code ERESOLVE\nnpm ERR! could not resolve', 'ERESOLVE'],
    ['a forbidden file', 'Exit code 1\ntouch: /etc/x: Permission denied', 'permission-denied'],
    ['a denied permission', "The user doesn't want to proceed with this tool use.", 'denied'],
    [
      'wrong arguments of a tool',
      '<tool_use_error>InputValidationError: Read failed</tool_use_error>',
      'InputValidationError',
    ],
    ['a missing tool', 'Error: No such tool available: Deploy', 'unknown-tool'],
    ['an unknown option', 'pytest: error: unrecognized arguments: --fast', 'bad-option'],
    ['only an exit code', 'Exit code 3', 'exit-3'],
    ['an empty text', '', 'unknown'],
  ])('%s', (_what, message, name) => {
    expect(errorClass(message).name).toBe(name);
  });

  it("uses the reporter's category only if the text says nothing", () => {
    expect(errorClass('', 'quota exceeded').name).toBe('quota-exceeded');
    expect(errorClass('Exit code 1', 'flaky').name).toBe('flaky');
    expect(errorClass(TRACEBACK('ValueError: x'), 'flaky').name).toBe('ValueError');
  });

  it('a traceback whose end was cut off is one class, not one per last line', () => {
    const cut = errorClass('Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    import b');
    expect(cut).toEqual(errorClass('Traceback (most recent call last):\n  File "c.py", line 9, in f\n    retu'));
    expect(errorClass('Traceback (most recent call last):\n  File "a.py"', 'ValueError').name).toBe('ValueError');
  });

  it('ignores noise that an interpreter prints at every start', () => {
    const noise =
      'Error processing line 1 of /opt/py/site/x.pth:\n\n  Traceback (most recent call last):\n' +
      "  AttributeError: 'NoneType' object has no attribute 'loader'\n\nRemainder of file ignored\n";
    expect(errorClass(`Exit code 1\n${noise}ValueError: bad month`).name).toBe('ValueError');
    expect(errorClass(`Exit code 2\npython3: can't open file 'a.py': [Errno 2] No such file\n${noise}`).name).not.toBe(
      'AttributeError',
    );
  });
});

describe('the template of an error', () => {
  it('is the same for two runs of the same error', () => {
    const run = (file: string, line: number, id: string) =>
      errorClass(
        `Exit code 1\nTraceback (most recent call last):\nValueError: bad row ${line} of '${file}' in job ${id}`,
      );
    expect(run('a/b.csv', 12, '4f1c2a9be7d0')).toEqual(run('/srv/c.csv', 9, '00ff00ff00ff'));
  });

  it.each([
    ['(eval):cd:1: no such file or directory: app', '(eval):cd:[n]: no such file or directory: [path]'],
    ['<tool_use_error>Path does not exist: src/app</tool_use_error>', 'Path does not exist: [path]'],
    ["ModuleNotFoundError: No module named 'ledger.core'", 'ModuleNotFoundError: No module named [name]'],
    ['ImportError: No module named ledger.core', 'ImportError: No module named [name]'],
    [
      "python3: can't open file 'a.py': [Errno 2] No such file or directory",
      "python3: can't open file [name]: [Errno 2] No such file or directory",
    ],
    ['fatal: unable to access https://git.example.com/a.git', 'fatal: unable to access [url]'],
    ['Exit code 4', 'exit-4, no output'],
  ])('%s', (message, template) => {
    expect(errorClass(message).template).toBe(template);
  });

  it('has nothing long and id-like for any error text', () => {
    const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
    const token = fc
      .tuple(fc.array(fc.constantFrom(...alphabet.split('')), { minLength: 30, maxLength: 60 }), fc.nat(9))
      .map(([chars, digit]) => `${chars.join('')}${digit}`);
    fc.assert(
      fc.property(token, fc.constantFrom('token=', 'key: ', 'for ', '"', '@'), (secret, before) => {
        expect(errorClass(`Error: login failed ${before}${secret}`).template).not.toContain(secret.slice(0, 24));
      }),
    );
  });

  it('is bounded and never fails for hostile text', () => {
    const piece = fc.constantFrom(
      'Traceback (most recent call last):\n',
      'E   ',
      'Error: ',
      "'",
      '"',
      '[',
      '/a',
      '\n',
      'x::',
      ' FAILED',
      '\u001b[31m',
      'A.',
      '_',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(piece, { maxLength: 60 }).map((p) => p.join('')),
        ),
        (text) => {
          const { name, template } = errorClass(text);
          expect(name.length).toBeGreaterThan(0);
          expect(name.length).toBeLessThanOrEqual(100);
          expect(template.length).toBeLessThanOrEqual(200);
          expect(template).not.toMatch(/\p{Cc}/u);
        },
      ),
    );
  });

  it.each([
    ['{"error":{"type":"invalid_request","message":"Wrong number of seats."}}', 'Wrong number of seats'],
    ['["Wrong number of seats.", {"row": 4}]', 'Wrong number of seats'],
    ['["Wrong number of seats.", {"row": 4, "sub_err', 'Wrong number of seats'],
    ['{"code": 17, "detail": "Wrong number of seats.", "trace": "a lo', 'Wrong number of seats'],
    ['{"errors":[{"title":"Wrong number of seats"}]}', 'Wrong number of seats'],
  ])('reads the message of a JSON response, complete or cut off: %s', (text, template) => {
    expect(errorClass(text).template).toBe(template);
  });

  it('JSON without a message stays unchanged', () => {
    expect(errorClass('{"status":"nothing"}').template).not.toBe('');
    expect(errorClass(`${'['.repeat(60_000)}`).name).toBe('unknown');
  });
});

describe('the decisive line of an error', () => {
  it('names the failure if the rest of the text has no known class', () => {
    const read = readError('Usage: stock LEVEL\nsee the manual');
    expect(classifyError(read, undefined, 'stock: level is below the minimum')).toEqual({
      name: 'unknown',
      template: 'stock: level is below the minimum',
    });
    expect(classifyError(read, undefined, 'TypeError: no level').name).toBe('TypeError');
  });

  it('adds the reasons that a message only announces', () => {
    const read = readError('InputValidationError: Ship failed due to the following issue:\nport is missing');
    const line = 'InputValidationError: Ship failed due to the following issue: port is missing';
    expect(classifyError(read, undefined, line)).toEqual({ name: 'InputValidationError', template: line });
  });

  it('keeps a known class and its template', () => {
    const read = readError('ValueError: month 13');
    expect(classifyError(read, undefined, 'a line').template).toBe('ValueError: month [n]');
  });
});
