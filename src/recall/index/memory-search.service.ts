import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MemoryReadService } from '../../memory/store/memory-read.service.js';
import type { LiveMemory, MemoryChange, Reader, RecallableMemory } from '../../memory/store/recallable-memory.js';
import { Batcher } from '../../platform/background/batcher.js';
import { FreshCache, type FreshnessStamp, freshnessStampOf } from '../../platform/background/fresh-cache.js';
import { Clock } from '../../platform/base/clock.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import { Database } from '../../platform/database/database.js';
import { ServerProcesses } from '../../platform/processes/server-processes.service.js';
import { MemoryCache } from './memory-cache.js';
import { type IndexHit, MemoryIndex } from './memory-index.js';
import { MemoryVectors } from './memory-vectors.service.js';

/** After this time without a refresh, other processes may have deleted change rows, so the index is rebuilt. */
const REBUILD_AFTER_MS = 12 * HOUR_MS;
/** A cursor after every possible change. */
const NO_CHANGES = 2n ** 62n;
const KEEP_CHANGES_MS = 48 * HOUR_MS;
/** Changes of other processes are visible within this time; changes of this process at once. */
export const MAX_STALENESS_MS = 250;
const CACHE_BYTES = 128 * 1024 * 1024;

/**
 * The in-memory copy of live memories with a keyword index: built at startup and updated with the commits of all
 * processes. The database remains authoritative for every change and for memories that are not cached.
 */
@Injectable()
export class MemorySearch implements OnApplicationBootstrap {
  private readonly logger = new Logger(MemorySearch.name);
  private index = new MemoryIndex();
  private memories = new MemoryCache(CACHE_BYTES);
  private readonly freshness: FreshCache<void>;
  /** Increases with every change of the copy. */
  private revision = 0;
  private cursor: bigint | undefined;
  private caughtUpAt = 0;
  private applied = new Set<string>();
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
    processes.describe(async () => ({ indexBehind: await this.behind() }));
    this.freshness = new FreshCache(
      () => freshnessStampOf(database, clock),
      MAX_STALENESS_MS,
      () => this.catchUp(),
    );
  }

  get size(): number {
    return this.index.size;
  }

  /** The freshness stamp for data that is read together with the memories and must not be older. */
  moment(): FreshnessStamp {
    const { at, endedTransactions } = freshnessStampOf(this.database, this.clock);
    return { at, endedTransactions: endedTransactions + this.revision };
  }

  onApplicationBootstrap(): Promise<void> {
    return this.catchUp();
  }

  /** Deletes old change rows. Only processes that are behind need them. */
  @Interval(HOUR_MS)
  async pruneChanges(): Promise<void> {
    await this.reading.deleteChanges(new Date(this.clock.now().getTime() - KEEP_CHANGES_MS));
  }

  async search(reader: Reader, query: string, limit: number): Promise<IndexHit[]> {
    await this.freshness.get();
    return this.index.search(reader, query, limit);
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
    if (this.cursor === undefined) return 0;
    const { changes } = await this.reading.changes(this.cursor);
    return changes.filter((change) => !this.applied.has(keyOf(change))).length;
  }

  private async refresh(): Promise<void> {
    const now = this.clock.now().getTime();
    if (this.cursor === undefined || now - this.caughtUpAt > REBUILD_AFTER_MS) await this.build();
    else await this.apply(this.cursor);
    this.caughtUpAt = now;
  }

  private async build(): Promise<void> {
    // Taken before the first page, so that changes during the reading are applied afterwards.
    const { cursor } = await this.reading.changes(NO_CHANGES);
    const [index, memories] = [new MemoryIndex(), new MemoryCache(CACHE_BYTES)];
    for await (const page of this.reading.all())
      for (const memory of page) {
        index.put(memory);
        memories.put(memory);
      }
    [this.index, this.memories] = [index, memories];
    this.revision += 1;
    this.applied = new Set();
    this.vectors.reset();
    await this.apply(cursor);
    if (index.size > 0) this.logger.log(`${index.size} memories indexed`);
  }

  private async apply(from: bigint): Promise<void> {
    const { cursor, changes } = await this.reading.changes(from);
    const fresh = changes.filter((change) => !this.applied.has(keyOf(change)));
    const ids = [...new Set(fresh.map(({ id }) => id))];
    for (let at = 0; at < ids.length; at += 1_000) {
      const some = ids.slice(at, at + 1_000);
      const live = new Map((await this.reading.live(some)).map((memory) => [memory.id, memory]));
      for (const id of some) this.applyChange(id, live.get(id));
    }
    // These changes are returned again until the oldest running transaction ends, and need no second read.
    this.applied = new Set(changes.filter(({ transaction }) => transaction >= cursor).map(keyOf));
    this.cursor = cursor;
  }

  private applyChange(id: string, memory: LiveMemory | undefined): void {
    this.revision += 1;
    if (memory) for (const store of [this.index, this.memories, this.vectors]) store.put(memory);
    else for (const store of [this.index, this.memories, this.vectors]) store.remove(id);
  }
}

const keyOf = ({ transaction, id }: MemoryChange): string => `${transaction} ${id}`;
