import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { generalise, unglued } from './generalise.js';
import { isAny, literals, matchesOf, patternLine, variablesOf } from './matching.js';
import type { Pattern } from './pattern.schema.js';

const WORDS = ['git', 'push', 'main', '-u', 'a.py', 'src/a.py', '7', 'origin', 'x', 'y'];
const tokens = fc.array(fc.constantFrom(...WORDS), { maxLength: 7 });
/** Cases of two texts each, as of a call and its error. */
const cases = fc.array(fc.tuple(tokens, tokens), { minLength: 2, maxLength: 4 });
/** No token stands twice in a text, so there is one way to align it. */
const apart = fc.array(fc.tuple(fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: 7 })), {
  minLength: 3,
  maxLength: 5,
});

const words = (line: string): string[] => line.split(' ').filter((word) => word !== '');
const lines = (...given: string[][]): string[] => generalise(given.map((one) => one.map(words))).parts.map(patternLine);

/** A text of a pattern with other values. */
function instanceOf(pattern: Pattern, fill: (name: string) => readonly string[]): string[] {
  return pattern.flatMap((item) => {
    if (typeof item === 'string') return [item];
    if ('any' in item) return [...fill(item.any)];
    const [one = 'other'] = fill('one' in item ? item.one : item.part);
    return 'one' in item ? [one] : [`${item.before}${one}${item.after}`];
  });
}

describe('the generalisation of cases', () => {
  it('matches every case that it was made from, with the values that it names', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { parts } = generalise(given);
        for (const one of given) expect(matchesOf(parts, one)).toBeDefined();
      }),
    );
  });

  it('keeps only tokens that all cases have, in their order', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { parts } = generalise(given);
        for (const [part, pattern] of parts.entries())
          for (const one of given) {
            let from = 0;
            for (const token of literals(pattern)) from = (one[part] ?? []).indexOf(token, from) + 1 || Number.NaN;
            expect(from).not.toBeNaN();
          }
      }),
    );
  });

  it('tells a value that has a variable from what only some cases have behind it', () => {
    const { parts } = generalise([
      [words('edit a now'), words('read a')],
      [words('edit b now'), words('read b from 7')],
    ]);
    expect(parts.map(patternLine)).toEqual(['edit <name> now', 'read <name> <more>']);
  });

  it('has a variable only where two cases differ', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { parts, values } = generalise(given);
        for (const seen of values.values()) expect(new Set(seen).size).toBeGreaterThan(1);
        expect(new Set(parts.flatMap(variablesOf))).toEqual(new Set(values.keys()));
      }),
    );
  });

  it('is the case itself if all are the same', () => {
    fc.assert(
      fc.property(tokens, fc.integer({ min: 1, max: 4 }), (one, n) => {
        const { parts, values } = generalise(Array.from({ length: n }, () => [one]));
        expect([parts, values.size]).toEqual([[one], 0]);
      }),
    );
  });

  it('has one variable for the same values in two places, and two for others', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { values } = generalise(given);
        const seen = [...values.values()].map((one) => JSON.stringify(one));
        expect(new Set(seen).size).toBe(seen.length);
      }),
    );
    expect(lines(['git add x', 'x is ignored'], ['git add y', 'y is ignored'])).toEqual([
      'git add <name>',
      '<name> is ignored',
    ]);
    expect(lines(['cp x y'], ['cp y x'])).toEqual(['cp <more> y <more2>']);
    expect(lines(['cp x one'], ['cp y two'])).toEqual(['cp <name> <name2>']);
  });

  it('is not wider without its last case: what the smaller one matches with the lists of a case, the larger one matches', () => {
    fc.assert(
      fc.property(apart, fc.array(tokens, { minLength: 1, maxLength: 6 }), (given, fills) => {
        const [smaller, larger] = [generalise(given.slice(0, -1)), generalise(given).parts];
        const names = [...new Set(smaller.parts.flatMap(variablesOf))];
        const lists = new Set(smaller.parts.flat().flatMap((item) => (isAny(item) ? item.any : [])));
        // Lists of two cases together may have another length than any case.
        const filled = (name: string): readonly string[] =>
          lists.has(name)
            ? (smaller.values.get(name)?.[0]?.split(' ') ?? []).filter((one) => one !== '')
            : (fills[names.indexOf(name) % fills.length] ?? []);
        const text = smaller.parts.map((one) => instanceOf(one, filled));
        fc.pre(matchesOf(smaller.parts, text) !== undefined);
        expect(matchesOf(larger, text)).toBeDefined();
      }),
    );
  });

  it('names a variable by what stands before it or in it', () => {
    expect(lines(['no column named a here'], ['no column named b here'])).toEqual(['no column named <module> here']);
    expect(lines(['find city= Rome'], ['find city= Bern'])).toEqual(['find city=<city>']);
    expect(lines(['run a.py now'], ['run b.py now'])).toEqual(['run <py file> now']);
    expect(lines(['nvm use 18'], ['nvm use 20'])).toEqual(['nvm use <number>']);
  });

  it('tells values apart that stand side by side in all cases, unless they are many', () => {
    expect(lines(['cp a/x.png out/'], ['cp b/y.png dist/'])).toEqual(['cp <png file> <path>']);
    expect(lines(['sum 1 2 3 4'], ['sum 5 6 7 8'])).toEqual(['sum <more>']);
    expect(lines(['run a b'], ['run c'])).toEqual(['run <more>']);
  });

  it('tells a value apart that another text has alone, also in a text before it', () => {
    const built = (name: string, ...more: string[]) => [
      ['make', name, ...more],
      [name, 'failed'],
    ];
    const { parts } = generalise([built('core'), built('web', '-j2'), built('cli', '-k', '-s')]);
    expect(parts.map(patternLine)).toEqual(['make <name> <more>', '<name> failed']);
  });

  it('finds a value inside of another token', () => {
    const of = (branch: string) => [
      ['git', 'push', 'origin', branch],
      unglued(['git', 'push', 'origin', `HEAD:refs/for/${branch}`], new Map([[`HEAD:refs/for/${branch}`, branch]])),
    ];
    const { parts } = generalise([of('main'), of('next')]);
    expect(parts.map(patternLine)).toEqual(['git push origin <name>', 'git push origin HEAD:refs/for/<name>']);
    const pushed = (branch: string, other: string) =>
      matchesOf(parts, [
        ['git', 'push', 'origin', branch],
        ['git', 'push', 'origin', `HEAD:refs/for/${other}`],
      ]);
    expect(pushed('dev', 'dev')?.get('name')).toBe('dev');
    expect(pushed('dev', 'main')).toBeUndefined();
  });

  it('keeps the pieces of a token together where one of them differs', () => {
    const cut = (token: string) => unglued([token, 'failed'], new Map([[token, 'gradle']]));
    const { parts } = generalise([[cut('/shop/build.gradle')], [cut('/billing/build.gradle')]]);
    expect(parts.map(patternLine)).toEqual(['<path>gradle failed']);
    expect(matchesOf(parts, [['/depot/build.gradle', 'failed']])?.get('path')).toBe('/depot/build.');
    const behind = (token: string) => unglued([token], new Map([[token, 'main']]));
    expect(generalise([[behind('main-a')], [behind('main-b')]]).parts.map(patternLine)).toEqual(['main<name>']);
  });

  it('takes long lists', () => {
    const long = (n: number): string[][] => [
      Array.from({ length: 200 }, (_, at) => (at % 2 === 0 ? `${at}` : `${at}-${n}`)),
    ];
    const [pattern = []] = generalise([long(1), long(2), long(3)]).parts;
    expect([literals(pattern).length, variablesOf(pattern).length]).toEqual([100, 100]);
    expect(matchesOf([pattern], long(4))).toBeDefined();
  });
});
