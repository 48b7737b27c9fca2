import { describe, expect, it } from '@jest/globals';
import { callOf } from '../../learning/calls/call.js';
import { callGateOf } from './call-gate.js';
import type { Predicate } from './predicate.schema.js';
import type { PredicateCall } from './predicate-call.js';

const call = (text: string, fields: Partial<PredicateCall> = {}): PredicateCall => ({
  index: 0,
  tool: 'shell',
  goal: 'run',
  actions: new Set([text.split(' ')[0] ?? '']),
  text,
  ok: undefined,
  error: '',
  ...fields,
});
const refuses = (predicate: Predicate, text: string, fields: Partial<PredicateCall> = {}): boolean | undefined =>
  callGateOf(predicate)?.refuses(call(text, fields));

describe('the gate of a predicate', () => {
  it('refuses the call that its condition is about, and ignores the error of the condition', () => {
    const predicate = { when: { tool: 'shell', args: '\\bpy2\\b', error: 'unknown option', ok: false } };
    expect(refuses(predicate, 'py2 close.py')).toBe(true);
    expect(refuses(predicate, 'py3 close.py')).toBe(false);
    expect(refuses(predicate, 'py2 close.py', { tool: 'read' })).toBe(false);
  });

  it('lets the taught form pass', () => {
    const push = { action: 'git' };
    expect(refuses({ when: push, follow: { args: '--set-upstream', sameAction: true } }, 'git push')).toBe(true);
    for (const follow of [
      { args: '--set-upstream', sameAction: true, ok: true },
      { adds: '--set-upstream' },
      { drops: '--force' },
      [{ args: 'never' }, { notArgs: '--force', sameTool: true }],
    ])
      expect(refuses({ when: push, follow }, 'git push --set-upstream origin')).toBe(false);
    expect(refuses({ when: push, follow: { drops: '--force' } }, 'git push --force')).toBe(true);
    expect(refuses({ when: push, follow: { args: 'origin', adds: '-u' } }, 'git push origin')).toBe(true);
  });

  it('reads the first call of the start, and its form', () => {
    const predicate = {
      start: { action: { tool: 'shell', args: '\\bpython\\d?\\b' }, form: { args: '\\bpython3\\b' } },
    };
    expect(refuses(predicate, 'python close.py')).toBe(true);
    expect(refuses(predicate, 'python3 close.py')).toBe(false);
    expect(refuses(predicate, 'ls')).toBe(false);
  });

  it('knows the step that a lesson wants before the call, of the start or as what follows before an attempt', () => {
    const start = { action: { args: 'npm test' }, prior: { args: 'npm ci' } };
    const attempt = { when: { args: 'npm test' }, follow: { args: 'npm ci' }, attempt: { args: 'npm test' } };
    for (const predicate of [{ start }, attempt]) {
      const gate = callGateOf(predicate);
      expect([gate?.prior?.(call('npm ci')), gate?.prior?.(call('npm test'))]).toEqual([true, false]);
      expect(gate?.refuses(call('npm test'))).toBe(true);
    }
    expect(callGateOf({ when: { args: 'py2' }, follow: { args: 'py3' } })?.prior).toBeUndefined();
  });

  it('takes a named tool other than the shell as a condition', () => {
    expect(refuses({ when: { tool: 'send_refund', error: 'limit' } }, '{}', { tool: 'send_refund' })).toBe(true);
  });

  it('does not take every try of the same action, or a form that only an error shows, for the taught form', () => {
    const when = { args: 'close' };
    for (const follow of [
      { sameAction: true, ok: true },
      { tool: 'shell', sameAction: true },
      { sameArgs: false, errorValueInArgs: 'needs (\\w+)' },
      { args: 'close', errorValueInArgs: 'needs (\\w+)' },
    ])
      expect(refuses({ when, follow }, 'close the books')).toBe(true);
  });

  it.each<[string, Predicate]>([
    ['only an error', { when: { error: 'No such file' } }],
    ['any shell call', { when: { tool: 'shell', error: 'No such file' } }],
    ['a pattern that every call matches', { when: { args: '.*' } }],
    ['only what a call is not', { when: { notArgs: 'py3', notTool: 'read' } }],
    ['a comparison with a failed call', { when: { args: 'py2', sameAction: true } }],
    ['no failed call and no start', { follow: { args: 'py3' }, execution: { did: { args: 'py3' } } }],
  ])('is missing for %s', (_what, predicate) => {
    expect(callGateOf(predicate)).toBeUndefined();
  });

  it('uses the alternatives that say something about the call', () => {
    const predicate = { when: [{ error: 'No such file' }, { args: 'py2', error: 'unknown option' }] };
    expect([refuses(predicate, 'py2 a'), refuses(predicate, 'ls a')]).toEqual([true, false]);
  });
});

describe('the gate of what the learning core found', () => {
  const shell = (action: string, index = 0): PredicateCall =>
    call(action, { index, read: callOf({ tool: 'Bash', action, ok: undefined }, index) });
  const condition = { tool: 'shell', error: [], values: {}, closed: {}, said: [] };
  const form: Predicate = {
    learned: {
      key: '+python3',
      follow: ['+python3'],
      rivals: [],
      conditions: [
        { ...condition, call: ['python', { one: 'py file' }], remedy: ['python3', { one: 'py file' }] },
        { ...condition, call: ['lang', { any: 'more' }], remedy: ['lang', '--fresh', { any: 'more' }] },
      ],
    },
  };
  const step: Predicate = {
    learned: {
      key: 'step make seed',
      follow: ['step make seed'],
      rivals: [],
      conditions: [{ ...condition, call: ['pytest', { any: 'more' }], step: ['make', 'seed'], remedy: ['pytest'] }],
    },
  };

  it('refuses a call of a pattern, whatever its values are, and lets the taught form pass', () => {
    const gate = callGateOf(form);
    expect(gate?.refuses(shell('python close.py'))).toBe(true);
    expect(gate?.refuses(shell('python3 close.py'))).toBe(false);
    expect(gate?.refuses(shell('python -m http.server'))).toBe(false);
    // The taught form is a call of the failing pattern as well.
    expect(gate?.refuses(shell('lang build'))).toBe(true);
    expect(gate?.refuses(shell('lang --fresh build'))).toBe(false);
    expect(gate?.prior).toBeUndefined();
  });

  it('refuses only the values that were seen, if others need something else', () => {
    const [main] = form.learned?.conditions ?? [];
    if (!main || !form.learned) throw new Error('no condition');
    const conditions = [{ ...main, closed: { 'py file': ['close.py'] } }];
    const gate = callGateOf({ learned: { ...form.learned, conditions } });
    expect(gate?.refuses(shell('python close.py'))).toBe(true);
    expect(gate?.refuses(shell('python open.py'))).toBe(false);
  });

  it('wants a step before the call, and takes no call for the taught form', () => {
    const gate = callGateOf(step);
    expect(gate?.refuses(shell('pytest'))).toBe(true);
    expect(gate?.refuses(shell('pytest tests'))).toBe(true);
    expect(gate?.prior?.(shell('make seed'))).toBe(true);
    expect(gate?.prior?.(shell('make'))).toBe(false);
  });

  it('says nothing about a call that the core did not read', () => {
    expect(callGateOf(form)?.refuses(call('python close.py'))).toBe(false);
    expect(callGateOf(step)?.prior?.(call('make seed'))).toBe(false);
  });
});
