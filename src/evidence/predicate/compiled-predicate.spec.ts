import { describe, expect, it } from '@jest/globals';
import { callOf } from '../../learning/calls/call.js';
import { compileMatchers, failureTest } from './compiled-predicate.js';
import { type Matcher, Predicate } from './predicate.schema.js';
import type { PredicateCall } from './predicate-call.js';

const call = (fields: Partial<PredicateCall> = {}): PredicateCall => ({
  index: 0,
  tool: 'shell',
  goal: 'run:python',
  actions: new Set(['cd', 'python3', 'python3 [file:.py]']),
  text: 'cd app && python3 check.py',
  ok: true,
  error: '',
  ...fields,
});
const failed = call({
  text: 'python check.py',
  actions: new Set(['python']),
  ok: false,
  error: 'SyntaxError: invalid syntax',
});

describe('a compiled matcher', () => {
  it.each<[string, Matcher, Partial<PredicateCall>, boolean]>([
    ['the whole name of a tool', { tool: 'sql' }, { tool: 'sql_server' }, false],
    ['alternatives of tools, without case', { tool: 'Grep|Read' }, { tool: 'read' }, true],
    ['an expression for tools', { tool: 'update_\\w+' }, { tool: 'update_order' }, true],
    ['the name of any shell as the shell', { tool: 'Bash|bash' }, {}, true],
    ['another tool', { notTool: 'shell' }, {}, false],
    ['a normalised action, without case', { action: 'PYTHON3 [file:.py]' }, {}, true],
    ['an action that is not part of the call', { action: 'python' }, {}, false],
    ['a call without an action', { notAction: 'python' }, {}, true],
    ['text over several lines', { args: 'select.*from' }, { text: 'SELECT a\nFROM b' }, true],
    ['a call without a text', { notArgs: 'python3' }, {}, false],
    ['all tests together', { tool: 'shell', args: 'python3', ok: false }, {}, false],
    ['only successes', { ok: true }, { ok: undefined }, false],
    ['an error of a failed call only', { error: 'denied' }, { ok: undefined, error: 'denied' }, false],
    ['an error', { error: 'denied' }, { ok: false, error: 'Permission DENIED' }, true],
  ])('tests %s', (_, matcher, fields, matches) => {
    expect(compileMatchers(matcher)(call(fields))).toBe(matches);
  });

  it.each<[string, Matcher, Partial<PredicateCall>, Partial<PredicateCall>, boolean]>([
    ['the same action', { sameAction: true }, {}, {}, true],
    ['another action', { sameAction: false }, { goal: 'git status' }, {}, true],
    ['another tool', { sameTool: true }, { tool: 'sql' }, {}, false],
    ['the same arguments', { sameArgs: true }, { text: failed.text }, {}, true],
    ['a text that is left out', { drops: 'python\\s' }, {}, {}, true],
    ['a text that is kept', { drops: 'check' }, {}, {}, false],
    ['a text that is added', { adds: 'python3' }, {}, {}, true],
    ['the value of the error', { errorValueInArgs: 'no (\\w+)' }, { text: 'use key' }, { error: 'no key' }, true],
    ['an error without the value', { errorValueInArgs: 'no (\\w+)' }, {}, { error: 'denied' }, false],
    ['a value left out', { errorValueNotInArgs: "'(\\w+)'" }, { text: 'from user' }, { error: "no 'users'" }, true],
    ['a value kept', { errorValueNotInArgs: "'(\\w+)'" }, { text: 'from USERS u' }, { error: "no 'users'" }, false],
    [
      'amounts that add up',
      { sumAmountsEqualsError: 'price is (\\d+)' },
      { text: '{"pay":[{"amount": 300},{"amount":75.4}]}' },
      { error: 'total price is 375, but paid 299' },
      true,
    ],
    [
      'amounts that do not',
      { sumAmountsEqualsError: 'price is (\\d+)' },
      { text: '{"pay":[{"amount": 299}]}' },
      { error: 'total price is 375, but paid 299' },
      false,
    ],
  ])('compares with the failed call: %s', (_, matcher, fields, failedFields, matches) => {
    const test = compileMatchers(matcher);
    expect(test(call(fields), { ...failed, ...failedFields })).toBe(matches);
    expect(test(call(fields))).toBe(false);
  });

  it('holds if one of several matchers does', () => {
    const test = compileMatchers([{ tool: 'sql' }, { args: 'python3' }]);
    expect([test(call()), test(call({ text: 'ls' })), test(call({ tool: 'sql', text: 'ls' }))]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

describe('a predicate', () => {
  it.each<[unknown, string, RegExp]>([
    [{ when: { error: '(?=x)y' } }, 'when.error', /look-around/],
    [{ follow: [{ tool: 'sql' }, { args: '(a)\\1' }] }, 'follow.1.args', /back reference/],
    [{ start: { action: { notTool: '(' } } }, 'start.action.notTool', /RE2/],
    [{ follow: { errorValueInArgs: 'no group' } }, 'follow.errorValueInArgs', /no group/],
    [{ follow: { drops: 'x{0,900}y' } }, 'follow.drops', /repeats too much/],
    [{ when: { args: 'x'.repeat(201) } }, 'when.args', /200/],
  ])('is refused with the path of the field: %j', (predicate, path, message) => {
    const { error } = Predicate.safeParse(predicate);
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
    expect(error?.issues[0]?.message).toMatch(message);
  });
});

describe('the failures that a lesson is about', () => {
  const read = (action: string, errorLine?: string, tool = 'Bash'): PredicateCall => {
    const ok = errorLine === undefined;
    return call({ text: action, ok, error: errorLine ?? '', read: callOf({ tool, action, ok, errorLine }, 0) });
  };
  const learned: Predicate['learned'] = {
    key: '+python3',
    follow: ['+python3'],
    rivals: [],
    conditions: [
      {
        tool: 'shell',
        call: ['python', { one: 'py file' }],
        error: ['SyntaxError', 'invalid', 'syntax'],
        remedy: ['python3', { one: 'py file' }],
        values: {},
        closed: {},
        said: ['invalid', 'syntax', 'syntaxerror'],
      },
    ],
  };

  it('are those that match call and error of a learned condition', () => {
    const isAbout = failureTest({ learned });
    expect(isAbout?.(read('python check.py', 'SyntaxError: invalid syntax'))).toBe(true);
    expect(isAbout?.(read('python check.py', 'ValueError: invalid syntax'))).toBe(false);
    expect(isAbout?.(read('ruby check.py', 'SyntaxError: invalid syntax'))).toBe(false);
    expect(isAbout?.(read('python check.py', 'SyntaxError: invalid syntax', 'sql'))).toBe(false);
    expect(isAbout?.(read('python check.py'))).toBe(false);
  });

  it('are none that the core did not read', () => {
    expect(failureTest({ learned })?.(failed)).toBe(false);
  });

  it('are the failed calls that `when` or `covers` matches, and undefined without either', () => {
    for (const predicate of [{ when: { error: 'SyntaxError' } }, { covers: { error: 'SyntaxError' } }]) {
      expect(failureTest(predicate)?.(failed)).toBe(true);
      expect(failureTest(predicate)?.({ ...failed, error: 'KeyError' })).toBe(false);
    }
    expect(failureTest({ covers: { tool: 'shell' } })?.(call({ ok: undefined }))).toBe(false);
    expect(failureTest({ follow: { args: 'python3' } })).toBeUndefined();
  });
});
