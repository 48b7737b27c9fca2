import type { Difference, Tries } from './newcombe.js';

/** Tries with and without something, of one agent for example. */
export interface Stratum {
  readonly with: Tries;
  readonly without: Tries;
}

/** A difference within strata with tries on both sides. */
interface WithinStrata extends Difference {
  readonly strata: number;
  /** How much the strata can tell: one of `n` tries on either side counts `n` halves. */
  readonly weight: number;
  readonly z: number;
}

/** Two-sided 95 % quantile of the normal distribution. */
const Z = 1.959963984540054;

/** So that a variance of 0 is no certainty. */
const LEAST_VARIANCE = 1e-9;

/**
 * Returns the difference of shares within strata, weighted by Mantel and Haenszel, with its 95 % interval, and the
 * number of strata with tries on both sides. Only those count; null if there is none. The variance is that of Greenland
 * and Robins (1985). A stratum in which all tries of either side ended alike has none, and gets that of a share of one
 * half, divided by four.
 */
export function mantelHaenszel(strata: readonly Stratum[]): WithinStrata | null {
  const both = strata.filter((one) => one.with.n > 0 && one.without.n > 0);
  if (both.length === 0) return null;
  let [weighted, weights, variance] = [0, 0, 0];
  for (const { with: a, without: b } of both) {
    const n = a.n + b.n;
    const weight = (a.n * b.n) / n;
    weights += weight;
    weighted += weight * (a.worked / a.n - b.worked / b.n);
    variance += (a.worked * (a.n - a.worked) * b.n ** 3 + b.worked * (b.n - b.worked) * a.n ** 3) / (a.n * b.n * n * n);
    if (isUniform(a) && isUniform(b)) variance += (weight * weight * (1 / a.n + 1 / b.n)) / 16;
  }
  const value = weighted / weights;
  const deviation = Math.sqrt(Math.max(variance, LEAST_VARIANCE)) / weights;
  const [margin, z] = [Z * deviation, value / deviation];
  return { strata: both.length, weight: weights, value, z, low: value - margin, high: value + margin };
}

const isUniform = ({ worked, n }: Tries): boolean => worked === 0 || worked === n;
