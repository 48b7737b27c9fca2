/** Natural logarithms of 0!, 1!, 2!, … as far as they were needed. */
const logs: number[] = [0];

/** Returns the natural logarithm of the factorial of a whole number from 0. */
export function logFactorial(n: number): number {
  for (let next = logs.length; next <= n; next++) logs.push((logs[next - 1] ?? 0) + Math.log(next));
  return logs[n] ?? 0;
}

/** Returns the natural logarithm of the number of ways to choose `k` of `n`. */
export const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k);
