import type { Proportion } from './wilson.js';

/** Points of the midpoint rule; the error is far below what three trials can tell. */
const POINTS = 400;

/**
 * How probable it is that the true rate of `a` lies above that of `b`, 0..1: two Beta posteriors with uniform priors, by
 * the midpoint rule. No trials of `b` means nothing is known about it, not that it never works.
 */
export function probablyBetter(a: Proportion, b: Proportion): number {
  const densityA = densities(a);
  const densityB = densities(b);
  let below = 0;
  let better = 0;
  for (const [at, own] of densityA.entries()) {
    const other = densityB[at] ?? 0;
    better += own * (below + other / 2);
    below += other;
  }
  return Math.min(1, Math.max(0, better));
}

/** The posterior at the midpoints, adding up to 1. In logarithms first: a thousand trials underflow otherwise. */
function densities({ successes, n }: Proportion): number[] {
  const logs = Array.from({ length: POINTS }, (_, at) => {
    const x = (at + 0.5) / POINTS;
    return successes * Math.log(x) + (n - successes) * Math.log1p(-x);
  });
  const top = logs.reduce((most, log) => Math.max(most, log), -Infinity);
  const raw = logs.map((log) => Math.exp(log - top));
  const sum = raw.reduce((total, one) => total + one, 0);
  return raw.map((one) => one / sum);
}
