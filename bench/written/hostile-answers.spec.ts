import { describe, expect, it } from '@jest/globals';
import { LessonAnswer } from '../../src/evidence/answers/lesson-answer.schema.js';
import { hostileAnswersOf } from './hostile-answers.js';

const none = { first: [], before: [], after: [], did: [] };
const GOOD: LessonAnswer = {
  decision: 'lesson',
  refusal: null,
  lesson: {
    title: 'Use python3',
    condition: 'python fails.',
    cause: 'python is 2.7 here.',
    steps: ['Run it with python3.'],
    gotchas: [],
    example: { number: 1, worked: 2 },
    binding: { harness: 'some-agent', project: '', environment: '', tools: ['shell'] },
    predicate: {
      when: [{ tests: [{ test: 'error', value: 'SyntaxError' }] }],
      follow: [{ tests: [{ test: 'args', value: 'python3' }] }],
      attempt: [],
      against: [],
      within: 8,
      covers: [],
      start: { action: [], form: [], prior: [] },
      execution: none,
    },
    quotes: ['SyntaxError'],
    confidence: 'high',
  },
};

describe('the bad answers that are made of a good one', () => {
  const bad = hostileAnswersOf(GOOD);

  it('have the form of an answer, and each changes something', () => {
    for (const { answer } of bad) {
      expect(LessonAnswer.safeParse(answer).success).toBe(true);
      expect(answer).not.toEqual(GOOD);
    }
    expect(new Set(bad.map(({ label }) => label)).size).toBe(bad.length);
    expect(bad.length).toBeGreaterThanOrEqual(16);
  });

  it('keep the example, so that only what is bad can stop them', () => {
    expect(bad.every(({ answer }) => answer.lesson?.example.number === 1)).toBe(true);
  });

  it('are turned round only if there is something to turn', () => {
    expect(bad.map(({ label }) => label)).not.toContain('turned_round');
  });

  it('are not made of a refusal', () => {
    const refusal = { kind: 'noise', reason: 'a notice' } as const;
    expect(hostileAnswersOf({ decision: 'no_lesson', lesson: null, refusal })).toEqual([]);
  });
});
