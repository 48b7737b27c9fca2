import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { generalises, situationsOf } from './breadth.js';

const situations = (text: string): string[] => situationsOf(text).map((words) => [...words].join(' '));
const covers = (general: string, special: string): boolean => generalises(situationsOf(general), situationsOf(special));

const word = fc.constantFrom('build', 'fails', 'staging', 'production', 'or', ',', 'query', 'timeout', '或');
const condition = fc.array(word, { minLength: 1, maxLength: 9 }).map((words) => words.join(' '));

describe('the situations of a condition', () => {
  it('are one if the condition has no "or", with or without commas', () => {
    expect(situations('When the build fails, in staging')).toEqual(['build fail stag']);
  });

  it('share the words before those that the "or" replaces', () => {
    expect(situations('When a query times out or deadlocks')).toEqual(['ask timeout', 'ask deadlock']);
    expect(situations('When the package is missing, outdated or broken')).toEqual([
      'dependency miss',
      'dependency outdat',
      'dependency fail',
    ]);
  });

  it('are none for a text without words, and at most a dozen', () => {
    expect(situations('🔥 …')).toEqual(['']);
    expect(situations(`When ${'x or '.repeat(500)} y`).length).toBeLessThan(20);
  });
});

describe('a condition', () => {
  it.each([
    ['When a deployment fails', 'When a deployment fails in staging', true],
    ['When a deployment fails in staging', 'When a deployment fails', false],
    ['When a package is missing or outdated', 'When a package is missing', true],
    ['When a package is missing', 'When a package is missing or outdated', false],
    ['When a deployment fails', 'When a deployment fails in staging or production', true],
    ['When a build fails', 'When a query times out', false],
    ['…', 'When a build fails', false],
  ])('%s — %s: %s', (general, special, expected) => {
    expect(covers(general, special)).toBe(expected);
  });

  it('with words covers itself', () => {
    fc.assert(
      fc.property(condition, (text) => {
        fc.pre(situationsOf(text).every(({ size }) => size > 0));
        expect(covers(text, text)).toBe(true);
      }),
    );
  });

  it('covers what a covered condition covers', () => {
    fc.assert(
      fc.property(condition, condition, condition, (a, b, c) => {
        if (covers(a, b) && covers(b, c)) expect(covers(a, c)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
