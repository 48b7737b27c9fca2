/** Standard deviation of the effects expected in advance, as a fraction: most skills move a rate by 5–20 points. */
const LIKELY_EFFECT = 0.1;

/**
 * Half width of a confidence sequence for an estimate: with probability `level` it covers the truth at every look,
 * however often people look and whenever they stop. The estimate and the result are fractions; `variance` is the square
 * of a fraction.
 *
 * The boundary is the normal mixture (Robbins 1970) as an asymptotic confidence sequence (Waudby-Smith, Arbour, Sinha,
 * Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences", 2024). The mixture test
 * of Johari, Koomen, Pekelis and Walsh, "Always valid inference", 2022, uses the same one. The mixture variance is
 * `LIKELY_EFFECT`². That constant decides where the sequence is narrowest, not whether it holds.
 *
 * The boundary assumes a known variance. This one is estimated with `degreesOfFreedom`, so the normal quantile is
 * replaced by Student's quantile of the same tail, in Wallace's approximation (Annals of Mathematical Statistics 30,
 * 1959).
 */
export function alwaysValidHalfWidth(variance: number, degreesOfFreedom: number, level: number): number {
  const mixture = LIKELY_EFFECT ** 2;
  const alpha = 1 - level;
  const normal = Math.sqrt(((variance + mixture) / mixture) * Math.log((variance + mixture) / (variance * alpha ** 2)));
  return studentFrom(normal, degreesOfFreedom) * Math.sqrt(variance);
}

function studentFrom(normal: number, df: number): number {
  const scaled = (normal * (8 * df + 3)) / (8 * df + 1);
  return Math.sqrt(df * Math.expm1(scaled ** 2 / df));
}
