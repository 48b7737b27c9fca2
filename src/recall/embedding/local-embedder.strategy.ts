import type { Embedder } from './embedder.js';
import { HASHED_NAME, hashedEmbedding } from './hashed-embedding.js';

/**
 * Works without a network, a download or a model. Its vectors repeat the signal of the keywords, so its weight in a fusion
 * is smaller than one rank of the keyword search: it adds memories that keywords miss and never reorders the others
 * (docs/recall-internals.md).
 */
export class LocalEmbedder implements Embedder {
  readonly name = HASHED_NAME;
  readonly knowsMeaning = false;
  readonly minSimilarity = 0.15;
  readonly weight = 0.002;

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    return texts.map(hashedEmbedding);
  }
}
