/** Turns texts into vectors. Vectors of texts with similar meaning lie near each other. */
export interface Embedder {
  /** The model and its version. Vectors of different names are never compared; a new name re-embeds every memory. */
  readonly name: string;
  /** The minimum cosine of a match. This threshold applies to this source alone, before any fusion. */
  readonly minSimilarity: number;
  /**
   * True if texts without a common word can have a high cosine because they mean the same. Otherwise the words that query
   * and memory share judge what was found.
   */
  readonly knowsMeaning: boolean;
  /** The weight of this source's ranking in a fusion; keyword search has 1. */
  readonly weight: number;
  /**
   * Returns a unit vector for each text, in the same order and with the same number of dimensions. Throws
   * EmbedderUnavailable if it cannot answer now; any other error is a fault of the embedder.
   */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
}

/** The embedder is unreachable, too slow or refuses. This is expected of a network service, so it is not a fault. */
export class EmbedderUnavailable extends Error {
  override readonly name = 'EmbedderUnavailable';
}

/** Scales the vector to length one, in place, and returns it. A zero vector stays unchanged. */
export function toLengthOne(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (length > 0) for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length;
  return vector;
}
