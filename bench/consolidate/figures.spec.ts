import { describe, expect, it } from '@jest/globals';
import type { StoredLesson } from './descendants.js';
import { type AskedFailure, figuresOf } from './figures.js';

const lesson = (id: string, more: Partial<StoredLesson> = {}): StoredLesson => ({
  id,
  agentId: 'ada',
  failureKey: 'syntax',
  remedyKey: 'python3',
  discovery: id,
  action: id,
  witnesses: 1,
  isLive: true,
  supersededById: null,
  endReason: null,
  isWrittenByRun: false,
  isEndedByRun: false,
  ...more,
});
const ended = (id: string, endReason: string, supersededById: string | null): StoredLesson =>
  lesson(id, { isLive: false, endReason, supersededById, isEndedByRun: true });
const line = (text: string): string => JSON.stringify({ provenance: 'unverified', lesson: text });
const asked = (before: readonly string[], after: readonly string[], more: object = {}): AskedFailure => ({
  agentId: 'ada',
  failure: {
    agent: 'ada',
    execution: 'later',
    query: 'python a.py SyntaxError',
    failureKey: 'syntax',
    remedyKeys: ['python3'],
    ...more,
  },
  before: { ids: before, lines: before.map(line) },
  after: { ids: after, lines: after.map(line) },
});

describe('the figures of a consolidation', () => {
  it('take the descendant of a relevant lesson for relevant', () => {
    const lessons = [ended('a', 'merged', 'ab'), ended('b', 'merged', 'ab'), lesson('ab', { isWrittenByRun: true })];
    expect(figuresOf(lessons, [asked(['a', 'b'], ['ab'])])).toMatchObject({
      before: 2,
      after: 1,
      unrepresented: 0,
      recalls: 1,
      strict: { queries: 1, before: 1, after: 1 },
    });
  });

  it('count a relevant lesson that was pruned as lost, in the same queries', () => {
    const { strict } = figuresOf([ended('a', 'pruned', null)], [asked(['a'], [])]);
    expect(strict).toEqual({ queries: 1, before: 1, after: 0 });
  });

  it('ask for the failure as well as the remedy, and by remedy only for that', () => {
    const { strict, byRemedy } = figuresOf([lesson('a', { failureKey: 'other' })], [asked(['a'], ['a'])]);
    expect([strict.queries, byRemedy.queries]).toEqual([0, 1]);
    expect(strict.before).toBeNull();
  });

  it('never count the lesson of another agent, or one without a remedy', () => {
    const lessons = [lesson('a', { agentId: 'ben' }), lesson('b', { remedyKey: null })];
    expect(figuresOf(lessons, [asked(['a', 'b'], ['a', 'b'])]).byRemedy.queries).toBe(0);
  });
});
