import { groupOf, groupsOf, type Reader, type Searchable } from '../memory/readable.js';
import { Bm25Index } from './bm25-index.js';
import { relevanceOfScore } from './ranking.js';
import { queryTerms, termsOf } from './terms.js';

export interface FoundId {
  readonly id: string;
  /** In [0, 1]. */
  readonly relevance: number;
}

/** Live memories by their words. What stands in no group is not put in, so that nobody finds it. */
export class MemoryIndex {
  private readonly words = new Bm25Index();

  get size(): number {
    return this.words.size;
  }

  put(memory: Searchable): void {
    const group = groupOf(memory);
    if (group === undefined) this.words.remove(memory.id);
    else this.words.add(memory.id, group, memoryTerms(memory));
  }

  remove(id: string): void {
    this.words.remove(id);
  }

  /** The best memories that this reader may see, best first. */
  search(reader: Reader, query: string, limit: number): FoundId[] {
    const { hits, meanWeight } = this.words.search(queryTerms(query), groupsOf(reader), limit);
    return hits.map(({ id, score }) => ({ id, relevance: relevanceOfScore(score, meanWeight) }));
  }
}

/** What a memory is about counts twice: its discovery is what it was written to be found by. */
export function memoryTerms(memory: Searchable): string[] {
  const about = termsOf(memory.discovery);
  const rest = [memory.skillName ?? '', memory.condition, memory.action, memory.rationale, ...memory.steps];
  return [...about, ...about, ...termsOf([...rest, ...memory.tags].join('\n'))];
}
