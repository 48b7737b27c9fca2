import { describe, expect, it } from '@jest/globals';
import { DECLINED, familyLesson } from '../../../test/support/family-questions.js';
import { needsAsking } from './needs-asking.js';

const lesson = familyLesson();
const rewrite = { answer: lesson, problem: 'It measures something else.' };
const known = { executions: 10, answer: lesson, rewritten: false };

describe('a model is asked about a family', () => {
  it.each([
    ['a new one', { executions: 3 }, undefined, 'dossier'],
    ['one with a stored lesson', { executions: 19 }, known, undefined],
    ['one that has doubled', { executions: 20 }, known, 'dossier'],
    ['one that was declined', { executions: 19 }, { ...known, answer: DECLINED }, undefined],
    ['one that was declined and has doubled', { executions: 20 }, { ...known, answer: DECLINED }, 'dossier'],
    ['one whose answer cannot be read', { executions: 19 }, { ...known, answer: null }, undefined],
    ['one whose answer cannot be read, doubled', { executions: 20 }, { ...known, answer: null }, 'dossier'],
    ['one with a predicate to rewrite', { executions: 12, rewrite }, known, 'predicate'],
    ['one whose predicate was rewritten', { executions: 12, rewrite }, { ...known, rewritten: true }, undefined],
    ['one with a predicate to rewrite, doubled', { executions: 20, rewrite }, known, 'dossier'],
    ['one to rewrite without a lesson', { executions: 12, rewrite }, { ...known, answer: DECLINED }, undefined],
    ['one to rewrite that is not known', { executions: 12, rewrite }, undefined, 'dossier'],
    ['one that has become smaller', { executions: 2 }, known, undefined],
  ])('%s', (_name, question, stored, asking) => {
    expect(needsAsking(question, stored)).toBe(asking);
  });
});
