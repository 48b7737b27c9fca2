import { describe, expect, it } from '@jest/globals';
import { type Call, callOf } from '../calls/call.js';
import type { Condition, LearnedClaim } from '../patterns/pattern.schema.js';
import { appliesTo, firstCallsOf, triesOf } from './claim.js';

const NOT_FOUND = 'bash: python: command not found';
/** A command; with `!` it failed. */
const callsOf = (...lines: string[]): Call[] =>
  lines.map((line, at) => {
    const failed = line.startsWith('!');
    const error = failed ? { errorLine: NOT_FOUND, errorText: NOT_FOUND } : {};
    return callOf({ tool: 'Bash', action: line.replace('!', ''), ok: !failed, ...error }, at);
  });

const condition = {
  tool: 'shell',
  call: ['python', { one: 'file' }],
  error: ['bash', 'python', 'command', 'not', 'found'],
  remedy: ['python3', { one: 'file' }],
  values: { file: ['a.py', 'b.py'] },
  closed: {},
  said: ['bash', 'command', 'found', 'not', 'python'],
};
const INSTEAD: LearnedClaim = {
  key: '+python3',
  follow: ['+python3', '-python'],
  rivals: [['+py']],
  conditions: [condition],
};
const STEP: LearnedClaim = {
  key: 'step make env',
  follow: ['step make env'],
  rivals: [],
  conditions: [{ ...condition, step: ['make', 'env'], remedy: ['python', { one: 'file' }] }],
};

const lineOf = (call: Call | undefined): string | undefined => call?.tokens.join(' ');
function tries(claim: LearnedClaim, ...lines: string[]) {
  const calls = callsOf(...lines);
  const [failed] = calls;
  if (failed === undefined) throw new Error('no call');
  const { taught, other } = triesOf(claim, calls, failed);
  return [lineOf(taught?.call), lineOf(other)];
}
function firstCalls(claim: LearnedClaim, ...lines: string[]) {
  const found = firstCallsOf(claim)?.(callsOf(...lines));
  return found && [lineOf(found.taught), lineOf(found.other)];
}
const edit = (path: string, at: number): Call =>
  callOf({ tool: 'Edit', action: JSON.stringify({ file_path: path }), ok: true }, at);

describe('a lesson', () => {
  it('applies to a failed call of its tool with its error', () => {
    const [failed, worked, other] = callsOf('!python x.py', 'python x.py', '!python -m x y');
    expect([failed, worked, other].map((call) => call && appliesTo(INSTEAD, call))).toEqual([true, false, false]);
    expect(failed && appliesTo(INSTEAD, { ...failed, tool: 'terminal' })).toBe(false);
    expect(failed && appliesTo(INSTEAD, { ...failed, error: ['killed'] })).toBe(false);
    expect(failed && appliesTo(INSTEAD, { ...failed, said: new Set(['bash', 'python']) })).toBe(false);
  });

  it('is followed by the first try that has its change, after one that has nothing', () => {
    expect(tries(INSTEAD, '!python a.py', 'python3 a.py')).toEqual(['python3 a.py', undefined]);
    expect(tries(INSTEAD, '!python a.py', '!python a.py', 'python3 a.py')).toEqual(['python3 a.py', 'python a.py']);
    expect(tries(INSTEAD, '!python a.py', 'ls', 'cat b.txt')).toEqual([undefined, undefined]);
  });

  it('counts no try after the one that follows, and none of another remedy', () => {
    expect(tries(INSTEAD, '!python a.py', 'python3 a.py', '!python a.py')).toEqual(['python3 a.py', undefined]);
    expect(tries(INSTEAD, '!python a.py', 'py a.py', 'python3 a.py')).toEqual(['python3 a.py', undefined]);
  });

  it('counts no try after an edit of code: nothing says what helped', () => {
    const [failed, ...later] = callsOf('!python a.py', 'ls', 'python3 a.py');
    const calls = [failed, edit('a.py', 1), ...later.slice(1)].flatMap((one) => one ?? []);
    expect(failed && triesOf(INSTEAD, calls, failed)).toEqual({ taught: undefined, other: undefined });
  });

  it('that leaves out what stands in front of a line has the next such line beside it', () => {
    const more = { any: 'more' };
    const cd = {
      ...condition,
      call: ['cd', 'app', '&&', more],
      error: ['bash', 'cd', 'app', 'No', 'such', 'file'],
      remedy: [more],
    };
    const claim: LearnedClaim = { key: '-app', follow: ['-app', '-cd'], rivals: [], conditions: [{ ...cd, said: [] }] };
    const error = { ok: false, errorLine: 'bash: cd: app: No such file', errorText: 'bash: cd: app: No such file' };
    const ran = (...lines: string[]) =>
      lines.map((line, at) =>
        callOf({ tool: 'Bash', action: line, ...(line.startsWith('cd') ? error : { ok: true }) }, at),
      );
    const calls = ran('cd app && npm test', 'npm test 2>&1 | tail -3', 'ls', 'cd app && npm run lint');
    const [failed] = calls;
    if (failed === undefined) throw new Error('no call');
    const { taught, other } = triesOf(claim, calls, failed);
    expect([taught?.worked, lineOf(taught?.call), lineOf(other)]).toEqual([true, 'npm test', 'cd app && npm run lint']);
  });

  it('that leaves out a part of a call has the next call of the failing form beside it', () => {
    const git: Condition = {
      ...condition,
      call: ['git', '-C', 'app', { any: 'more' }],
      remedy: ['git', { any: 'more' }],
    };
    const error = ['fatal', 'cannot', 'change', 'to', 'app'];
    const claim: LearnedClaim = {
      key: '-app',
      follow: ['-app'],
      rivals: [],
      conditions: [{ ...git, error, said: [] }],
    };
    const failed = { ok: false, errorLine: 'fatal: cannot change to app', errorText: 'fatal: cannot change to app' };
    const calls = ['git -C app add -A', 'git add -A', 'git -C app log'].map((line, at) =>
      callOf({ tool: 'Bash', action: line, ...(line.includes('-C') ? failed : { ok: true }) }, at),
    );
    const [first] = calls;
    if (first === undefined) throw new Error('no call');
    const { taught, other } = triesOf(claim, calls, first);
    expect([lineOf(taught?.call), lineOf(other)]).toEqual(['git add -A', 'git -C app log']);
  });

  it('with a step is followed by the call after the step', () => {
    expect(tries(STEP, '!python a.py', 'make env', 'python a.py')).toEqual(['python a.py', undefined]);
    expect(tries(STEP, '!python a.py', '!make env', 'python a.py')).toEqual([undefined, 'python a.py']);
  });
});

describe('the first calls of a run in either form', () => {
  it('are found without a failure', () => {
    expect(firstCalls(INSTEAD, 'ls', 'python3 a.py', 'python a.py')).toEqual(['python3 a.py', undefined]);
    expect(firstCalls(INSTEAD, 'python a.py', 'ls', 'python3 b.py')).toEqual(['python3 b.py', 'python a.py']);
    expect(firstCalls(INSTEAD, 'ls')).toEqual([undefined, undefined]);
  });

  it('with a step are those after and without it', () => {
    expect(firstCalls(STEP, 'make env', 'python a.py')).toEqual(['python a.py', undefined]);
    expect(firstCalls(STEP, '!make env', 'python a.py')).toEqual([undefined, 'python a.py']);
    const late = ['cd app && make env', ...Array<string>(50).fill('ls'), 'python a.py'];
    expect(firstCalls(STEP, ...late)).toEqual(['python a.py', undefined]);
  });

  it('with a step that names a value of the call are those after that step for the same value', () => {
    const touched: LearnedClaim = {
      ...STEP,
      conditions: [{ ...condition, step: ['touch', { one: 'file' }], remedy: condition.call }],
    };
    expect(firstCalls(touched, 'touch a.py', 'python a.py')).toEqual(['python a.py', undefined]);
    expect(firstCalls(touched, 'touch a.py', 'python b.py')).toEqual([undefined, 'python b.py']);
  });

  it('say nothing of the taught form after an edit that came after the failing one', () => {
    const [first, , third] = callsOf('!python a.py', 'ls', 'python3 a.py');
    const calls = [first, edit('a.py', 1), third].flatMap((one) => one ?? []);
    expect(firstCallsOf(INSTEAD)?.(calls)).toEqual({ taught: undefined, other: first });
  });

  it('are none if the remedy is no form of the failing call, or has only open places', () => {
    const elsewhere = { ...condition, call: ['unzip', { one: 'file' }, 'out'], remedy: ['bsdtar', { one: 'file' }] };
    expect(firstCallsOf({ ...INSTEAD, conditions: [elsewhere] })).toBeUndefined();
    expect(firstCallsOf({ ...INSTEAD, follow: ['+⟨e⟩'] })).toBeUndefined();
  });
});
