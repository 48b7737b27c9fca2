import { sumBy } from '../../platform/base/sum.js';
import type { Proportion } from './wilson.js';

/** Points of the midpoint rule; the error is far below what three trials can tell. */
const POINTS = 400;

/** What is thought of a rate before anything of it was seen: a Beta distribution, by its two parameters. */
export interface Prior {
  readonly a: number;
  readonly b: number;
}

export const UNIFORM_PRIOR: Prior = { a: 1, b: 1 };

/** As much as {@link UNIFORM_PRIOR} weighs, around a rate that was seen elsewhere. */
export function priorAround({ successes, n }: Pick<Proportion, 'successes' | 'n'>): Prior {
  // Two successes and two failures on top (Agresti and Coull): little that was seen moves little.
  const mean = (successes + 2) / (n + 4);
  return { a: 2 * mean, b: 2 * (1 - mean) };
}

/**
 * How probable it is that the true rate of `a` lies above that of `b`, 0..1: two Beta posteriors by the midpoint rule,
 * with a uniform prior for `a`. No trials of `b` means that nothing but `prior` is known about it, not that it never works.
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

/** The posterior in equal parts of 0..1, adding up to 1. In logarithms first: a thousand trials underflow otherwise. */
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

/** The logarithm of x^(power - 1) in the middle of a part; where that has no bound near 0, of its mean over the part. */
function logDensity(at: number, power: number): number {
  if (power >= 1) return (power - 1) * Math.log((at + 0.5) / POINTS);
  const [from, to] = [at / POINTS, (at + 1) / POINTS];
  return Math.log(((to ** power - from ** power) * POINTS) / power);
}
