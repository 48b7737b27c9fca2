import { describe, expect, it } from '@jest/globals';
import { Readiness } from './readiness.service.js';

describe('Readiness', () => {
  it('has no problems and no progress at the start', () => {
    const readiness = new Readiness();
    expect(readiness.problems()).toEqual([]);
    expect(readiness.progress()).toEqual({});
  });

  it('asks every source on each request, so that a solved problem disappears', () => {
    const readiness = new Readiness();
    const held = { code: 'skills.push_held', message: 'A commit is held.' };
    let problems = [held];
    readiness.registerProblems(() => problems);
    readiness.registerProblems(() => [{ code: 'other', message: 'Other.' }]);
    expect(readiness.problems().map(({ code }) => code)).toEqual(['skills.push_held', 'other']);
    problems = [];
    expect(readiness.problems().map(({ code }) => code)).toEqual(['other']);
  });
});
