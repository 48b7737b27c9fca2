import { describe, expect, it } from '@jest/globals';
import { DECLINED, FAMILY_LESSON, familyLesson, PREDICATE } from '../../../test/support/family-questions.js';
import type { LessonAnswer } from '../../evidence/answers/lesson-answer.schema.js';
import { readReply, readRewrite } from './family-reply.js';

const answered = (value: LessonAnswer) => ({ outcome: 'answer', value }) as const;
const UNREAD = { outcome: 'malformed', answer: null };

describe('the answer about a family', () => {
  it('is a lesson or a refusal', () => {
    expect(readReply(answered(familyLesson()))).toEqual({ outcome: 'written', answer: familyLesson() });
    expect(readReply(answered(DECLINED))).toEqual({ outcome: 'declined', answer: DECLINED });
  });

  it('cannot be read if it is both, neither, or another one than it decides', () => {
    const { refusal } = DECLINED;
    for (const change of [{ refusal }, { lesson: null }, { decision: 'no_lesson' }, { lesson: null, refusal }] as const)
      expect(readReply(answered({ ...familyLesson(), ...change }))).toEqual(UNREAD);
  });

  it.each(['malformed', 'refused', 'unfinished'] as const)('is remembered as %s without a text', (reason) => {
    expect(readReply({ outcome: 'none', reason })).toEqual({ outcome: reason, answer: null });
  });

  it('is redacted, and holds no character that a database refuses', () => {
    const secret = ['gh', 'p_', 'q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTb'].join('');
    const { answer } = readReply(answered(familyLesson({ title: `a\0b\ud800 ${secret}` })));
    expect(answer?.lesson?.title).toMatch(/^ab /);
    expect(answer?.lesson?.title).not.toContain(secret);
  });
});

describe('another predicate for a lesson', () => {
  const predicate = { ...PREDICATE, within: 3 };
  const rewritten = familyLesson({
    title: 'T',
    condition: 'C',
    cause: 'X',
    steps: ['S'],
    gotchas: [],
    confidence: 'low',
    predicate,
    example: { number: 2, worked: 1 },
    quotes: ['python'],
  });

  it('replaces the predicate, the example and the quotes, and no other text', () => {
    const { outcome, answer } = readRewrite(answered(rewritten), familyLesson());
    expect(outcome).toBe('rewritten');
    expect(answer?.lesson).toEqual({
      ...FAMILY_LESSON,
      predicate,
      example: { number: 2, worked: 1 },
      quotes: ['python'],
    });
  });

  it('leaves the lesson as it was if there is none', () => {
    const earlier = familyLesson();
    expect(readRewrite(answered(DECLINED), earlier)).toEqual({ outcome: 'declined', answer: earlier });
    expect(readRewrite({ outcome: 'none', reason: 'refused' }, earlier)).toEqual({
      outcome: 'refused',
      answer: earlier,
    });
  });
});
