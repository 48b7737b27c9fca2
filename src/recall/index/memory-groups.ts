import { type LiveMemory, visibilityGroupOf } from '../../memory/store/recallable-memory.js';
import { type GroupReader, LoadedGroups } from './loaded-groups.js';
import type { MemoryCache } from './memory-cache.js';
import { GroupIndex, MemoryIndex } from './memory-index.js';

/** The keyword indexes of the visibility groups that were asked for. */
export class MemoryGroups extends LoadedGroups<LiveMemory, GroupIndex> {
  readonly index = new MemoryIndex();

  constructor(
    mostBytes: number,
    reader: GroupReader<LiveMemory>,
    private readonly memories: MemoryCache,
    onLoad?: (group: string) => void,
  ) {
    super(mostBytes, reader, onLoad);
  }

  protected newBuilder(group: string): GroupIndex {
    return new GroupIndex(group, (memory) => this.memories.put(memory));
  }

  protected adopt(built: GroupIndex): void {
    this.index.putGroup(built);
  }

  protected discard(group: string): void {
    this.index.dropGroup(group);
  }

  protected discardAll(): void {
    this.memories.clear();
  }

  protected groupOf(memory: LiveMemory): string | undefined {
    return visibilityGroupOf(memory);
  }

  protected groupHolding(id: string): string | undefined {
    return this.index.groupHolding(id);
  }

  protected putItem(memory: LiveMemory): void {
    this.index.put(memory);
    this.memories.put(memory);
  }

  protected removeItem(id: string): void {
    this.index.remove(id);
    this.memories.remove(id);
  }

  protected bytesOf(group: string): number {
    return this.index.bytesOf(group);
  }
}
