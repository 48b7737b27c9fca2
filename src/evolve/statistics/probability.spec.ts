import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { priorAround, probabilityOfBetter, UNIFORM_PRIOR } from './probability.js';
import { wilson } from './wilson.js';

describe('the probability that one remedy works better than another', () => {
  it.each([
    // Against an unknown rate it is the mean of the posterior, (successes + 1) / (n + 2).
    [3, 3, 0, 0, 0.8],
    [9, 9, 0, 0, 10 / 11],
    [0, 0, 0, 0, 0.5],
    // P(Beta(2,1) > Beta(1,2)) = 5/6, computed on paper.
    [1, 1, 0, 1, 5 / 6],
    [25, 28, 89, 226, 1],
  ])('%d of %d against %d of %d', (successes, n, others, m, expected) => {
    expect(probabilityOfBetter(wilson(successes, n), wilson(others, m))).toBeCloseTo(expected, 3);
  });

  it.each([
    // P(X > Y) with Y ~ Beta(1/2, 3/2), whose distribution function has a closed form, integrated on paper.
    [0, 0, { a: 0.5, b: 1.5 }, 0.75],
    [1, 0, { a: 1, b: 1 }, 2 / 3],
    // Y ~ Beta(1/10, 19/10) is nearly always close to 0. E[F(X)] for uniform X is 1 - E[Y].
    [0, 0, { a: 0.1, b: 1.9 }, 0.95],
  ])('%d successes and %d failures against a prior from elsewhere', (successes, failures, prior, expected) => {
    const a = wilson(successes, successes + failures);
    expect(probabilityOfBetter(a, wilson(0, 0), prior)).toBeCloseTo(expected, 2);
  });

  it('a prior counts as two trials, and less if it rests on few', () => {
    expect(priorAround(wilson(0, 0))).toEqual(UNIFORM_PRIOR);
    expect(priorAround(wilson(0, 1)).a).toBeCloseTo(0.8);
    const much = priorAround(wilson(29, 96));
    expect([much.a, much.a + much.b]).toEqual([expect.closeTo(0.62), expect.closeTo(2)]);
  });

  it('of a against b and of b against a add up to 1, and another success never lowers it', () => {
    const trials = fc.tuple(fc.nat(40), fc.nat(40)).map(([good, bad]): [number, number] => [good, good + bad]);
    fc.assert(
      fc.property(trials, trials, ([s, n], [r, m]) => {
        const [a, b] = [wilson(s, n), wilson(r, m)];
        expect(probabilityOfBetter(a, b) + probabilityOfBetter(b, a)).toBeCloseTo(1, 6);
        expect(probabilityOfBetter(wilson(s + 1, n + 1), b)).toBeGreaterThanOrEqual(probabilityOfBetter(a, b) - 1e-9);
      }),
    );
  });
});
