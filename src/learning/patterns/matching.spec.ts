import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { matchesOf, patternLine } from './matching.js';
import type { Pattern } from './pattern.schema.js';

const bound = (...given: Parameters<typeof matchesOf>) => {
  const found = matchesOf(...given);
  return found && Object.fromEntries(found);
};

describe('a pattern', () => {
  it('matches its own tokens only', () => {
    const word = fc.string({ minLength: 1, maxLength: 5 });
    const list = fc.array(word, { maxLength: 6 });
    fc.assert(
      fc.property(list, list, (one, other) => {
        expect(matchesOf([one], [one])).toBeDefined();
        expect(matchesOf([one], [other]) !== undefined).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });

  it('binds a variable to one token, to many, or to a part of one', () => {
    expect(bound([['git', 'add', { one: 'path' }]], [['git', 'add', 'a.py']])).toEqual({ path: 'a.py' });
    expect(bound([['git', 'add', { one: 'path' }]], [['git', 'add', 'a.py', 'b.py']])).toBeUndefined();
    expect(bound([['git', { any: 'more' }, 'x']], [['git', 'add', '-f', 'x']])).toEqual({ more: 'add -f' });
    expect(bound([['git', { any: 'more' }, 'x']], [['git', 'x']])).toEqual({ more: '' });
    const part: Pattern = [{ part: 'branch', before: 'refs/for/', after: '' }];
    expect(bound([part], [['refs/for/main']])).toEqual({ branch: 'main' });
    expect(bound([part], [['refs/for/']])).toBeUndefined();
    expect(bound([part], [['refs/heads/main']])).toBeUndefined();
  });

  it('has one value for a variable in all places and texts', () => {
    const patterns: Pattern[] = [
      ['cat', { one: 'path' }],
      [{ one: 'path' }, 'is', 'missing'],
    ];
    expect(
      bound(patterns, [
        ['cat', 'a'],
        ['a', 'is', 'missing'],
      ]),
    ).toEqual({ path: 'a' });
    expect(
      bound(patterns, [
        ['cat', 'a'],
        ['b', 'is', 'missing'],
      ]),
    ).toBeUndefined();
    // The first way to bind a list is not the right one.
    const twice: Pattern = [{ any: 'more' }, 'and', { any: 'more' }];
    expect(bound([twice], [['a', 'and', 'b', 'and', 'a', 'and', 'b']])).toEqual({ more: 'a and b' });
  });

  it('binds a closed variable to its values only', () => {
    const pattern: Pattern = ['use', { one: 'number' }];
    expect(bound([pattern], [['use', '18']], { number: ['18', '20'] })).toEqual({ number: '18' });
    expect(bound([pattern], [['use', '22']], { number: ['18', '20'] })).toBeUndefined();
    expect(bound([pattern], [['use', '22']], { other: ['18'] })).toEqual({ number: '22' });
  });

  it('is shown with its variables as places', () => {
    const items: Pattern = [
      'find',
      'city=',
      { one: 'city' },
      { part: 'branch', before: 'refs/', after: '.x' },
      { any: 'more' },
    ];
    expect(patternLine(items)).toBe('find city=<city> refs/<branch>.x <more>');
  });

  it('gives up on a text that has too many ways to match', () => {
    const variables = Array.from({ length: 20 }, (_, n) => ({ any: `a${n}` }));
    for (const pattern of [
      [...variables, 'end'],
      [...variables, ...variables, 'end'],
    ]) {
      let tries = 0;
      const text = Object.assign(Array<string>(200).fill('x'), {
        slice: (from: number, to: number) => {
          tries += 1;
          return [`${from}-${to}`];
        },
      });
      expect(matchesOf([pattern], [text])).toBeUndefined();
      expect(tries).toBeLessThanOrEqual(20_000);
    }
  });
});
