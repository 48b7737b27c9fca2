import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MemoryReadService } from '../../memory/store/memory-read.service.js';
import {
  type LiveMemory,
  type MemoryCursor,
  type Reader,
  type RecallableMemory,
  visibilityGroupsFor,
} from '../../memory/store/recallable-memory.js';
import { Batcher } from '../../platform/background/batcher.js';
import { FreshCache, type FreshnessStamp, freshnessStampOf } from '../../platform/background/fresh-cache.js';
import { ServerProcesses } from '../../platform/background/server-processes.service.js';
import { Clock } from '../../platform/base/clock.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import { Database } from '../../platform/database/database.js';
import { MemoryCache } from './memory-cache.js';
import { MemoryGroups, type WordSearch } from './memory-groups.js';
import { MemoryVectors } from './memory-vectors.service.js';

/** After this time without a refresh, other processes may have deleted change rows, so every index is read again. */
const REBUILD_AFTER_MS = 12 * HOUR_MS;
const KEEP_CHANGES_MS = 48 * HOUR_MS;
/** Changes of other processes are visible within this time; changes of this process at once. */
export const MAX_STALENESS_MS = 250;
/** Bytes of the texts of memories that are ready for delivery; the others are read when they are found. */
const CACHE_BYTES = 128 * 1024 * 1024;
/**
 * Bytes of all indexes by the estimate of `Bm25Scope`: about 150,000 memories in small groups. With the texts and the
 * program itself (about 300 MB) the process stays below 1 GB.
 */
const INDEX_BYTES = 256 * 1024 * 1024;

/**
 * The in-memory copy of live memories with a keyword index for each visibility group: loaded when a reader first asks for
 * it, and updated with the commits of all processes. The database remains authoritative for every change and for memories
 * that are not cached.
 */
@Injectable()
export class MemorySearch implements OnApplicationBootstrap {
  private readonly memories = new MemoryCache(CACHE_BYTES);
  private readonly groups: MemoryGroups;
  private readonly freshness: FreshCache<void>;
  /** Increases with every change of the copy. */
  private revision = 0;
  private cursor: MemoryCursor | undefined;
  private caughtUpAt = 0;
  /** A failed refresh fails for all waiting callers, since the database is unavailable for each of them. */
  private readonly refresher = new Batcher<void, void>(
    Number.POSITIVE_INFINITY,
    async (all) => {
      await this.refresh();
      return all;
    },
    { onBatchFailure: 'together' },
  );

  constructor(
    private readonly reading: MemoryReadService,
    private readonly vectors: MemoryVectors,
    private readonly clock: Clock,
    private readonly database: Database,
    processes: ServerProcesses,
  ) {
    const reader = {
      all: (group: string) => reading.allOfGroup(group),
      some: (group: string, ids: readonly string[]) => reading.live(ids, group),
    };
    this.groups = new MemoryGroups(INDEX_BYTES, reader, this.memories, () => {
      this.revision += 1;
    });
    processes.describe(async () => ({ indexBehind: await this.behind() }));
    this.freshness = new FreshCache(
      () => freshnessStampOf(database, clock),
      MAX_STALENESS_MS,
      () => this.catchUp(),
    );
  }

  /** The freshness stamp for data that is read together with the memories and must not be older. */
  moment(): FreshnessStamp {
    const { at, endedTransactions } = freshnessStampOf(this.database, this.clock);
    return { at, endedTransactions: endedTransactions + this.revision };
  }

  /** Only finds the place from which changes are read: no memory is read before a recall asks for it. */
  onApplicationBootstrap(): Promise<void> {
    return this.catchUp();
  }

  /** Deletes old change rows. Only processes that are behind need them. */
  @Interval(HOUR_MS)
  async pruneChanges(): Promise<void> {
    await this.reading.deleteChanges(new Date(this.clock.now().getTime() - KEEP_CHANGES_MS));
  }

  async search(reader: Reader, query: string, limit: number): Promise<WordSearch> {
    const groups = visibilityGroupsFor(reader);
    const unpin = this.groups.pin(groups);
    try {
      // Before a load too: changes are noted from the place on that the first refresh finds.
      await this.freshness.get();
      while (!this.groups.use(groups)) {
        await this.groups.load(groups);
        await this.freshness.get();
      }
      return this.groups.search(reader, query, limit);
    } finally {
      unpin();
    }
  }

  /** Returns the memories that this reader may see, as of the last search or later. */
  async visible(reader: Reader, ids: readonly string[]): Promise<readonly RecallableMemory[]> {
    const { seen, unknown } = this.memories.pick(reader, ids);
    return unknown.length === 0 ? seen : [...seen, ...(await this.reading.visible(reader, unknown))];
  }

  /** Resolves when the copy includes everything committed before the call. Waiting callers share one refresh. */
  catchUp(): Promise<void> {
    return this.refresher.submit();
  }

  /** The number of changes that this copy has not read. */
  private async behind(): Promise<number> {
    return this.cursor === undefined ? 0 : this.reading.countChanges(this.cursor);
  }

  private async refresh(): Promise<void> {
    const now = this.clock.now().getTime();
    if (this.cursor === undefined || now - this.caughtUpAt > REBUILD_AFTER_MS) await this.startAgain();
    else await this.apply(this.cursor);
    this.caughtUpAt = now;
  }

  private async startAgain(): Promise<void> {
    this.cursor = await this.reading.cursor();
    this.groups.reset();
    this.revision += 1;
    this.vectors.reset();
  }

  private async apply(from: MemoryCursor): Promise<void> {
    const { cursor, changes } = await this.reading.changes(from);
    const ids: string[] = [];
    for (const { id, group, isLive } of changes) {
      if (isLive) this.vectors.noteChange(id, group);
      else this.vectors.remove(id);
      if (this.groups.noteChange(id, group)) ids.push(id);
    }
    if (changes.length > 0) this.revision += 1;
    for (let at = 0; at < ids.length; at += 1_000) {
      const some = ids.slice(at, at + 1_000);
      const live = new Map((await this.reading.live(some)).map((memory) => [memory.id, memory]));
      for (const id of some) this.applyChange(id, live.get(id));
    }
    this.cursor = cursor;
  }

  private applyChange(id: string, memory: LiveMemory | undefined): void {
    this.revision += 1;
    if (memory) this.groups.put(memory);
    else this.groups.remove(id);
  }
}
