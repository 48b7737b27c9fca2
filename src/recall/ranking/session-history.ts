/** What a session was told before, and what it may still be told (spec R3). */
export interface DeliveredBefore {
  readonly ids: ReadonlySet<string>;
  /** Of the session's budget. */
  readonly bytesLeft: number;
}

/** Of a session that nobody asked about: nothing is left out for its sake. */
export const NOTHING_DELIVERED: DeliveredBefore = { ids: new Set(), bytesLeft: Number.POSITIVE_INFINITY };

/** What one session is told in all (spec R3). */
export const SESSION_BYTES = 60 * 1024;
/** The most that a record takes; for what was told by a process that has ended, which kept no count. */
const RECORD_BYTES = 1_200;

/** Counts what one session is told. */
export class SessionHistory implements DeliveredBefore {
  private readonly delivered: Set<string>;
  private bytes: number;

  constructor(before: Iterable<string>) {
    this.delivered = new Set(before);
    this.bytes = this.delivered.size * RECORD_BYTES;
  }

  get ids(): ReadonlySet<string> {
    return this.delivered;
  }

  get bytesLeft(): number {
    return Math.max(0, SESSION_BYTES - this.bytes);
  }

  add(ids: readonly string[], bytes: number): void {
    for (const id of ids) this.delivered.add(id);
    this.bytes += bytes;
  }
}
