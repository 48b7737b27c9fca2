import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decisiveLine, errorLineOf, withoutWrapper } from './decisive-line.js';

const TRACEBACK = 'Traceback (most recent call last):\n  File "jobs/close.py", line 7, in <module>\n    run(rows)\n';

describe('the decisive line of an error', () => {
  it.each([
    [
      'the last exception',
      `${TRACEBACK}KeyError: 'vat'\n\nDuring handling:\n${TRACEBACK}TypeError: no`,
      'TypeError: no',
    ],
    [
      'an exception without Error in its name',
      `${TRACEBACK}billing.Unbalanced: 3 lines`,
      'billing.Unbalanced: 3 lines',
    ],
    [
      'the exception of a test',
      '=== FAILURES ===\nE   AssertionError: 2 != 3\nFAILED t.py::a',
      'AssertionError: 2 != 3',
    ],
    [
      'that a test was stopped, before what came of that',
      '(fail) grades > edits [5121.92ms]\n  ^ this test timed out after 5000ms.\n\n# Unhandled error between tests',
      'this test timed out after 5000ms.',
    ],
    [
      'what a program says, before words',
      'no tests failed yet\nls: app: No such file or directory',
      'ls: app: No such file or directory',
    ],
    [
      'what the compiler says',
      'building\nsrc/a.ts(3,1): error TS2304: Cannot find name x',
      'src/a.ts(3,1): error TS2304: Cannot find name x',
    ],
    [
      'the first line with a word for an error',
      'step 1 done\nthe login was refused\nretry failed',
      'the login was refused',
    ],
    [
      'not one that only says that something failed',
      "FAILURE: Build failed with an exception.\n\n* What went wrong:\nTask 'buld' not found in root project 'shop'.\n\nBUILD FAILED in 2s",
      "Task 'buld' not found in root project 'shop'.",
    ],
    [
      'that of a traceback whose end was cut off',
      'Exit code 1\nTraceback (most recent call last):\n  File "a.py", line 1, in <module>\n    import plot',
      'Traceback (most recent call last):',
    ],
    [
      'what a program needs',
      'go: updates to go.mod needed; to update it:\n\tgo mod tidy',
      'go: updates to go.mod needed; to update it:',
    ],
    [
      'not the name of the file that failed',
      'FAIL test/a.spec.ts\n  ● Suite failed to run\n\n    Error: connect ECONNREFUSED 127.0.0.1:5432',
      'Error: connect ECONNREFUSED 127.0.0.1:5432',
    ],
    [
      'an exception with its message on the next line',
      'Failure/Error: require "app"\n\nKeyError:\n  key not found: "PORT"\n# ./app.rb:3',
      'KeyError: key not found: "PORT"',
    ],
    ['that it failed, if nothing else is said', 'Build failed', 'Build failed'],
    [
      'what to do, before the name of the task that failed',
      "Execution failed for task ':feed:pack'.\n> A failure occurred while executing org.forge.Pack\n   > The module has no layout. Set forge.layout=flat in forge.ini and retry.\n\n* Try:\n> Run with --trace",
      'The module has no layout. Set forge.layout=flat in forge.ini and retry.',
    ],
    [
      'what is missing, before the place at which that was seen',
      'MakeIt Error at Makeit.txt:12 (find_lib):\n  Could NOT find ZLARB, try to set the path to the folder in the\n  variable ZLARB_ROOT (missing: ZLARB_LIB)\nCall Stack:\n  Makeit.txt:3 (main)',
      'Could NOT find ZLARB, try to set the path to the folder in the variable ZLARB_ROOT (missing: ZLARB_LIB)',
    ],
    [
      'what stopped a test, before its name',
      '--- FAIL: TestRelay (0.02s)\n    relay_test.go:31: dial: too many open files\nFAIL\nFAIL\tcorp/relay\t0.03s',
      'relay_test.go:31: dial: too many open files',
    ],
    [
      'what a test asks for, before its name',
      'test wire::opens ... FAILED\n\nfailures:\nset WIRE_PORT to a free port\n\ntest result: FAILED. 0 passed; 1 failed',
      'set WIRE_PORT to a free port',
    ],
    [
      'not that a command of the line exited',
      'shop:build: ERROR: command finished with error: command (shop) exited (1)\nshop:build: Error: API_BASE is not set',
      'shop:build: Error: API_BASE is not set',
    ],
    [
      'why the goal failed that a line names with all its parts',
      '[ERROR] Failed to execute goal corp.enforce:1.2:check on project shop: Some rules have failed.\n[ERROR] Detected compiler 11 is not in the range [17,).',
      '[ERROR] Detected compiler 11 is not in the range [17,).',
    ],
    [
      'not how long a failed build took',
      '[error] (Store / compile) Compilation failed\n[error] Total time: 3 s, completed Feb 3, 2031, 4:05:06 AM\nthe compiler is not installed',
      'the compiler is not installed',
    ],
    [
      'not the target whose analysis failed',
      "ERROR: Analysis of target '//a:a' failed; build aborted: \nERROR: pkg/BUILD:3:8: no such package 'z'",
      "ERROR: pkg/BUILD:3:8: no such package 'z'",
    ],
    [
      'not the next line of an assertion',
      '  Failure/Error: be_valid\n    expected to be valid, but has errors',
      'Failure/Error: be_valid',
    ],
    ['a task that is unknown, which says why', "error: unknown task 'x'\nsee --help", "error: unknown task 'x'"],
    [
      'the exception of a module, with its message',
      'rake aborted!\nStore::PendingError: \n\nMigrations are pending. Run them first.',
      'Store::PendingError: Migrations are pending. Run them first.',
    ],
    [
      'a sentence of a tool',
      'This page has 12 parts, which is too much to read at once.',
      'This page has 12 parts, which is too much to read at once.',
    ],
    ['the message of a service', '{"error":{"message":"Wrong number of seats."}}', 'Wrong number of seats.'],
    [
      'the message of a service that was cut off',
      '["Execution failed. Max retries exceeded with url',
      'Execution failed. Max retries exceeded with url',
    ],
  ])('is %s', (_what, text, line) => {
    expect(decisiveLine(text)).toBe(line);
  });

  it.each([
    ['Error executing query: Unknown column a in field list', 'Unknown column a in field list'],
    ['Exit code 1\nfatal: not a git repository', 'fatal: not a git repository'],
    ['<tool_use_error>File does not exist.</tool_use_error>', 'File does not exist.'],
    ['error: no space left\nmake: *** [all] Error 2', 'error: no space left'],
    [
      'the signature is required\nmake: *** RELEASE is not set.  Stop.\nmake: *** [Makefile:4: all] Error 2',
      'make: *** RELEASE is not set.  Stop.',
    ],
    [
      'InvalidArgs: Pay failed due to the following issues:\nThe parameter `sum` is missing\nThe parameter `to` is unknown\nThe tool is not loaded, so its parameters cannot be checked. Load it first: call Open with "pay", then retry this call.',
      'InvalidArgs: Pay failed due to the following issues: Load it first: call Open with "pay", then retry this call.',
    ],
    [
      "ValueError: bad month\nsubprocess.CalledProcessError: Command 'a' returned non-zero exit status 1.",
      'ValueError: bad month',
    ],
    [
      'InputValidationError: Write failed due to the following issues:\nThe required parameter `path` is missing',
      'InputValidationError: Write failed due to the following issues: The required parameter `path` is missing',
    ],
    [
      "Error: 1 validation error for Payment\npayment_id\n  Field required [type=missing, input_value={'name': 'Ann'}]",
      'Error: 1 validation error for Payment payment_id Field required',
    ],
    ['WARNING: Unknown key: x\nINTERNALERROR> ValueError: no', 'ValueError: no'],
    [
      'Please always provide one action, found 3.\nIf you are done, do not',
      'Please always provide one action, found 3.',
    ],
  ])('is seen through what wraps it: %s', (text, line) => {
    expect(decisiveLine(text)).toBe(line);
  });

  it.each([
    ['2031-02-03T04:05:06.789Z ERROR queue: missing broker url', 'ERROR queue: missing broker url'],
    ['[2031-02-03 04:05:06,789] fatal: no queue', 'fatal: no queue'],
    ['04:05:06 error: no queue', 'error: no queue'],
    ['Feb  3 04:05:06 error: no queue', 'error: no queue'],
    ['E0203 04:05:06.123456   41 cache.go:265] no context is selected', 'no context is selected'],
    ['time="2031-02-03T04:05:06Z" level=fatal msg="missing url"', 'level=fatal msg="missing url"'],
    ['error: the token expired at 2031-02-03 04:05:06', 'error: the token expired at'],
    ["error: invalid date '2031-02-30'", "error: invalid date '2031-02-30'"],
    ['error: the form is 2031-02-03T04:05', 'error: the form is 2031-02-03T04:05'],
    ['error: must be a time such as 2031-02-03T04:05:06Z', 'error: must be a time such as 2031-02-03T04:05:06Z'],
  ])('has no time at which it was printed: %s', (text, line) => {
    expect(decisiveLine(text)).toBe(line);
    expect(decisiveLine(line)).toBe(line);
  });

  it('is not a notice that successful calls print as well', () => {
    const text = 'Error: cannot read the history file\nError: Cannot find module left';
    expect(decisiveLine(text)).toBe('Error: cannot read the history file');
    expect(decisiveLine(text, new Set(['Error: cannot read the history file']))).toBe('Error: Cannot find module left');
  });

  it('is a notice if the text has nothing else', () => {
    expect(decisiveLine('Error: no', new Set(['Error: no']))).toBe('Error: no');
  });

  it.each([
    ['17,Ann Lee,Berlin\n18,Ben Roe,Bonn'],
    ['{"id": 17,\n "name": "Ann Lee"}'],
    ['Exit code 1'],
    [''],
    ['| 17 | Ann Lee |'],
    ['17\tAnn Lee'],
  ])('is absent where nothing is a message: %j', (text) => {
    expect(decisiveLine(text)).toBeUndefined();
  });

  it('has no home folder and fits into a report, for any text', () => {
    const piece = fc.constantFrom(
      ' /home/ann/x',
      'Error: ',
      'E   ',
      '\n',
      'failed',
      ':',
      '\u0000',
      'é',
      '…',
      '[',
      'x'.repeat(200),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(piece, { maxLength: 40 }).map((p) => p.join('')),
        ),
        (text) => {
          const line = decisiveLine(text);
          if (line === undefined) return;
          expect(line.length).toBeGreaterThan(0);
          expect(line.length).toBeLessThanOrEqual(300);
          expect(line).not.toContain('/home/ann');
          expect(line).not.toContain('\n');
        },
      ),
    );
  });

  it('of a call is the reported one, or that of its message', () => {
    const call = { name: 'Bash', action: 'node a.js', errorMessage: 'Error: Cannot find module left' };
    expect(errorLineOf(call)).toBe('Error: Cannot find module left');
    expect(errorLineOf({ ...call, errorLine: 'Error: reported' })).toBe('Error: reported');
    expect(errorLineOf({ name: 'Bash', action: 'node a.js' })).toBeUndefined();
  });
});

describe('a wrapper around an error', () => {
  it('is removed from a line and from a template', () => {
    expect(withoutWrapper('Error executing query: Table [name] is missing')).toBe('Table [name] is missing');
    expect(withoutWrapper('ValueError: month [n]')).toBe('ValueError: month [n]');
  });
});
