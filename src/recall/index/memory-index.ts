import {
  type LiveMemory,
  type Reader,
  type RecallableMemory,
  visibilityGroupOf,
  visibilityGroupsFor,
} from '../../memory/store/recallable-memory.js';
import { searchableText } from '../ranking/searchable-text.js';
import { queryTerms, termsOf } from '../ranking/terms.js';
import { Bm25Index, type Hit } from './bm25-index.js';
import { Bm25Scope } from './bm25-scope.js';

export interface WordSearch {
  readonly hits: readonly Hit[];
  /** idf of a term among the memories that the reader may see, as of the search. */
  readonly rarityOf: (term: string) => number;
}

/**
 * Indexes live memories by their words, each in its visibility group. A memory without one is not indexed, so no reader
 * finds it.
 */
export class MemoryIndex {
  private readonly words = new Bm25Index();

  /** The number of memories. */
  get size(): number {
    return this.words.size;
  }

  /** Approximate bytes of a group in memory. */
  bytesOf(group: string): number {
    return this.words.bytesOf(group);
  }

  groupHolding(id: string): string | undefined {
    return this.words.scopeHolding(id);
  }

  put(memory: LiveMemory): void {
    const group = visibilityGroupOf(memory);
    if (group === undefined) this.words.remove(memory.id);
    else this.words.add(memory.id, group, memoryTerms(memory));
  }

  remove(id: string): void {
    this.words.remove(id);
  }

  /** Replaces all memories of a group by these. */
  putGroup(group: GroupIndex): void {
    this.words.putScope(group.words);
  }

  dropGroup(group: string): void {
    this.words.dropScope(group);
  }

  /** Returns the best matches that this reader may see, best first. */
  search(reader: Reader, query: string, limit: number): WordSearch {
    const groups = visibilityGroupsFor(reader);
    const { hits } = this.words.search(queryTerms(query), groups, limit);
    return { hits, rarityOf: this.words.rarityIn(groups) };
  }
}

/** The memories of one group before they are put into an index. */
export class GroupIndex {
  readonly words: Bm25Scope;

  /** `onPut` gets each memory as it is put. */
  constructor(
    group: string,
    private readonly onPut: (memory: LiveMemory) => void = () => undefined,
  ) {
    this.words = new Bm25Scope(group);
  }

  put(memory: LiveMemory): void {
    this.words.add(memory.id, memoryTerms(memory));
    this.onPut(memory);
  }

  remove(id: string): void {
    this.words.remove(id);
  }
}

/** The terms of a memory. Its discovery and its error line count twice, since they are what a search asks for. */
export function memoryTerms(memory: Pick<RecallableMemory, 'lesson' | 'skillName'>): string[] {
  const { about, rest } = searchableText(memory);
  const terms = termsOf(about.join('\n'));
  return [...terms, ...terms, ...termsOf([...rest, ...memory.lesson.tags].join('\n'))];
}
