import type { Actor } from '../../journal/actor.js';
import type { Provenance } from './lesson.schema.js';

/** Events that set or change the provenance of a memory. */
export type ProvenanceEvent =
  /** A lesson is written by a proposer or an agent, or data is imported. */
  | 'write'
  /** The same, while a configured verifier was unavailable. */
  | 'write_without_verifier'
  /** A reviewer's approval makes it an org skill. */
  | 'approve'
  /**
   * A lesson is copied to another agent, or shared with a role or a department. The copy is worth what its source is
   * worth.
   */
  | 'copy'
  /** Lessons of one agent become one. It is worth what the weakest of them is worth, and never verified. */
  | 'merge'
  /** Up, by a reviewer's verdict or by independent corroboration. */
  | 'promote'
  /** Down, by a reviewer's verdict, or because a source is gone. */
  | 'demote';

interface Transition {
  /** Null for a new memory. For a copy, the provenance of its source. */
  readonly from: readonly (Provenance | null)[];
  readonly to: Provenance | 'same';
  readonly by: readonly Actor['kind'][];
}

/** All allowed transitions; any other is refused. An agent's own statement never makes a memory verified. */
const TRANSITIONS: Readonly<Record<ProvenanceEvent, Transition>> = {
  write: { from: [null], to: 'unverified', by: ['job', 'agent', 'owner', 'admin'] },
  write_without_verifier: { from: [null], to: 'unavailable_at_write_time', by: ['job', 'agent'] },
  approve: { from: [null], to: 'verified', by: ['reviewer'] },
  copy: { from: ['verified', 'unverified', 'unavailable_at_write_time'], to: 'same', by: ['job', 'reviewer'] },
  merge: { from: ['unverified', 'unavailable_at_write_time'], to: 'same', by: ['job'] },
  promote: { from: ['unverified', 'unavailable_at_write_time'], to: 'verified', by: ['reviewer', 'job'] },
  demote: { from: ['verified', 'unavailable_at_write_time'], to: 'unverified', by: ['reviewer', 'job'] },
};

/** Returns the provenance after `event`, or undefined if the transition is not allowed; then nothing may be written. */
export function provenanceAfter(
  from: Provenance | null,
  event: ProvenanceEvent,
  by: Actor['kind'],
): Provenance | undefined {
  const transition = TRANSITIONS[event];
  if (!transition.from.includes(from) || !transition.by.includes(by)) return undefined;
  return transition.to === 'same' ? (from ?? undefined) : transition.to;
}

/** Like `provenanceAfter`, for callers whose transition is always allowed. Throws on a programming error. */
export function provenanceOf(from: Provenance | null, event: ProvenanceEvent, by: Actor['kind']): Provenance {
  const to = provenanceAfter(from, event, by);
  if (to === undefined) throw new Error(`no provenance from ${from ?? 'nothing'} by ${event} of ${by}`);
  return to;
}
