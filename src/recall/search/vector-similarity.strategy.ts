import { Inject, Injectable } from '@nestjs/common';
import { sha256 } from '../../platform/base/canonical-json.js';
import { dotProduct } from '../../platform/base/dot-product.js';
import { Database } from '../../platform/database/database.js';
import type { Embedder } from '../embedding/embedder.js';
import { embeddedText } from '../index/embedded-text.js';
import { MemoryVectorRepository } from '../index/memory-vector.repository.js';
import { EMBEDDER, MemoryVectors } from '../index/memory-vectors.service.js';
import type { Comparable, Comparison, SimilarityStrategy } from './similarity.js';
import { similarityOfWords } from './word-similarity.strategy.js';

/**
 * The cosine of the stored vectors, which are of unit length; opposite directions count as 0. No text is embedded while a
 * recall waits: a pair of which one has no current vector is compared by words, and a warning says how many have none.
 */
@Injectable()
export class VectorSimilarity implements SimilarityStrategy {
  readonly name = 'cosine';

  constructor(
    @Inject(EMBEDDER) private readonly embedder: Embedder,
    private readonly stored: MemoryVectorRepository,
    private readonly vectors: MemoryVectors,
    private readonly database: Database,
  ) {}

  async compare(memories: readonly Comparable[]): Promise<Comparison> {
    this.vectors.enable();
    const vectors = await this.vectorsOf(memories);
    const without = vectors.filter((vector) => vector === undefined).length;
    const byWords = similarityOfWords(memories);
    return {
      similarity: (a, b) => {
        const [x, y] = [vectors[a], vectors[b]];
        return x !== undefined && y?.length === x.length ? Math.min(1, Math.max(0, dotProduct(x, y))) : byWords(a, b);
      },
      warnings:
        without === 0 ? [] : [`${without} of ${memories.length} candidates have no vector yet: words compare them.`],
    };
  }

  /** The vector of each memory by the configured embedder, of its present text. */
  private async vectorsOf(memories: readonly Comparable[]): Promise<(Float32Array | undefined)[]> {
    const ids = memories.map(({ id }) => id);
    const rows = ids.length === 0 ? [] : await this.stored.find(this.database.client, this.embedder.name, ids);
    const byId = new Map(rows.map((row) => [row.memoryId, row]));
    return memories.map((memory) => {
      const row = byId.get(memory.id);
      return row?.textSha256 === sha256(embeddedText(memory)) ? row.vector : undefined;
    });
  }
}
