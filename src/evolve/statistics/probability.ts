import { sumBy } from '../../platform/base/sum.js';
import type { Proportion } from './wilson.js';

/** Points of the midpoint rule; its error is far below what three trials can show. */
const POINTS = 400;

/** The parameters of a Beta distribution: the belief about a rate before any trial. */
export interface Prior {
  readonly a: number;
  readonly b: number;
}

export const UNIFORM_PRIOR: Prior = { a: 1, b: 1 };

/** Returns a prior around a rate that was observed elsewhere, with the weight of {@link UNIFORM_PRIOR}. */
export function priorAround({ successes, n }: Pick<Proportion, 'successes' | 'n'>): Prior {
  // Adds two successes and two failures (Agresti and Coull), so that few observations move the prior little.
  const mean = (successes + 2) / (n + 4);
  return { a: 2 * mean, b: 2 * (1 - mean) };
}

/**
 * Returns the probability, 0..1, that the true rate of `a` is above that of `b`: two Beta posteriors by the midpoint
 * rule, with a uniform prior for `a`. Without trials of `b`, only `prior` is known about it, not that it never works.
 */
export function probabilityOfBetter(a: Proportion, b: Proportion, prior = UNIFORM_PRIOR): number {
  const densityA = densities(a, UNIFORM_PRIOR);
  const densityB = densities(b, prior);
  let below = 0;
  let better = 0;
  for (const [at, own] of densityA.entries()) {
    const other = densityB[at] ?? 0;
    better += own * (below + other / 2);
    below += other;
  }
  return Math.min(1, Math.max(0, better));
}

/**
 * Returns the posterior in equal parts of 0..1, which add up to 1. Uses logarithms first: a thousand trials would
 * underflow.
 */
function densities({ successes, n }: Proportion, { a, b }: Prior): number[] {
  const logs = Array.from(
    { length: POINTS },
    (_, at) => logDensity(at, successes + a) + logDensity(POINTS - 1 - at, n - successes + b),
  );
  const top = logs.reduce((most, log) => Math.max(most, log), -Infinity);
  const raw = logs.map((log) => Math.exp(log - top));
  const sum = sumBy(raw, (one) => one);
  return raw.map((one) => one / sum);
}

/**
 * Returns the logarithm of x^(power - 1) in the middle of a part; of its mean over the part if it is unbounded near 0.
 */
function logDensity(at: number, power: number): number {
  if (power >= 1) return (power - 1) * Math.log((at + 0.5) / POINTS);
  const [from, to] = [at / POINTS, (at + 1) / POINTS];
  return Math.log(((to ** power - from ** power) * POINTS) / power);
}
