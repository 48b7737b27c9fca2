/** The dot product of two vectors of one length; of unit vectors, their cosine. */
export function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
