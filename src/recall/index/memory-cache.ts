import { partsOf } from '../../memory/store/lesson.schema.js';
import {
  type LiveMemory,
  type Reader,
  type RecallableMemory,
  visibilityGroupOf,
  visibilityGroupsFor,
} from '../../memory/store/recallable-memory.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';

/** Approximate bytes of a memory without its texts. */
const OVERHEAD = 500;

interface CachedMemory {
  readonly memory: RecallableMemory;
  readonly group: string;
  readonly bytes: number;
}

/** Live memories for delivery, up to a number of bytes. The oldest are evicted and then read from the database. */
export class MemoryCache {
  private byId: FifoCache<CachedMemory>;

  constructor(private readonly mostBytes: number) {
    this.byId = this.empty();
  }

  clear(): void {
    this.byId = this.empty();
  }

  /** Does not store a memory without a visibility group, since no reader may see it. */
  put(memory: LiveMemory): void {
    const group = visibilityGroupOf(memory);
    if (group === undefined) this.remove(memory.id);
    else this.byId.set(memory.id, { memory, group, bytes: bytesOf(memory) });
  }

  remove(id: string): void {
    this.byId.delete(id);
  }

  /** Returns the cached memories that this reader may see, and the ids that are not in the cache. */
  pick(reader: Reader, ids: readonly string[]): { readonly seen: RecallableMemory[]; readonly unknown: string[] } {
    const groups = visibilityGroupsFor(reader);
    const seen: RecallableMemory[] = [];
    const unknown: string[] = [];
    for (const id of ids) {
      const cached = this.byId.get(id);
      if (!cached) unknown.push(id);
      else if (groups.includes(cached.group)) seen.push(cached.memory);
    }
    return { seen, unknown };
  }

  private empty(): FifoCache<CachedMemory> {
    return new FifoCache(this.mostBytes, ({ bytes }) => bytes);
  }
}

function bytesOf({ lesson }: RecallableMemory): number {
  const { discovery, activation, steps, tags } = lesson;
  const texts = [discovery, activation.condition, activation.action, activation.rationale, ...steps, ...tags];
  const parts = partsOf(lesson);
  const partLength = Object.keys(parts).length === 0 ? 0 : JSON.stringify(parts).length;
  return texts.reduce((sum, text) => sum + text.length, OVERHEAD + partLength);
}
