/** Reads what a visibility group holds. */
export interface GroupReader<Item> {
  /** All of it, page by page. */
  all(group: string): AsyncIterable<readonly Item[]>;
  /** Those of these memories that are in the group. */
  some(group: string, ids: readonly string[]): Promise<readonly Item[]>;
}

/** A group while it is read, before a search can find it. */
export interface GroupBuilder<Item> {
  put(item: Item): void;
  remove(id: string): unknown;
}

interface Load {
  /** Memories of any group that changed since the load began: what was read of them may be out of date. */
  readonly changed: Set<string>;
  readonly done: Promise<void>;
}

/**
 * What a process holds of the visibility groups that were asked for, up to a number of bytes. Those that were not searched
 * for the longest time are evicted first, but none that a search has pinned.
 *
 * A load misses no change: every change that a refresh reads meanwhile is noted, and read again before the group counts
 * as loaded. A change that no refresh has read yet comes with a later one.
 */
export abstract class LoadedGroups<
  Item extends { readonly id: string },
  Builder extends GroupBuilder<Item> = GroupBuilder<Item>,
> {
  /** The bytes of each loaded group, least recently searched first. */
  private readonly loaded = new Map<string, number>();
  private readonly loading = new Map<string, Load>();
  private readonly pins = new Map<string, number>();
  private bytes = 0;
  /** Increases when everything is dropped. A load that began before is of no use. */
  private generation = 0;

  constructor(
    private readonly mostBytes: number,
    private readonly reader: GroupReader<Item>,
    private readonly onLoad: (group: string) => void = () => undefined,
  ) {}

  /** Least recently searched first. */
  get names(): string[] {
    return [...this.loaded.keys()];
  }

  protected abstract newBuilder(group: string): Builder;
  /** Takes a group that was read as a whole, in place of what is held of it. */
  protected abstract adopt(built: Builder): void;
  protected abstract discard(group: string): void;
  protected abstract discardAll(): void;
  protected abstract groupOf(item: Item): string | undefined;
  /** The loaded group that holds this memory. */
  protected abstract groupHolding(id: string): string | undefined;
  protected abstract putItem(item: Item, group: string): void;
  protected abstract removeItem(id: string): void;
  protected abstract bytesOf(group: string): number;

  /** Keeps these groups from being evicted until the returned function is called. */
  pin(groups: readonly string[]): () => void {
    for (const group of groups) this.pins.set(group, (this.pins.get(group) ?? 0) + 1);
    return () => {
      for (const group of groups) {
        const left = (this.pins.get(group) ?? 1) - 1;
        if (left > 0) this.pins.set(group, left);
        else this.pins.delete(group);
      }
      this.evict();
    };
  }

  /** Marks these groups as used if all are loaded; otherwise returns false. */
  use(groups: readonly string[]): boolean {
    if (!groups.every((group) => this.loaded.has(group))) return false;
    for (const group of groups) {
      const bytes = this.loaded.get(group) ?? 0;
      this.loaded.delete(group);
      this.loaded.set(group, bytes);
    }
    return true;
  }

  /** Loads those of these groups that are not loaded. Callers share one load. */
  async load(groups: readonly string[]): Promise<void> {
    await Promise.all(groups.filter((group) => !this.loaded.has(group)).map((group) => this.loadOnce(group)));
  }

  /**
   * Must be called for each change before anything else is awaited. Returns true if the memory is to be read, because its
   * group is loaded; otherwise it is forgotten.
   */
  noteChange(id: string, group: string | undefined): boolean {
    for (const { changed } of this.loading.values()) changed.add(id);
    if (group !== undefined && this.loaded.has(group)) return true;
    this.remove(id);
    return false;
  }

  /** Takes a memory as it was read after its change. Its group may have been evicted meanwhile. */
  put(item: Item): void {
    const group = this.groupOf(item);
    if (group === undefined || !this.loaded.has(group)) {
      this.remove(item.id);
      return;
    }
    const before = this.groupHolding(item.id);
    this.putItem(item, group);
    this.measure(group);
    if (before !== undefined && before !== group) this.measure(before);
    this.evict();
  }

  remove(id: string): void {
    const group = this.groupHolding(id);
    this.removeItem(id);
    if (group !== undefined) this.measure(group);
  }

  /** Drops everything, since changes may have been missed. */
  reset(): void {
    this.generation += 1;
    for (const group of [...this.loaded.keys()]) this.drop(group);
    this.loading.clear();
    this.discardAll();
  }

  private loadOnce(group: string): Promise<void> {
    const running = this.loading.get(group);
    if (running) return running.done;
    const changed = new Set<string>();
    const done = this.read(group, changed).finally(() => {
      if (this.loading.get(group)?.changed === changed) this.loading.delete(group);
    });
    this.loading.set(group, { changed, done });
    return done;
  }

  private async read(group: string, changed: Set<string>): Promise<void> {
    const { generation } = this;
    const built = this.newBuilder(group);
    for await (const page of this.reader.all(group)) {
      if (generation !== this.generation) return;
      for (const item of page) if (!changed.has(item.id)) built.put(item);
    }
    while (changed.size > 0) {
      const ids = [...changed];
      changed.clear();
      const found = new Map((await this.reader.some(group, ids)).map((item) => [item.id, item]));
      if (generation !== this.generation) return;
      for (const id of ids) {
        // Changed again meanwhile: it is read again.
        if (changed.has(id)) continue;
        const item = found.get(id);
        if (item) built.put(item);
        else built.remove(id);
      }
    }
    if (generation !== this.generation) return;
    this.adopt(built);
    this.loaded.set(group, 0);
    this.measure(group);
    this.onLoad(group);
    this.evict();
  }

  private measure(group: string): void {
    const before = this.loaded.get(group);
    if (before === undefined) return;
    const bytes = this.bytesOf(group);
    this.loaded.set(group, bytes);
    this.bytes += bytes - before;
  }

  private evict(): void {
    if (this.bytes <= this.mostBytes) return;
    for (const group of [...this.loaded.keys()]) {
      if (this.bytes <= this.mostBytes) return;
      if (!this.pins.has(group)) this.drop(group);
    }
  }

  private drop(group: string): void {
    this.bytes -= this.loaded.get(group) ?? 0;
    this.loaded.delete(group);
    this.discard(group);
  }
}
