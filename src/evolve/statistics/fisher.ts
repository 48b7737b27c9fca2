import { logChoose } from './log-factorial.js';
import type { Tries } from './newcombe.js';

/** Tables whose probability is equal apart from rounding count as equally unlikely. */
const EQUAL = 1e-7;

/**
 * Returns the two-sided p of Fisher's exact test that both sides work equally often: the sum of the probabilities of all
 * tables with these margins that are at most as likely as this one. 1 without tries on both sides.
 */
export function fisherExact(a: Tries, b: Tries): number {
  if (a.n === 0 || b.n === 0) return 1;
  const worked = a.worked + b.worked;
  const all = logChoose(a.n + b.n, worked);
  const probability = (first: number): number => Math.exp(logChoose(a.n, first) + logChoose(b.n, worked - first) - all);
  const own = probability(a.worked) * (1 + EQUAL);
  let p = 0;
  for (let first = Math.max(0, worked - b.n); first <= Math.min(a.n, worked); first++) {
    const one = probability(first);
    if (one <= own) p += one;
  }
  return Math.min(1, p);
}
