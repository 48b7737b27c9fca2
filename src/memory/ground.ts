import type { Provenance, Scope } from './lesson.schema.js';

/** A memory that a given one rests on, itself included. */
export interface Ground {
  /** The given one. */
  readonly root: string;
  readonly id: string;
  /** Null where there is no such memory any more. */
  readonly scope: Scope | null;
  readonly provenance: Provenance | null;
  readonly ended: boolean;
}
