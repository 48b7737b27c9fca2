/** What turns texts into vectors that lie near each other when the texts mean the same (spec R2, R8). */
export interface Embedder {
  /** Names the model and its version: vectors of another name are not compared with its own, and are made anew. */
  readonly name: string;
  /** The least cosine at which a text answers another one; the threshold of this source, before any fusion. */
  readonly minSimilarity: number;
  /** How much its order counts in a fusion, beside 1 for the words. */
  readonly weight: number;
  /**
   * A vector of length one for each text, in their order, all of one number of dimensions. Throws EmbedderUnavailable
   * where it cannot answer now; anything else that it throws is its own error.
   */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
}

/** Expected of what is asked over a network: it is down, too slow, or refuses. Words find memories meanwhile. */
export class EmbedderUnavailable extends Error {
  override readonly name = 'EmbedderUnavailable';
}

/** The vector with length one, in place; one without a direction stays as it is. */
export function toLengthOne(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (length > 0) for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length;
  return vector;
}
