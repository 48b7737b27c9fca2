import { groupOf, groupsOf, type LiveMemory, type Reader, type Tellable } from '../../memory/store/readable.js';

/** About what one memory takes beside its texts, in bytes. */
const OVERHEAD = 500;

interface HeldMemory {
  readonly memory: Tellable;
  readonly group: string;
  readonly bytes: number;
}

/** Live memories as they are told, as many as there is room for: the oldest give way, and are read when they are found. */
export class HeldMemories {
  private readonly byId = new Map<string, HeldMemory>();
  private bytes = 0;

  constructor(private readonly mostBytes: number) {}

  /** What stands in no group is not held: nobody may see it. */
  put(memory: LiveMemory): void {
    this.remove(memory.id);
    const group = groupOf(memory);
    if (group === undefined) return;
    const bytes = bytesOf(memory);
    this.byId.set(memory.id, { memory, group, bytes });
    this.bytes += bytes;
    for (const [oldest] of this.byId) {
      if (this.bytes <= this.mostBytes) return;
      this.remove(oldest);
    }
  }

  remove(id: string): void {
    this.bytes -= this.byId.get(id)?.bytes ?? 0;
    this.byId.delete(id);
  }

  /** Those of them that this reader may see, and the ids of which nothing is known here. */
  pick(reader: Reader, ids: readonly string[]): { readonly seen: Tellable[]; readonly unknown: string[] } {
    const groups = groupsOf(reader);
    const seen: Tellable[] = [];
    const unknown: string[] = [];
    for (const id of ids) {
      const held = this.byId.get(id);
      if (!held) unknown.push(id);
      else if (groups.includes(held.group)) seen.push(held.memory);
    }
    return { seen, unknown };
  }
}

function bytesOf({ lesson }: Tellable): number {
  const { discovery, activation, steps, tags } = lesson;
  const texts = [discovery, activation.condition, activation.action, activation.rationale, ...steps, ...tags];
  return texts.reduce((sum, text) => sum + text.length, OVERHEAD);
}
