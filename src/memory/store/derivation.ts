import type { Provenance, Scope } from './lesson.schema.js';

/** A memory that a given one rests on, itself included. */
export interface Derivation {
  /** The given one. */
  readonly root: string;
  readonly id: string;
  /** Null where there is no such memory any more. */
  readonly scope: Scope | null;
  readonly provenance: Provenance | null;
  /**
   * The memory itself has ended, or what it rests on was replaced or retired. What was only pruned is still as true as
   * it was.
   */
  readonly ended: boolean;
  /** When it ended; null where it lives or is gone altogether. */
  readonly endedAt: Date | null;
}
