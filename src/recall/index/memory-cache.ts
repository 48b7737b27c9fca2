import {
  type LiveMemory,
  type Reader,
  type RecallableMemory,
  visibilityGroupOf,
  visibilityGroupsFor,
} from '../../memory/store/recallable-memory.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';

/** About what one memory takes beside its texts, in bytes. */
const OVERHEAD = 500;

interface CachedMemory {
  readonly memory: RecallableMemory;
  readonly group: string;
  readonly bytes: number;
}

/** Live memories as they are told, as many as there is room for: the oldest give way, and are read when they are found. */
export class MemoryCache {
  private readonly byId: FifoCache<CachedMemory>;

  constructor(mostBytes: number) {
    this.byId = new FifoCache(mostBytes, ({ bytes }) => bytes);
  }

  /** What stands in no group is not held: nobody may see it. */
  put(memory: LiveMemory): void {
    const group = visibilityGroupOf(memory);
    if (group === undefined) this.remove(memory.id);
    else this.byId.set(memory.id, { memory, group, bytes: bytesOf(memory) });
  }

  remove(id: string): void {
    this.byId.delete(id);
  }

  /** Those of them that this reader may see, and the ids of which nothing is known here. */
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
}

function bytesOf({ lesson }: RecallableMemory): number {
  const { discovery, activation, steps, tags } = lesson;
  const texts = [discovery, activation.condition, activation.action, activation.rationale, ...steps, ...tags];
  return texts.reduce((sum, text) => sum + text.length, OVERHEAD);
}
