import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LatentCorpus } from './latent-corpus.js';
import { FIT_ROUNDS, type FitState, fitRound, orthonormalise, startFit } from './latent-fit.js';

function finish<T>(part: Generator<void, T>): T {
  for (;;) {
    const { done, value } = part.next();
    if (done) return value;
  }
}

/** Numbers without a pattern, the same on every run. */
function normals(): () => number {
  let at = 0;
  return () => Math.sin(12.9898 * ++at) * 2 + Math.sin(78.233 * at);
}

function fitted(corpus: LatentCorpus): FitState {
  let state = finish(startFit(corpus, normals()));
  while (state.round < FIT_ROUNDS) state = finish(fitRound(corpus, state));
  return state;
}

const product = (matrix: ArrayLike<number>, d: number, i: number, j: number): number => {
  let sum = 0;
  for (let start = 0; start < matrix.length; start += d) sum += (matrix[start + i] ?? 0) * (matrix[start + j] ?? 0);
  return sum;
};

const value = fc.double({ min: -5, max: 5, noNaN: true });

describe('the fit of a latent model', () => {
  it('makes columns orthonormal, and drops one that depends on others', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value, value), { minLength: 6, maxLength: 12 }), (rows) => {
        const matrix = Float64Array.from(rows.flatMap(([a, b, c]) => [a, b, c, 2 * a]));
        finish(orthonormalise(matrix, 4));
        for (let i = 0; i < 4; i++)
          for (let j = 0; j < i; j++) expect(Math.abs(product(matrix, 4, i, j))).toBeLessThan(1e-4);
        for (let i = 0; i < 4; i++) {
          const length = product(matrix, 4, i, i);
          expect(Math.min(Math.abs(length), Math.abs(length - 1))).toBeLessThan(1e-4);
        }
        expect(product(matrix, 4, 3, 3)).toBe(0);
      }),
    );
  });

  it('drops a column of which the squares have lost their digits', () => {
    const matrix = Float64Array.from([-7.858638923513144e-163, 0, 0, 2]);
    finish(orthonormalise(matrix, 2));
    expect([...matrix].map(Math.abs)).toEqual([0, 0, 0, 1]);
  });

  it('finds the directions in which the documents vary most', () => {
    // Two groups of terms that never meet: with as many directions as documents, each document is placed completely.
    const rows = [
      [0, 1],
      [0, 1],
      [2, 3],
      [2, 3],
    ].map((terms) => ({ terms: Int32Array.from(terms), values: Float64Array.of(Math.SQRT1_2, Math.SQRT1_2) }));
    const corpus = { terms: ['a', 'b', 'c', 'd'], weights: new Float32Array(4).fill(1), rows };
    const { basis } = fitted(corpus);
    const place = (terms: readonly number[]) =>
      [0, 1, 2, 3].map((k) => terms.reduce((sum, term) => sum + (basis[term * 4 + k] ?? 0), 0) * Math.SQRT1_2);
    const dot = (x: readonly number[], y: readonly number[]) => x.reduce((sum, v, k) => sum + v * (y[k] ?? 0), 0);
    const [one, two] = [place([0, 1]), place([2, 3])];
    expect(dot(one, one)).toBeCloseTo(1, 4);
    expect(dot(two, two)).toBeCloseTo(1, 4);
    expect(dot(one, two)).toBeCloseTo(0, 4);
    // The two terms of a group lie in the same direction.
    for (let k = 0; k < 4; k++) expect(basis[k]).toBeCloseTo(basis[4 + k] ?? 9, 4);
  });

  it('continues from a state as if it had not stopped', () => {
    const rows = Array.from({ length: 9 }, (_, at) => ({
      terms: Int32Array.of(at % 4, 4 + (at % 3)),
      values: Float64Array.of(0.8, 0.6),
    }));
    const corpus = { terms: [...'abcdefg'], weights: new Float32Array(7).fill(1), rows };
    const first = finish(fitRound(corpus, finish(startFit(corpus, normals()))));
    const copy = { round: first.round, basis: first.basis.slice() };
    expect(finish(fitRound(corpus, copy))).toEqual(finish(fitRound(corpus, first)));
  });
});
