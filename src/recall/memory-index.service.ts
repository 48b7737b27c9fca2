import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { MemoryEntry } from '../memory/memory.schema.js';
import { MemoryReading } from '../memory/memory-reading.service.js';
import type { Change, Reader } from '../memory/readable.js';
import { Clock } from '../platform/clock.js';
import { type FoundId, MemoryIndex } from './memory-index.js';
import { MemoryVectors } from './memory-vectors.service.js';

const HOUR = 3_600_000;
/** A process that has not looked for so long may have missed what others have cleared away: it builds anew. */
const REBUILD_AFTER_MS = 12 * HOUR;
/** A cursor that no change is at or after. */
const NO_CHANGES = 2n ** 62n;
const KEEP_CHANGES_MS = 48 * HOUR;

/**
 * The index beside the database: built at the start, and brought up to date before every search with what any process
 * has committed since. The database stays the authority: what is found is read from it again before it is told.
 */
@Injectable()
export class MemorySearch implements OnApplicationBootstrap {
  private readonly logger = new Logger(MemorySearch.name);
  private index = new MemoryIndex();
  private cursor: bigint | undefined;
  private caughtUpAt = 0;
  /** Another one whenever the index has changed. */
  private revision = 0;
  private applied = new Set<string>();
  private running: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;

  constructor(
    private readonly memories: MemoryReading,
    private readonly vectors: MemoryVectors,
    private readonly clock: Clock,
  ) {}

  get size(): number {
    return this.index.size;
  }

  onApplicationBootstrap(): Promise<void> {
    return this.catchUp();
  }

  /** Memories are few enough to be held, and their changes need to be kept for processes that are behind only. */
  @Interval(HOUR)
  async forget(): Promise<void> {
    await this.memories.forgetChanges(new Date(this.clock.now().getTime() - KEEP_CHANGES_MS));
  }

  async search(reader: Reader, query: string, limit: number): Promise<FoundId[]> {
    await this.catchUp();
    return this.index.search(reader, query, limit);
  }

  /**
   * What the index finds, with the entries as the database has them. One statement answers for both what this reader
   * may see and whether the index was behind; where it was, it catches up and searches again.
   */
  async find(
    reader: Reader,
    query: string,
    limit: number,
  ): Promise<{ hits: FoundId[]; entries: readonly MemoryEntry[] }> {
    const now = this.clock.now().getTime();
    const { cursor, revision } = this;
    if (cursor !== undefined && now - this.caughtUpAt <= REBUILD_AFTER_MS) {
      const hits = this.index.search(reader, query, limit);
      const { entries, changes, areAll } = await this.memories.look(reader, idsOf(hits), cursor);
      if (areAll && revision === this.revision && changes.every((change) => this.applied.has(keyOf(change)))) {
        this.caughtUpAt = Math.max(this.caughtUpAt, now);
        return { hits, entries };
      }
    }
    const hits = await this.search(reader, query, limit);
    return { hits, entries: await this.memories.visible(reader, idsOf(hits)) };
  }

  /** Resolves when everything that was committed before the call is in. Calls that wait share one look. */
  catchUp(): Promise<void> {
    this.next ??= this.running
      .catch(() => {})
      .then(() => {
        this.next = undefined;
        this.running = this.follow();
        return this.running;
      });
    return this.next;
  }

  private async follow(): Promise<void> {
    const now = this.clock.now().getTime();
    if (this.cursor === undefined || now - this.caughtUpAt > REBUILD_AFTER_MS) await this.build();
    else await this.apply(this.cursor);
    this.caughtUpAt = now;
  }

  private async build(): Promise<void> {
    // From before the first page on: what changes while the pages are read is applied after them.
    const { cursor } = await this.memories.changes(NO_CHANGES);
    const index = new MemoryIndex();
    for await (const page of this.memories.all()) for (const memory of page) index.put(memory);
    this.index = index;
    this.revision += 1;
    this.applied = new Set();
    this.vectors.reset();
    await this.apply(cursor);
    if (index.size > 0) this.logger.log(`${index.size} memories can be found`);
  }

  private async apply(from: bigint): Promise<void> {
    const { cursor, changes } = await this.memories.changes(from);
    const fresh = changes.filter((change) => !this.applied.has(keyOf(change)));
    const ids = [...new Set(fresh.map(({ id }) => id))];
    if (ids.length > 0) this.revision += 1;
    for (let at = 0; at < ids.length; at += 1_000) {
      const some = ids.slice(at, at + 1_000);
      const live = new Map((await this.memories.live(some)).map((memory) => [memory.id, memory]));
      for (const id of some) {
        const memory = live.get(id);
        if (memory) {
          this.index.put(memory);
          this.vectors.put(memory);
        } else {
          this.index.remove(id);
          this.vectors.remove(id);
        }
      }
    }
    // Seen again until the oldest transaction that was running has ended: they need no second look.
    this.applied = new Set(changes.filter(({ transaction }) => transaction >= cursor).map(keyOf));
    this.cursor = cursor;
  }
}

const keyOf = ({ transaction, id }: Change): string => `${transaction} ${id}`;

const idsOf = (hits: readonly FoundId[]): string[] => hits.map(({ id }) => id);
