import type { Proposal } from '../proposals/proposal.js';
import type { ProposalState } from '../proposals/proposals.schema.js';

/** A proposal that contradicts another one, and the live skill that it became. */
export interface Rival {
  readonly id: string;
  readonly state: ProposalState;
  readonly fingerprints: readonly string[];
  /** A person worded it, so that it can subsume the patterns of other proposals. */
  readonly isByPerson: boolean;
  /** The live skill that it was approved for; null if there is none. */
  readonly live: { readonly id: string; readonly skillName: string } | null;
}

/** The status of a pending proposal after its rivals were decided. */
export type ContradictionStatus =
  | { readonly as: 'unchanged' }
  /** A rival is live now, and the proposal contradicts it. */
  | { readonly as: 'contradicts_live'; readonly live: NonNullable<Rival['live']> }
  /** A live skill that a person worded covers its pattern. */
  | { readonly as: 'subsumed'; readonly by: string }
  /** No rival is pending or live any more. */
  | { readonly as: 'uncontested' };

type ContradictionInput = Pick<Proposal, 'kind' | 'fingerprint' | 'supersedesId'>;

export function contradictionStatus(
  { kind, fingerprint, supersedesId }: ContradictionInput,
  rivals: readonly Rival[],
): ContradictionStatus {
  const live = rivals.flatMap((rival) => (rival.live ? [{ ...rival, live: rival.live }] : []));
  const [first] = live;
  if (first) {
    const covering = live.find((rival) => rival.isByPerson && rival.fingerprints.includes(fingerprint));
    if (covering) return { as: 'subsumed', by: covering.id };
    const isKnownTarget = live.some((rival) => rival.live.id === supersedesId);
    return isKnownTarget ? { as: 'unchanged' } : { as: 'contradicts_live', live: first.live };
  }
  const isOpen = kind === 'conflict' && supersedesId === null && rivals.length > 0;
  return isOpen && !rivals.some(({ state }) => state === 'pending') ? { as: 'uncontested' } : { as: 'unchanged' };
}

/**
 * Whether a decision on the proposal has to check its rivals. A generated proposal that contradicts another one is no
 * longer a `new_skill`, so most decisions need no check.
 */
export const mayHaveRivals = ({ kind, editorId }: Pick<Proposal, 'kind' | 'editorId'>): boolean =>
  (kind !== 'new_skill' && kind !== 'retire') || editorId !== null;
