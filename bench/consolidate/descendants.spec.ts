import { describe, expect, it } from '@jest/globals';
import { descendantOf, liveAfter, liveBefore, type StoredLesson, unrepresentedLessons } from './descendants.js';

const lesson = (id: string, more: Partial<StoredLesson> = {}): StoredLesson => ({
  id,
  agentId: 'ada',
  failureKey: 'failure',
  remedyKey: 'remedy',
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
const ended = (id: string, endReason: string, supersededById: string | null = null): StoredLesson =>
  lesson(id, { isLive: false, endReason, supersededById, isEndedByRun: true });
const written = (id: string): StoredLesson => lesson(id, { isWrittenByRun: true });
const byId = (...lessons: StoredLesson[]) => new Map(lessons.map((one) => [one.id, one]));

describe('the lessons before and after a consolidation', () => {
  it('are those that a run ended or left, and those that it left or wrote', () => {
    const long = lesson('long ago', { isLive: false, endReason: 'overcome_later' });
    const all = [lesson('kept'), ended('a', 'merged', 'ab'), ended('b', 'merged', 'ab'), written('ab'), long];
    expect(liveBefore(all).map(({ id }) => id)).toEqual(['kept', 'a', 'b']);
    expect(liveAfter(all).map(({ id }) => id)).toEqual(['kept', 'ab']);
    expect(unrepresentedLessons(all)).toEqual([]);
  });

  it('are represented by what they were merged into, or by a reason to prune them', () => {
    const gone = ended('gone', 'merged', 'missing');
    const none = ended('none', 'merged');
    const all = [ended('cut', 'pruned'), gone, none, ended('wrong', 'contradicted', 'right'), lesson('right')];
    expect(unrepresentedLessons(all).map(({ id }) => id)).toEqual(['gone', 'none']);
  });

  it('are followed through several runs to the live one that says what they said', () => {
    const later = { ...written('ab'), isLive: false, endReason: 'dated', supersededById: 'dated', isEndedByRun: true };
    const all = byId(ended('a', 'covered', 'ab'), later, written('dated'));
    expect(descendantOf('a', all)?.id).toBe('dated');
  });

  it('have no descendant if they were found wrong, pruned, or point in a circle', () => {
    const wrong = byId(ended('wrong', 'contradicted', 'right'), lesson('right'));
    expect(descendantOf('wrong', wrong)).toBeUndefined();
    expect(descendantOf('cut', byId(ended('cut', 'pruned')))).toBeUndefined();
    const circle = [ended('a', 'merged', 'b'), ended('b', 'merged', 'a')];
    expect(descendantOf('a', byId(...circle))).toBeUndefined();
    expect(unrepresentedLessons(circle)).toHaveLength(2);
  });
});
