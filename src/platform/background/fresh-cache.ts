import type { Clock } from '../base/clock.js';
import type { Database } from '../database/database.js';

/** When a value was read: the clock, and the number of transactions that this process had ended. */
export interface FreshnessStamp {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly endedTransactions: number;
}

export const freshnessStampOf = (database: Pick<Database, 'endedTransactions'>, clock: Clock): FreshnessStamp => ({
  at: clock.now().getTime(),
  endedTransactions: database.endedTransactions,
});

/**
 * True if a value read at `then` may still be used at `now`: this process has ended no transaction since, and at most
 * `maxAgeMs` milliseconds have passed, in which other processes may have written. A clock that was set back makes every
 * value stale.
 */
export const isFresh = (then: FreshnessStamp, now: FreshnessStamp, maxAgeMs: number): boolean =>
  then.endedTransactions === now.endedTransactions && now.at >= then.at && now.at - then.at <= maxAgeMs;

interface CachedRead<T> {
  readonly from: FreshnessStamp;
  readonly value: Promise<T>;
}

/** Caches one value read from the database until it is stale. Concurrent callers share one read. */
export class FreshCache<T> {
  private current: CachedRead<T> | undefined;
  private refresh: CachedRead<T> | undefined;

  constructor(
    private readonly now: () => FreshnessStamp,
    private readonly maxAgeMs: number,
    private readonly read: () => Promise<T>,
  ) {}

  get(): Promise<T> {
    const now = this.now();
    const usable = [this.current, this.refresh].find((one) => one && isFresh(one.from, now, this.maxAgeMs));
    if (!usable) return this.startRead(now, (cachedRead) => (this.current = cachedRead)).value;
    // A value in frequent use is refreshed before it goes stale, so that no caller waits for the read.
    if (!this.refresh && !isFresh(usable.from, now, this.maxAgeMs / 2))
      this.startRead(now, (cachedRead) => (this.refresh = cachedRead));
    return usable.value;
  }

  private startRead(from: FreshnessStamp, put: (cachedRead: CachedRead<T>) => unknown): CachedRead<T> {
    const cachedRead = { from, value: this.read() };
    put(cachedRead);
    cachedRead.value.then(
      () => this.onRead(cachedRead),
      () => this.onFailure(cachedRead),
    );
    return cachedRead;
  }

  private onRead(cachedRead: CachedRead<T>): void {
    if (this.refresh !== cachedRead) return;
    this.refresh = undefined;
    if (!this.current || this.current.from.at <= cachedRead.from.at) this.current = cachedRead;
  }

  /** Callers that wait for this read get its error; the next caller starts a new read. */
  private onFailure(cachedRead: CachedRead<T>): void {
    if (this.current === cachedRead) this.current = undefined;
    if (this.refresh === cachedRead) this.refresh = undefined;
  }
}
