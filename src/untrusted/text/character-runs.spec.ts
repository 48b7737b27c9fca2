import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CharacterRuns } from './character-runs.js';

describe('CharacterRuns', () => {
  it('finds the same runs at the same positions as a regular expression, and no shorter ones', () => {
    const runs = new CharacterRuns('abc-');
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-', ' ', '\u00e9', '\ud83d', 'x'), maxLength: 60 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 6 }), (text, shortest) => {
        const expected = [...text.matchAll(/[abc-]{1,60}/g)]
          .filter(([run]) => run.length >= shortest)
          .map(({ index, 0: run }) => [index, index + run.length]);
        expect([...runs.find(text, shortest)]).toEqual(expected);
        expect(runs.has(text, shortest)).toBe(expected.length > 0);
      }),
    );
  });
});
