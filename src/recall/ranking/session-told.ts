/** What a session was told before, and what it may still be told (spec R3). */
export interface ToldBefore {
  readonly ids: ReadonlySet<string>;
  /** Of the session's budget. */
  readonly bytesLeft: number;
}

/** Of a session that nobody asked about: nothing is left out for its sake. */
export const NOTHING_TOLD: ToldBefore = { ids: new Set(), bytesLeft: Number.POSITIVE_INFINITY };

/** What one session is told in all (spec R3). */
export const SESSION_BYTES = 60 * 1024;
/** The most that a record takes; for what was told by a process that has ended, which kept no count. */
const RECORD_BYTES = 1_200;

/** Counts what one session is told. */
export class SessionTold implements ToldBefore {
  private readonly told: Set<string>;
  private bytes: number;

  constructor(before: Iterable<string>) {
    this.told = new Set(before);
    this.bytes = this.told.size * RECORD_BYTES;
  }

  get ids(): ReadonlySet<string> {
    return this.told;
  }

  get bytesLeft(): number {
    return Math.max(0, SESSION_BYTES - this.bytes);
  }

  add(ids: readonly string[], bytes: number): void {
    for (const id of ids) this.told.add(id);
    this.bytes += bytes;
  }
}
