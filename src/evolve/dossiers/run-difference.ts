import { compareText } from '../../platform/base/compare-text.js';

/** Comparable runs, as the weights of Mantel and Haenszel count them. */
const FEWEST = 4;

/** Mantel-Haenszel: the differences within strata, weighted by what they can tell; undefined if that is too little. */
export function differenceWithin<T extends { readonly good: boolean }>(
  runs: readonly T[],
  did: ReadonlySet<T>,
  stratumOf: (run: T) => string,
): { difference: number; z: number } | undefined {
  const strata = new Map<string, { n1: number; y1: number; n0: number; y0: number }>();
  for (const run of runs) {
    const key = stratumOf(run);
    const one = strata.get(key) ?? { n1: 0, y1: 0, n0: 0, y0: 0 };
    const good = run.good ? 1 : 0;
    if (did.has(run)) strata.set(key, { ...one, n1: one.n1 + 1, y1: one.y1 + good });
    else strata.set(key, { ...one, n0: one.n0 + 1, y0: one.y0 + good });
  }
  let [sum, weight, variance] = [0, 0, 0];
  // In one order, so that sums of fractions are the same.
  for (const [, { n1, y1, n0, y0 }] of [...strata].sort((a, b) => compareText(a[0], b[0]))) {
    if (n1 === 0 || n0 === 0) continue;
    const own = (n1 * n0) / (n1 + n0);
    const rate = (y1 + y0) / (n1 + n0);
    sum += own * (y1 / n1 - y0 / n0);
    weight += own;
    variance += own * rate * (1 - rate);
  }
  return weight < FEWEST || variance <= 0 ? undefined : { difference: sum / weight, z: sum / Math.sqrt(variance) };
}
