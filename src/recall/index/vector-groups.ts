import { type GroupBuilder, type GroupReader, LoadedGroups } from './loaded-groups.js';
import { VectorIndex } from './vector-index.js';

/** A live memory of a visibility group, with its vector if one of its present text is stored. */
export interface VectorEntry {
  readonly id: string;
  readonly group: string;
  readonly vector: Float32Array | undefined;
}

/** Approximate bytes of a memory that waits for its vector. */
const MISSING_BYTES = 200;

class GroupVectors implements GroupBuilder<VectorEntry> {
  readonly entries = new Map<string, VectorEntry>();

  constructor(readonly group: string) {}

  put(entry: VectorEntry): void {
    this.entries.set(entry.id, entry);
  }

  remove(id: string): void {
    this.entries.delete(id);
  }
}

/**
 * The vectors of the visibility groups that were asked for, by one embedder. A memory whose vector is not stored yet is
 * kept as missing, and read again.
 */
export class VectorGroups extends LoadedGroups<VectorEntry, GroupVectors> {
  readonly index: VectorIndex;
  /** By group, and the group of each. */
  private readonly missing = new Map<string, Set<string>>();
  private readonly groupOfMissing = new Map<string, string>();
  /** Memories of loaded groups that are to be read again. */
  private readonly outdated = new Set<string>();
  /** Those of them that are being read and have not changed meanwhile. */
  private reading = new Set<string>();

  constructor(dimensions: number, mostBytes: number, reader: GroupReader<VectorEntry>) {
    super(mostBytes, reader);
    this.index = new VectorIndex(dimensions);
  }

  /** The number of memories of these groups that have no vector. */
  missingIn(groups: readonly string[]): number {
    return groups.reduce((sum, group) => sum + (this.missing.get(group)?.size ?? 0), 0);
  }

  override noteChange(id: string, group: string | undefined): boolean {
    this.reading.delete(id);
    const isHeld = super.noteChange(id, group);
    if (isHeld) this.outdated.add(id);
    else this.outdated.delete(id);
    return isHeld;
  }

  /** Reads these memories again if they are missing: they may have a vector now. Without ids, all that are missing. */
  expect(ids: Iterable<string> = this.groupOfMissing.keys()): void {
    for (const id of ids) if (this.groupOfMissing.has(id)) this.outdated.add(id);
  }

  /** True if memories of loaded groups are to be read again. */
  get isOutdated(): boolean {
    return this.outdated.size > 0;
  }

  /** Reads up to `most` of the memories that are to be read again. Returns false if there is none. */
  async readAgain(most: number, read: (ids: readonly string[]) => Promise<readonly VectorEntry[]>): Promise<boolean> {
    const ids = [...this.outdated].slice(0, most);
    if (ids.length === 0) return false;
    this.reading = new Set(ids);
    const entries = new Map((await read(ids)).map((entry) => [entry.id, entry]));
    for (const id of this.reading) {
      this.outdated.delete(id);
      const entry = entries.get(id);
      if (entry) this.put(entry);
      else this.remove(id);
    }
    return true;
  }

  protected newBuilder(group: string): GroupVectors {
    return new GroupVectors(group);
  }

  protected adopt({ entries }: GroupVectors): void {
    for (const entry of entries.values()) this.putItem(entry);
  }

  protected discard(group: string): void {
    this.index.dropGroup(group);
    for (const id of this.missing.get(group) ?? []) this.groupOfMissing.delete(id);
    this.missing.delete(group);
  }

  protected discardAll(): void {
    this.outdated.clear();
    this.reading.clear();
  }

  protected groupOf({ group }: VectorEntry): string {
    return group;
  }

  protected groupHolding(id: string): string | undefined {
    return this.index.groupHolding(id) ?? this.groupOfMissing.get(id);
  }

  protected putItem({ id, group, vector }: VectorEntry): void {
    this.removeItem(id);
    if (vector) this.index.put(id, group, vector);
    else {
      this.groupOfMissing.set(id, group);
      const known = this.missing.get(group);
      if (known) known.add(id);
      else this.missing.set(group, new Set([id]));
    }
  }

  protected removeItem(id: string): void {
    this.index.remove(id);
    const group = this.groupOfMissing.get(id);
    if (group === undefined) return;
    this.groupOfMissing.delete(id);
    this.missing.get(group)?.delete(id);
  }

  protected bytesOf(group: string): number {
    return this.index.bytesOf(group) + (this.missing.get(group)?.size ?? 0) * MISSING_BYTES;
  }
}
