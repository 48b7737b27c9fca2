import type { Embedder } from './embedder.js';
import { HASHED_NAME, hashedEmbedding } from './hashed-embedding.js';

/**
 * Works without a network, a download or a model. It repeats what the words say, so in a fusion its order counts for
 * less than one place of theirs: it adds what they do not find, and never moves what they do (docs/recall-internals.md).
 */
export class LocalEmbedder implements Embedder {
  readonly name = HASHED_NAME;
  readonly minSimilarity = 0.15;
  readonly weight = 0.002;

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    return texts.map(hashedEmbedding);
  }
}
