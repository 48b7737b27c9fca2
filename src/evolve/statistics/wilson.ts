/** A proportion with its 95 % Wilson score interval. `n` is the number of trials; all rates lie in 0..1. */
export interface Proportion {
  successes: number;
  n: number;
  rate: number;
  lower: number;
  upper: number;
}

/** Two-sided 95 % quantile of the normal distribution. */
const Z = 1.959963984540054;

/**
 * Returns the Wilson score interval (E. B. Wilson 1927). It stays inside 0..1 and is realistic for the three or four
 * tries of a typical lesson, for which the textbook interval collapses to a point. Without trials: rate 0, interval
 * 0..1.
 */
export function wilson(successes: number, n: number): Proportion {
  if (n <= 0) return { successes: 0, n: 0, rate: 0, lower: 0, upper: 1 };
  const s = Math.min(Math.max(successes, 0), n);
  const rate = s / n;
  const z2 = Z * Z;
  const centre = rate + z2 / (2 * n);
  const margin = Z * Math.sqrt((rate * (1 - rate) + z2 / (4 * n)) / n);
  const scale = 1 + z2 / n;
  // Clamped to the point estimate: at 0 and at n, rounding of the square root would exclude it.
  return {
    successes: s,
    n,
    rate,
    lower: Math.min(rate, Math.max(0, (centre - margin) / scale)),
    upper: Math.max(rate, Math.min(1, (centre + margin) / scale)),
  };
}
