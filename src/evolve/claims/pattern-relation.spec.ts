import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { matchesOf } from '../../learning/patterns/matching.js';
import type { Item, Pattern } from '../../learning/patterns/pattern.schema.js';
import { coversPatterns, patternsOverlap } from './claim-relation.js';

const of = (pattern: Pattern, closed: Record<string, string[]> = {}) => ({ patterns: [pattern], closed });

const text = fc.array(fc.constantFrom('a', 'b', 'ab', 'bab'), { minLength: 1, maxLength: 6 });
/** How each place of a text becomes an item of a pattern, each variable on its own. */
const places = fc.array(fc.constantFrom('as written', 'one', 'part', 'many'), { minLength: 6, maxLength: 6 });
const patternOf = (tokens: readonly Item[], how: readonly string[]): Pattern =>
  tokens.map((item, at): Item => {
    if (how[at] === 'one' && !(typeof item === 'object' && 'any' in item)) return { one: `v${at}` };
    if (how[at] === 'many') return { any: `v${at}` };
    return how[at] === 'part' && typeof item === 'string' && item.length > 1
      ? { part: `v${at}`, before: item.slice(0, 1), after: '' }
      : item;
  });

describe('two patterns', () => {
  it('overlap if a text matches both', () => {
    fc.assert(
      fc.property(text, places, places, (tokens, how, otherwise) => {
        const [one, other] = [patternOf(tokens, how), patternOf(tokens, otherwise)];
        expect([patternsOverlap(of(one), of(other)), patternsOverlap(of(other), of(one))]).toEqual([true, true]);
      }),
    );
  });

  it('do not overlap where their words or their only values differ', () => {
    expect(patternsOverlap(of(['wget', { one: 'url' }]), of(['curl', { one: 'url' }]))).toBe(false);
    expect(patternsOverlap(of(['pip', { any: 'more' }]), of(['pip', 'install', 'a', 'b']))).toBe(true);
    expect(patternsOverlap(of([{ any: 'more' }, 'x']), of([{ any: 'rest' }, 'y']))).toBe(false);
    const open = of(['import', { one: 'module' }]);
    const yaml = of(['import', { one: 'module' }], { module: ['yaml'] });
    const cv2 = of(['import', { one: 'module' }], { module: ['cv2'] });
    expect([patternsOverlap(open, yaml), patternsOverlap(yaml, cv2)]).toEqual([true, false]);
    const part = of([{ part: 'branch', before: 'refs/for/', after: '' }]);
    expect([patternsOverlap(part, of(['refs/for/main'])), patternsOverlap(part, of(['refs/heads/x']))]).toEqual([
      true,
      false,
    ]);
  });

  it('cover each other only if all texts of one are texts of the other', () => {
    fc.assert(
      fc.property(text, places, places, places, (tokens, how, wider, otherwise) => {
        const special = patternOf(tokens, how);
        expect(coversPatterns(of(patternOf(special, wider)), of(special))).toBe(true);
        const other = patternOf(tokens, otherwise);
        if (coversPatterns(of(other), of(special))) expect(matchesOf([other], [tokens])).toBeDefined();
      }),
    );
  });

  it('cover each other with the only values of a variable', () => {
    const open = of(['cat', { one: 'file' }]);
    const closed = of(['cat', { one: 'path' }], { path: ['a', 'b'] });
    const fewer = of(['cat', { one: 'path' }], { path: ['a'] });
    expect([coversPatterns(open, closed), coversPatterns(closed, open)]).toEqual([true, false]);
    expect([coversPatterns(closed, fewer), coversPatterns(fewer, closed)]).toEqual([true, false]);
    expect(coversPatterns(open, of(['cat', { any: 'more' }]))).toBe(false);
    expect(coversPatterns(of(['cat', { any: 'more' }]), open)).toBe(true);
  });
});
