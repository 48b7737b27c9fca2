import { logChoose } from './log-factorial.js';

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
