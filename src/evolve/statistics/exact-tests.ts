import type { Tries } from './newcombe.js';

/**
 * Returns the two-sided p of the exact sign test: how likely `better` against `worse`, or something more uneven, is if
 * both are equally likely. 1 without any.
 */
export function signTest(better: number, worse: number): number {
  const n = better + worse;
  const few = Math.min(better, worse);
  if (few * 2 === n) return 1;
  let p = 0;
  for (let k = 0; k <= few; k++) p += Math.exp(logChoose(n, k) - n * Math.LN2);
  return Math.min(1, 2 * p);
}

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

/** Natural logarithms of 0!, 1!, 2!, … as far as they were needed. */
const logs: number[] = [0];

/** Returns the natural logarithm of the factorial of a whole number from 0. */
function logFactorial(n: number): number {
  for (let next = logs.length; next <= n; next++) logs.push((logs[next - 1] ?? 0) + Math.log(next));
  return logs[n] ?? 0;
}

/** Returns the natural logarithm of the number of ways to choose `k` of `n`. */
const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k);
