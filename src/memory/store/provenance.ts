import type { Actor } from '../../journal/actor.js';
import type { Provenance } from './lesson.schema.js';

/** What happens to the provenance of a memory (spec L7). */
export type ProvenanceEvent =
  /** A lesson comes to be, whoever proposed it, or data is imported. */
  | 'write'
  /** The same, and a configured verifier could not be asked (R6). */
  | 'write_without_verifier'
  /** A person's approval makes it an org skill. */
  | 'approve'
  /** A copy for another agent: worth what its source is worth. */
  | 'copy'
  /** Up, by a person's word or by independent corroboration. */
  | 'promote'
  /** Down, by a person's word, or because what it rested on is gone. */
  | 'demote';

interface Transition {
  /** Null: it did not exist. For a copy, what its source has. */
  readonly from: readonly (Provenance | null)[];
  readonly to: Provenance | 'same';
  readonly by: readonly Actor['kind'][];
}

/** Everything that is allowed. What does not stand here does not happen; an agent's own word is never verified. */
const TRANSITIONS: Readonly<Record<ProvenanceEvent, Transition>> = {
  write: { from: [null], to: 'unverified', by: ['job', 'agent'] },
  write_without_verifier: { from: [null], to: 'unavailable_at_write_time', by: ['job', 'agent'] },
  approve: { from: [null], to: 'verified', by: ['reviewer'] },
  copy: { from: ['verified', 'unverified', 'unavailable_at_write_time'], to: 'same', by: ['job'] },
  promote: { from: ['unverified', 'unavailable_at_write_time'], to: 'verified', by: ['reviewer', 'job'] },
  demote: { from: ['verified', 'unavailable_at_write_time'], to: 'unverified', by: ['reviewer', 'job'] },
};

/** The provenance after `event`; undefined where that is not allowed, and then nothing may be written. */
export function provenanceAfter(
  from: Provenance | null,
  event: ProvenanceEvent,
  by: Actor['kind'],
): Provenance | undefined {
  const transition = TRANSITIONS[event];
  if (!transition.from.includes(from) || !transition.by.includes(by)) return undefined;
  return transition.to === 'same' ? (from ?? undefined) : transition.to;
}

/** The same for callers whose transition is allowed whatever the data; a refusal is a mistake in the program. */
export function provenanceOf(from: Provenance | null, event: ProvenanceEvent, by: Actor['kind']): Provenance {
  const to = provenanceAfter(from, event, by);
  if (to === undefined) throw new Error(`no provenance from ${from ?? 'nothing'} by ${event} of ${by}`);
  return to;
}
