import { expect, it } from '@jest/globals';
import type { LessonAnswer } from '../../src/evidence/answers/lesson-answer.schema.js';
import { forShownArguments } from './shown-arguments.js';

const none = { first: [], before: [], after: [], did: [] };
const answer: LessonAnswer = {
  decision: 'lesson',
  refusal: null,
  lesson: {
    title: 'Look first',
    condition: 'A query fails.',
    cause: '',
    steps: ['Look.'],
    gotchas: [],
    quotes: [],
    example: { number: 0, worked: 0 },
    confidence: 'low',
    binding: { harness: '', project: '', environment: '', tools: [] },
    predicate: {
      when: [{ tests: [{ test: 'error', value: '^Unknown column' }] }],
      follow: [
        {
          tests: [
            { test: 'args', value: '^\\W*desc\\b' },
            { test: 'not_args', value: 'select' },
          ],
        },
      ],
      attempt: [],
      against: [],
      within: 8,
      covers: [],
      start: { action: [{ tests: [{ test: 'args', value: '^select' }] }], form: [], prior: [] },
      execution: none,
    },
  },
};

it('a pattern for the start of a call also matches behind the first key, and any other one stays', () => {
  const { follow, start, when } = forShownArguments(answer).lesson?.predicate ?? {
    follow: [],
    start: { action: [] },
    when: [],
  };
  expect(when).toEqual(answer.lesson?.predicate.when);
  const [first, second] = follow[0]?.tests ?? [];
  expect(new RegExp(first?.value ?? '', 'i').test('{"query":"DESC books"}')).toBe(true);
  expect(new RegExp(first?.value ?? '', 'i').test('DESC books')).toBe(true);
  expect(second?.value).toBe('select');
  expect(start.action[0]?.tests[0]?.value).toBe('^(\\{"\\w+":")?select');
});

it('a refusal stays as it is', () => {
  const refusal: LessonAnswer = { decision: 'no_lesson', lesson: null, refusal: { kind: 'noise', reason: 'a notice' } };
  expect(forShownArguments(refusal)).toBe(refusal);
});
