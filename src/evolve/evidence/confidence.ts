import { type Arm, type Check, pairOf } from '../../evidence/predicate/check.schema.js';

/**
 * Tries that each side is given beside its own, half of which worked, so that few tries say little. Of what was done
 * otherwise fewer: without any, little is known. Compared on draws of halves of the measured sets (`npm run
 * bench:transfer`).
 */
const GIVEN = { with: 2, without: 1.2 } as const;
/** A logistic function with this slope is within 0.01 of the normal distribution (Bowling et al. 2009). */
const SLOPE = 1.702;
/**
 * How much of the log-odds above the usual threshold remains (Platt 1999), and the highest confidence. Of lessons
 * that were learned from halves of the measured sets, of those surest of themselves 91 of 98 held on the other half, and
 * hardly fewer of those less sure: what is learned is chosen among many, and other executions differ. The threshold stays
 * where it is.
 */
const CALIBRATED = { slope: 0.3, around: Math.log(0.8 / 0.2), highest: 0.94 } as const;

/**
 * The one confidence in a lesson, 0..1: how probable it is that its remedy works more often on other executions than what
 * is done without it. From the pair that the reviewer sees.
 */
export function confidenceOf(check: Check): number {
  const pair = pairOf(check);
  const [taught, other] = [shrunk(pair.with, GIVEN.with), shrunk(pair.without, GIVEN.without)];
  const z = (taught.rate - other.rate) / Math.sqrt(taught.variance + other.variance);
  const { slope, around, highest } = CALIBRATED;
  const logOdds = SLOPE * z;
  const shown = logOdds - (1 - slope) * Math.max(0, logOdds - around);
  return Math.min(highest, 1 / (1 + Math.exp(-shown)));
}

function shrunk(arm: Arm, given: number): { readonly rate: number; readonly variance: number } {
  const n = arm.n + given;
  const rate = (arm.worked + given / 2) / n;
  return { rate, variance: (rate * (1 - rate)) / (n + 1) };
}
