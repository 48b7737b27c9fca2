import type { Clock } from '../base/clock.js';
import type { Database } from '../database/database.js';

/** When something was read: by the clock, and by what this process has written. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly ended: number;
}

export const momentOf = (database: Pick<Database, 'ended'>, clock: Clock): Moment => ({
  at: clock.now().getTime(),
  ended: database.ended,
});

/**
 * Whether what was read at `then` may be told at `now`: this process has written nothing since, whatever it was, and
 * other processes had at most `withinMs` for it. A clock that was set back makes everything old.
 */
export const isFresh = (then: Moment, now: Moment, withinMs: number): boolean =>
  then.ended === now.ended && now.at >= then.at && now.at - then.at <= withinMs;

interface Reading<T> {
  readonly from: Moment;
  readonly value: Promise<T>;
}

/** What was read from the database and is told until it no longer holds. Whoever asks meanwhile shares one reading. */
export class FreshCache<T> {
  private held: Reading<T> | undefined;
  private next: Reading<T> | undefined;

  constructor(
    private readonly now: () => Moment,
    private readonly withinMs: number,
    private readonly read: () => Promise<T>,
  ) {}

  get(): Promise<T> {
    const now = this.now();
    const good = [this.held, this.next].find((one) => one && isFresh(one.from, now, this.withinMs));
    if (!good) return this.begin(now, (reading) => (this.held = reading)).value;
    // Nobody waits for what is asked for often: it is read anew before it is too old.
    if (!this.next && !isFresh(good.from, now, this.withinMs / 2)) this.begin(now, (reading) => (this.next = reading));
    return good.value;
  }

  private begin(from: Moment, put: (reading: Reading<T>) => unknown): Reading<T> {
    const reading = { from, value: this.read() };
    put(reading);
    reading.value.then(
      () => this.ended(reading),
      () => this.failed(reading),
    );
    return reading;
  }

  private ended(reading: Reading<T>): void {
    if (this.next !== reading) return;
    this.next = undefined;
    if (!this.held || this.held.from.at <= reading.from.at) this.held = reading;
  }

  /** Whoever waits for it meets the error; the next one reads again. */
  private failed(reading: Reading<T>): void {
    if (this.held === reading) this.held = undefined;
    if (this.next === reading) this.next = undefined;
  }
}
