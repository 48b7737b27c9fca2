import {
  type LiveMemory,
  type Reader,
  type RecallableMemory,
  visibilityGroupOf,
  visibilityGroupsFor,
} from '../../memory/store/recallable-memory.js';
import { relevanceOfScore } from '../ranking/ranking.js';
import { queryTerms, termsOf } from '../ranking/terms.js';
import { Bm25Index } from './bm25-index.js';

export interface IndexHit {
  readonly id: string;
  /** In [0, 1]. */
  readonly relevance: number;
}

/** Indexes live memories by their words. A memory without a visibility group is not indexed, so no reader finds it. */
export class MemoryIndex {
  private readonly words = new Bm25Index();

  get size(): number {
    return this.words.size;
  }

  put(memory: LiveMemory): void {
    const group = visibilityGroupOf(memory);
    if (group === undefined) this.words.remove(memory.id);
    else this.words.add(memory.id, group, memoryTerms(memory));
  }

  remove(id: string): void {
    this.words.remove(id);
  }

  /** Returns the best matches that this reader may see, best first. */
  search(reader: Reader, query: string, limit: number): IndexHit[] {
    const { hits, meanWeight } = this.words.search(queryTerms(query), visibilityGroupsFor(reader), limit);
    return hits.map(({ id, score }) => ({ id, relevance: relevanceOfScore(score, meanWeight) }));
  }
}

/** The terms of a memory. Its discovery counts twice, since it was written to be searched for. */
export function memoryTerms({ lesson, skillName }: Pick<RecallableMemory, 'lesson' | 'skillName'>): string[] {
  const { condition, action, rationale } = lesson.activation;
  const about = termsOf(lesson.discovery);
  const rest = [skillName ?? '', condition, action, rationale, ...lesson.steps];
  return [...about, ...about, ...termsOf([...rest, ...lesson.tags].join('\n'))];
}
