import { describe, expect, it } from '@jest/globals';
import { failed, recordedCall, type ShortCall, unknown, worked } from '../../test/support/recorded-calls.js';
import type { Predicate } from '../evidence/predicate/predicate.schema.js';
import type { Condition } from '../learning/patterns/pattern.schema.js';
import { AdviceIndex, type Advisable, prepareAdvice } from './live-lessons.service.js';
import type { Place } from './place.js';

const NOWHERE = { projects: [] };
const condition = (tool: string, call: string[], error: string[] = []): Condition => ({
  tool,
  call: [...call, { any: 'more' }],
  error: [...error, { any: 'error' }],
  remedy: ['other', { any: 'more' }],
  values: {},
  closed: {},
  said: [],
});
const learned = (...conditions: Condition[]): Predicate => ({
  learned: { key: '+other', follow: ['+other'], rivals: [], conditions },
});
const lesson = (id: string, predicate: Predicate, more: Partial<Advisable> = {}): Advisable => ({
  id,
  predicate,
  strength: 0.5,
  ...more,
});
const adviceFor = (call: ShortCall, lessons: readonly Advisable[], place: Place = NOWHERE): string[] =>
  new AdviceIndex(lessons.flatMap((one) => prepareAdvice(one) ?? []))
    .matching(recordedCall(call), place)
    .map(({ id }) => id);

describe('advice at a failed call', () => {
  const python = lesson('python', learned(condition('shell', ['python'], ['SyntaxError'])));

  it('is a lesson of which a condition matches call and error', () => {
    expect(adviceFor(failed('python a.py', 'SyntaxError: invalid syntax'), [python])).toEqual(['python']);
    expect(adviceFor(failed('python a.py', 'KeyError: region'), [python])).toEqual([]);
    expect(adviceFor(failed('ruby a.py', 'SyntaxError: invalid syntax'), [python])).toEqual([]);
  });

  it('is none for a call that worked, or of which nothing is known', () => {
    expect(adviceFor(worked('python a.py'), [python])).toEqual([]);
    expect(adviceFor(unknown('python a.py'), [python])).toEqual([]);
  });

  it('is found by the tools of its conditions', () => {
    const both = lesson('both', learned(condition('shell', ['python']), condition('read', ['read'])));
    const read = { ...failed('{"file_path":"a.py"}', 'File does not exist'), tool: 'read' };
    expect(adviceFor(failed('python a.py'), [both])).toEqual(['both']);
    expect(adviceFor(read, [both, python])).toEqual(['both']);
    expect(prepareAdvice(both)?.tools).toEqual(new Set(['shell', 'read']));
  });

  it('comes once from a lesson with several conditions of one tool', () => {
    const twice = lesson('twice', learned(condition('shell', ['python']), condition('shell', ['python', 'a.py'])));
    expect(adviceFor(failed('python a.py'), [twice])).toEqual(['twice']);
  });

  it('is ordered by strength, then by id, beside lessons that a model wrote', () => {
    const when = { tool: 'Bash', error: 'SyntaxError' };
    const lessons = [
      python,
      lesson('written', { when }, { strength: 0.9 }),
      lesson('any tool', { when: { error: 'SyntaxError' } }, { strength: 0.7 }),
      lesson('also', python.predicate),
    ];
    const call = failed('python a.py', 'SyntaxError: invalid syntax');
    expect(adviceFor(call, lessons)).toEqual(['written', 'any tool', 'also', 'python']);
    expect(adviceFor(call, [...lessons].reverse())).toEqual(['written', 'any tool', 'also', 'python']);
  });

  it('holds only where its binding says', () => {
    const bound = lesson('bound', python.predicate, { binding: { project: 'shop' } });
    const call = failed('python a.py', 'SyntaxError: invalid syntax');
    expect(adviceFor(call, [bound])).toEqual([]);
    expect(adviceFor(call, [bound], { projects: ['shop'] })).toEqual(['bound']);
  });

  it('is not prepared from a lesson about no failed call', () => {
    expect(prepareAdvice(lesson('start', { start: { action: { action: 'git push' } } }))).toBeUndefined();
  });
});
