/** The memories already delivered in a session, and the bytes that may still be delivered. */
export interface DeliveredBefore {
  readonly ids: ReadonlySet<string>;
  /** Remaining bytes of the session's budget. */
  readonly bytesLeft: number;
}

/** For recalls without a session: nothing is omitted. */
export const NOTHING_DELIVERED: DeliveredBefore = { ids: new Set(), bytesLeft: Number.POSITIVE_INFINITY };

/** The text in place of a memory that the session already received. */
export const alreadyDelivered = (id: string): string => `This session already received the memory ${id}.`;

/** Maximum bytes delivered in one session. */
export const SESSION_BYTES = 60 * 1024;
/** Upper bound for one record. Used for deliveries of an earlier process, whose byte count is not stored. */
const RECORD_BYTES = 1_200;

/** Counts the deliveries in one session. */
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
