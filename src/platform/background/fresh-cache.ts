import type { Clock } from '../base/clock.js';
import type { Database } from '../database/database.js';

/** When something was read: by the clock, and by what this process has written. */
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
 * Whether what was read at `then` may be told at `now`: this process has written nothing since, whatever it was, and
 * other processes had at most `withinMs` for it. A clock that was set back makes everything old.
 */
export const isFresh = (then: FreshnessStamp, now: FreshnessStamp, maxAgeMs: number): boolean =>
  then.endedTransactions === now.endedTransactions && now.at >= then.at && now.at - then.at <= maxAgeMs;

interface CachedRead<T> {
  readonly from: FreshnessStamp;
  readonly value: Promise<T>;
}

/** What was read from the database and is told until it no longer holds. Whoever asks meanwhile shares one reading. */
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
    if (!usable) return this.startRead(now, (reading) => (this.current = reading)).value;
    // Nobody waits for what is asked for often: it is read anew before it is too old.
    if (!this.refresh && !isFresh(usable.from, now, this.maxAgeMs / 2))
      this.startRead(now, (reading) => (this.refresh = reading));
    return usable.value;
  }

  private startRead(from: FreshnessStamp, put: (reading: CachedRead<T>) => unknown): CachedRead<T> {
    const reading = { from, value: this.read() };
    put(reading);
    reading.value.then(
      () => this.ended(reading),
      () => this.failed(reading),
    );
    return reading;
  }

  private ended(reading: CachedRead<T>): void {
    if (this.refresh !== reading) return;
    this.refresh = undefined;
    if (!this.current || this.current.from.at <= reading.from.at) this.current = reading;
  }

  /** Whoever waits for it meets the error; the next one reads again. */
  private failed(reading: CachedRead<T>): void {
    if (this.current === reading) this.current = undefined;
    if (this.refresh === reading) this.refresh = undefined;
  }
}
