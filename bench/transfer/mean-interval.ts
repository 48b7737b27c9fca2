/** A mean with its 95 % interval. */
export interface Mean {
  readonly mean: number;
  readonly interval: readonly [low: number, high: number];
}

const TAIL = 0.025;
const NORMAL_QUANTILE = 1.96;

/**
 * The mean of counts, with the wider of two intervals: the exact one for Poisson counts (Garwood 1936), which says
 * something even if every count is 0, and the normal one, which knows counts that vary more.
 */
export function meanOfCounts(counts: readonly number[]): Mean {
  const n = counts.length;
  if (n === 0) return { mean: 0, interval: [0, 0] };
  const total = counts.reduce((sum, count) => sum + count, 0);
  const mean = total / n;
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / Math.max(1, n - 1);
  const half = NORMAL_QUANTILE * Math.sqrt(variance / n);
  const low = total === 0 ? 0 : solve((expected) => 1 - atMost(total - 1, expected) - TAIL, total);
  const high = solve((expected) => TAIL - atMost(total, expected), total);
  return { mean, interval: [Math.max(0, Math.min(low / n, mean - half)), Math.max(high / n, mean + half)] };
}

/** The probability of at most `k` events where `expected` are expected. */
function atMost(k: number, expected: number): number {
  let term = -expected;
  let sum = Math.exp(term);
  for (let events = 1; events <= k; events += 1) {
    term += Math.log(expected / events);
    sum += Math.exp(term);
  }
  return Math.min(1, sum);
}

/** The expected number at which a growing function is 0, by bisection. */
function solve(growing: (expected: number) => number, total: number): number {
  let [low, high] = [1e-9, total + 10 * Math.sqrt(total + 1) + 10];
  for (let step = 0; step < 80; step += 1) {
    const middle = (low + high) / 2;
    if (growing(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
