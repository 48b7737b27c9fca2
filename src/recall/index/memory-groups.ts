import {
  type LiveMemory,
  type Reader,
  visibilityGroupOf,
  visibilityGroupsFor,
} from '../../memory/store/recallable-memory.js';
import { memoryTerms } from '../ranking/searchable-text.js';
import { queryTerms } from '../ranking/terms.js';
import { Bm25Index, type Hit } from './bm25-index.js';
import { Bm25Scope } from './bm25-scope.js';
import { type GroupBuilder, type GroupReader, LoadedGroups } from './loaded-groups.js';
import type { MemoryCache } from './memory-cache.js';

export interface WordSearch {
  readonly hits: readonly Hit[];
  /** idf of a term among the memories that the reader may see, as of the search. */
  readonly rarityOf: (term: string) => number;
}

/** A group before it is searched. Its memories are ready for delivery as they are read. */
interface GroupWords extends GroupBuilder<LiveMemory> {
  readonly words: Bm25Scope;
}

/** The live memories of the visibility groups that were asked for, by their words. */
export class MemoryGroups extends LoadedGroups<LiveMemory, GroupWords> {
  private readonly words = new Bm25Index();

  constructor(
    mostBytes: number,
    reader: GroupReader<LiveMemory>,
    private readonly memories: MemoryCache,
    onLoad?: (group: string) => void,
  ) {
    super(mostBytes, reader, onLoad);
  }

  /** The number of memories. */
  get size(): number {
    return this.words.size;
  }

  /** Returns the best matches that this reader may see, best first. Its groups are loaded. */
  search(reader: Reader, query: string, limit: number): WordSearch {
    const groups = visibilityGroupsFor(reader);
    const { hits } = this.words.search(queryTerms(query), groups, limit);
    return { hits, rarityOf: this.words.rarityIn(groups) };
  }

  protected newBuilder(group: string): GroupWords {
    const words = new Bm25Scope(group);
    return {
      words,
      put: (memory) => {
        words.add(memory.id, memoryTerms(memory));
        this.memories.put(memory);
      },
      remove: (id) => words.remove(id),
    };
  }

  protected adopt({ words }: GroupWords): void {
    this.words.putScope(words);
  }

  protected discard(group: string): void {
    this.words.dropScope(group);
  }

  protected discardAll(): void {
    this.memories.clear();
  }

  protected groupOf(memory: LiveMemory): string | undefined {
    return visibilityGroupOf(memory);
  }

  protected groupHolding(id: string): string | undefined {
    return this.words.scopeHolding(id);
  }

  protected putItem(memory: LiveMemory, group: string): void {
    this.words.add(memory.id, group, memoryTerms(memory));
    this.memories.put(memory);
  }

  protected removeItem(id: string): void {
    this.words.remove(id);
    this.memories.remove(id);
  }

  protected bytesOf(group: string): number {
    return this.words.bytesOf(group);
  }
}
