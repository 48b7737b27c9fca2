import { type LatentCorpus, type SparseRow } from './latent-corpus.js';
import { MAX_LATENT_DIMENSIONS } from './latent-model.js';

/** Rounds of the iteration; later ones change no result of the retrieval benchmark. */
export const FIT_ROUNDS = 6;
/** Multiplications in one step: about ten milliseconds. */
const WORK_A_STEP = 4_000_000;
const NORMALS_A_STEP = 200_000;
/** A direction with a smaller share of its length left depends on the others, and is dropped. */
const DEPENDENT = 1e-9;
/** Squares below this have lost digits. */
const SMALLEST = 1e-200;

/** Each term's row among the directions, `dimensions` numbers each. All that the next round depends on. */
export interface FitState {
  readonly round: number;
  readonly basis: Float32Array;
}

export const latentDimensions = ({ rows, terms }: LatentCorpus): number =>
  Math.max(1, Math.min(MAX_LATENT_DIMENSIONS, rows.length, terms.length));

/** A random start. `normal` returns independent standard normal numbers. */
export function* startFit(corpus: LatentCorpus, normal: () => number): Generator<void, FitState> {
  const basis = new Float32Array(corpus.terms.length * latentDimensions(corpus));
  for (let at = 0; at < basis.length; at++) {
    basis[at] = normal();
    if (at % NORMALS_A_STEP === 0) yield;
  }
  return { round: 0, basis };
}

/**
 * One round of randomised subspace iteration (Halko, Martinsson and Tropp 2011): the basis is multiplied by AᵀA, where a
 * row of A is a document, and made orthonormal. It converges to the truncated singular value decomposition of A.
 */
export function* fitRound(corpus: LatentCorpus, { round, basis }: FitState): Generator<void, FitState> {
  const dimensions = latentDimensions(corpus);
  const next = yield* multiply(corpus.rows, basis, dimensions);
  yield* orthonormalise(next, dimensions);
  return { round: round + 1, basis: Float32Array.from(next) };
}

function* multiply(rows: readonly SparseRow[], basis: Float32Array, d: number): Generator<void, Float64Array> {
  const next = new Float64Array(basis.length);
  const place = new Float64Array(d);
  let work = 0;
  for (const { terms, values } of rows) {
    place.fill(0);
    for (const [at, term] of terms.entries()) {
      const value = values[at] ?? 0;
      for (let k = 0, from = term * d; k < d; k++, from++) place[k] = (place[k] ?? 0) + value * (basis[from] ?? 0);
    }
    for (const [at, term] of terms.entries()) {
      const value = values[at] ?? 0;
      for (let k = 0, to = term * d; k < d; k++, to++) next[to] = (next[to] ?? 0) + value * (place[k] ?? 0);
    }
    work += 2 * d * terms.length;
    if (work > WORK_A_STEP) {
      work = 0;
      yield;
    }
  }
  return next;
}

/**
 * Makes the columns of a matrix (row by row, `d` columns) orthonormal in place, by the Cholesky factor of their
 * products.
 */
export function* orthonormalise(matrix: Float64Array, d: number): Generator<void, void> {
  const factor = choleskyOf(yield* productsOf(matrix, d), d);
  let work = 0;
  for (let start = 0; start < matrix.length; start += d) {
    for (let j = 0; j < d; j++) {
      const pivot = factor[j * d + j] ?? 0;
      let value = matrix[start + j] ?? 0;
      for (let i = 0; i < j; i++) value -= (factor[j * d + i] ?? 0) * (matrix[start + i] ?? 0);
      matrix[start + j] = pivot === 0 ? 0 : value / pivot;
    }
    work += (d * d) / 2;
    if (work > WORK_A_STEP) {
      work = 0;
      yield;
    }
  }
}

/** The lower half of MᵀM. */
function* productsOf(matrix: Float64Array, d: number): Generator<void, Float64Array> {
  const products = new Float64Array(d * d);
  let work = 0;
  for (let start = 0; start < matrix.length; start += d) {
    for (let i = 0; i < d; i++) {
      const value = matrix[start + i] ?? 0;
      if (value === 0) continue;
      for (let j = 0, at = i * d; j <= i; j++, at++)
        products[at] = (products[at] ?? 0) + value * (matrix[start + j] ?? 0);
    }
    work += (d * d) / 2;
    if (work > WORK_A_STEP) {
      work = 0;
      yield;
    }
  }
  return products;
}

/** L of G = LLᵀ. The row of a column that depends on earlier ones is zero, and so is that column afterwards. */
function choleskyOf(products: Float64Array, d: number): Float64Array {
  const factor = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j <= i; j++) {
      let value = products[i * d + j] ?? 0;
      for (let k = 0; k < j; k++) value -= (factor[i * d + k] ?? 0) * (factor[j * d + k] ?? 0);
      if (i !== j) {
        const pivot = factor[j * d + j] ?? 0;
        factor[i * d + j] = pivot === 0 ? 0 : value / pivot;
      } else if (value > Math.max(DEPENDENT * (products[i * d + i] ?? 0), SMALLEST))
        factor[i * d + i] = Math.sqrt(value);
      else factor.fill(0, i * d, i * d + i);
    }
  }
  return factor;
}
