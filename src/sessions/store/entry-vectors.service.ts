import { Inject, Injectable } from '@nestjs/common';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import { roundRobin } from '../../platform/background/round-robin.js';
import { compareText } from '../../platform/base/compare-text.js';
import { dotProduct } from '../../platform/base/dot-product.js';
import { EmbedderUnavailable } from '../../recall/embedding/embedder.js';
import { ServedEmbedder } from '../../recall/embedding/served-embedder.js';
import { EMBEDDER } from '../../recall/index/memory-vectors.service.js';
import type { EntryRow } from './stored-entry.js';

/** Vectors that are kept, by the embedder and the hash of what an entry says. */
const MOST_KEPT = 20_000;
/** Entries that one recall embeds; the next one embeds more. */
const MOST_AT_ONCE = 256;

/** Finds entries by the embedder of the recall settings. Vectors are kept in memory: they are derived, and few. */
@Injectable()
export class EntryVectors {
  private readonly vectors = new FifoCache<Float32Array>(MOST_KEPT);

  constructor(@Inject(EMBEDDER) private readonly embedder: ServedEmbedder) {}

  /** The weight of this ranking beside that of the words. */
  get weight(): number {
    return this.embedder.weight;
  }

  /** The ids of similar entries, best first; none while the embedder is unavailable. */
  async similar(entries: readonly EntryRow[], query: string): Promise<string[]> {
    try {
      return await this.rank(entries, query);
    } catch (error) {
      if (error instanceof EmbedderUnavailable) return [];
      throw error;
    }
  }

  private async rank(entries: readonly EntryRow[], query: string): Promise<string[]> {
    // Read once: vectors of different embedders are never compared.
    const { embedder } = this.embedder.current;
    const keyOf = ({ contentSha256 }: EntryRow) => `${embedder.name} ${contentSha256}`;
    const missing = entries.filter((entry) => !this.vectors.get(keyOf(entry)));
    const unknown = roundRobin(missing, ({ agentId }) => agentId).slice(0, MOST_AT_ONCE);
    const [wanted] = await embedder.embed([query]);
    const made = unknown.length > 0 ? await embedder.embed(unknown.map(textOf)) : [];
    for (const [at, entry] of unknown.entries()) {
      const vector = made[at];
      if (vector) this.vectors.set(keyOf(entry), vector);
    }
    if (!wanted) return [];
    return entries
      .flatMap((entry) => {
        const vector = this.vectors.get(keyOf(entry));
        const similarity = vector ? dotProduct(wanted, vector) : 0;
        return similarity >= embedder.minSimilarity ? [{ id: entry.id, similarity }] : [];
      })
      .sort((a, b) => b.similarity - a.similarity || compareText(a.id, b.id))
      .map(({ id }) => id);
  }
}

const textOf = ({ content, tags }: EntryRow): string => `${content}\n${tags.join(' ')}`;
