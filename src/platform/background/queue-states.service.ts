import { Injectable } from '@nestjs/common';
import { Clock } from '../base/clock.js';
import { compareText } from '../base/compare-text.js';
import { SECOND_MS } from '../base/durations.js';
import { Database } from '../database/database.js';
import { Prisma } from '../generated/prisma/client.js';
import { FreshCache } from './fresh-cache.js';

/** Many readers, such as a page and a scraper of metrics, share one read. */
const MAX_AGE_MS = 5 * SECOND_MS;

/** The rows that wait for one kind of background work, in all processes together. */
interface QueueState {
  readonly name: string;
  readonly length: number;
  /** How long the oldest of them has waited, in seconds; null for an empty queue. */
  readonly oldestSeconds: number | null;
}

/** Selects one row of `length` (int) and `oldest` (timestamptz): of what can be worked on at `now`. */
export type QueueQuery = (now: Date) => Prisma.Sql;

/**
 * The lengths and ages of all queues. The owner of a queue registers the query; one statement reads them all, at most
 * once in five seconds, so that it may be called at any rate.
 */
@Injectable()
export class QueueStates {
  private readonly queries = new Map<string, QueueQuery>();
  private readonly cache: FreshCache<readonly QueueState[]>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    // Transactions of this process do not count: reading after each of them would not be cheap.
    const stamp = () => ({ at: clock.now().getTime(), endedTransactions: 0 });
    this.cache = new FreshCache(stamp, MAX_AGE_MS, () => this.readNow());
  }

  register(name: string, query: QueueQuery): void {
    this.queries.set(name, query);
  }

  /** Sorted by name; at most five seconds old. */
  read(): Promise<readonly QueueState[]> {
    return this.cache.get();
  }

  /** The state as it is now. */
  async readNow(): Promise<readonly QueueState[]> {
    if (this.queries.size === 0) return [];
    const now = this.clock.now();
    const parts = [...this.queries].map(
      ([name, query]) => Prisma.sql`SELECT ${name}::text AS "name", q."length", q."oldest" FROM (${query(now)}) q`,
    );
    const rows = await this.database.client.$queryRaw<{ name: string; length: number; oldest: Date | null }[]>(
      Prisma.join(parts, ' UNION ALL '),
    );
    return rows
      .map(({ name, length, oldest }) => ({ name, length, oldestSeconds: oldest && ageInSeconds(oldest, now) }))
      .sort((a, b) => compareText(a.name, b.name));
  }
}

/** Never negative: another process may be ahead by a little. */
const ageInSeconds = (since: Date, now: Date): number =>
  Math.max(0, Math.round((now.getTime() - since.getTime()) / SECOND_MS));
