import type { Provenance, Scope } from './lesson.schema.js';

/** A memory that the root memory was derived from, directly or through others. The root itself is included. */
export interface Derivation {
  /** Id of the root memory. */
  readonly root: string;
  readonly id: string;
  /** Null if the row no longer exists. */
  readonly scope: Scope | null;
  readonly provenance: Provenance | null;
  /**
   * True if the memory itself has ended, or if a memory below it was replaced or retired. A source that was only pruned
   * is still true and does not count.
   */
  readonly ended: boolean;
  /** Null if it is live or its row no longer exists. */
  readonly endedAt: Date | null;
}
