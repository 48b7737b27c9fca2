import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { priorAround, probabilityOfBetter, UNIFORM_PRIOR } from './probability.js';
import { wilson } from './wilson.js';

describe('the probability that one thing works better than another', () => {
  it.each([
    // Against nothing known it is the mean of the posterior, (successes + 1) / (n + 2).
    [3, 3, 0, 0, 0.8],
    [9, 9, 0, 0, 10 / 11],
    [0, 0, 0, 0, 0.5],
    // P(Beta(2,1) > Beta(1,2)) = 5/6, by hand.
    [1, 1, 0, 1, 5 / 6],
    [25, 28, 89, 226, 1],
  ])('%d of %d against %d of %d', (successes, n, others, m, expected) => {
    expect(probabilityOfBetter(wilson(successes, n), wilson(others, m))).toBeCloseTo(expected, 3);
  });

  it.each([
    // P(X > Y) with Y ~ Beta(1/2, 3/2), whose distribution function has a closed form, integrated by hand.
    [0, 0, { a: 0.5, b: 1.5 }, 0.75],
    [1, 0, { a: 1, b: 1 }, 2 / 3],
    // Y ~ Beta(1/10, 19/10): nearly always close to nothing. E[F(X)] for X uniform is 1 - E[Y].
    [0, 0, { a: 0.1, b: 1.9 }, 0.95],
  ])(
    '%d successes and %d failures against what is only known from elsewhere',
    (successes, failures, prior, expected) => {
      const a = wilson(successes, successes + failures);
      expect(probabilityOfBetter(a, wilson(0, 0), prior)).toBeCloseTo(expected, 2);
    },
  );

  it('what was seen elsewhere weighs two trials, and less where little of it was seen', () => {
    expect(priorAround(wilson(0, 0))).toEqual(UNIFORM_PRIOR);
    expect(priorAround(wilson(0, 1)).a).toBeCloseTo(0.8);
    const much = priorAround(wilson(29, 96));
    expect([much.a, much.a + much.b]).toEqual([expect.closeTo(0.62), expect.closeTo(2)]);
  });

  it('of a against b and of b against a add up to one, and a success more never lowers it', () => {
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
