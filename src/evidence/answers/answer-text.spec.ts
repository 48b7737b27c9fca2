import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lessonAnswer } from '../../../test/support/writer-sample.js';
import { answerOfText, LONGEST_ANSWER } from './answer-text.js';
import type { LessonAnswer } from './lesson-answer.schema.js';

const LESSON = lessonAnswer();
const REFUSAL: LessonAnswer = { decision: 'no_lesson', lesson: null, refusal: { kind: 'noise', reason: 'A notice.' } };
const read = (answer: unknown) => answerOfText(JSON.stringify(answer));

describe('the text of an answer', () => {
  it('holds a lesson, or a refusal', () => {
    expect(read(LESSON)).toEqual(LESSON);
    expect(read(REFUSAL)).toEqual(REFUSAL);
  });

  it.each<[string, unknown]>([
    ['both', { ...LESSON, refusal: REFUSAL.refusal }],
    ['neither', { ...LESSON, lesson: null }],
    ['a lesson with the other decision', { ...LESSON, decision: 'no_lesson' }],
    ['a refusal with the other decision', { ...REFUSAL, decision: 'lesson' }],
    ['a refusal of an unknown kind', { ...REFUSAL, refusal: { kind: 'tired', reason: '' } }],
    ['a part that is unknown', { ...LESSON, approved: true }],
    ['a part of the wrong type', { ...LESSON, lesson: { ...LESSON.lesson, steps: 'Run it.' } }],
    ['a part too few', { ...LESSON, lesson: { ...LESSON.lesson, quotes: undefined } }],
    ['a number that is no index', { ...LESSON, lesson: { ...LESSON.lesson, example: { number: 1.5, worked: 1 } } }],
    ['a title of a thousand characters', { ...LESSON, lesson: { ...LESSON.lesson, title: 'a'.repeat(1_000) } }],
    ['a hundred steps', { ...LESSON, lesson: { ...LESSON.lesson, steps: Array.from({ length: 100 }, () => 'a') } }],
    ['a list', [LESSON]],
    ['null', null],
  ])('is not read if it holds %s', (_what, answer) => {
    expect(read(answer)).toBeUndefined();
  });

  it.each(['__proto__', 'constructor', 'prototype'])('is not read if it sets %s', (key) => {
    const text = JSON.stringify(LESSON).replace('"decision"', `"${key}":{"polluted":true},"decision"`);
    expect(answerOfText(text)).toBeUndefined();
    expect({}).not.toHaveProperty('polluted');
  });

  it('is not read if it is longer than any answer, even of white space', () => {
    const text = JSON.stringify(LESSON);
    expect(answerOfText(text + ' '.repeat(LONGEST_ANSWER - text.length))).toEqual(LESSON);
    expect(answerOfText(text + ' '.repeat(LONGEST_ANSWER - text.length + 1))).toBeUndefined();
  });

  it('is not read if it is nested thousands of times', () => {
    expect(answerOfText('['.repeat(LONGEST_ANSWER))).toBeUndefined();
    expect(answerOfText(`${'['.repeat(30_000)}${']'.repeat(30_000)}`)).toBeUndefined();
  });

  it('is not read if a part of it is missing', () => {
    const text = JSON.stringify(LESSON);
    fc.assert(fc.property(fc.nat(text.length - 1), (end) => answerOfText(text.slice(0, end)) === undefined));
  });
});
