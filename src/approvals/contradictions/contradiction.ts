import type { Proposal } from '../proposals/proposal.js';
import type { ProposalState } from '../proposals/proposals.schema.js';

/** What an item contradicts, or is contradicted by: another item, and the live skill that it became. */
export interface Rival {
  readonly id: string;
  readonly state: ProposalState;
  readonly fingerprints: readonly string[];
  /** Its wording is a person's: what it answers for besides its own pattern has room in it. */
  readonly isByPerson: boolean;
  /** Null unless what it was approved for is live. */
  readonly live: { readonly id: string; readonly skillName: string } | null;
}

/** What becomes of a waiting item when what it contradicts was decided. */
export type ContradictionStatus =
  | { readonly as: 'stands' }
  /** Its rival is a live skill now: it contradicts that. */
  | { readonly as: 'against'; readonly live: NonNullable<Rival['live']> }
  /** What was approved says what it says, too. */
  | { readonly as: 'told'; readonly by: string }
  /** Nothing that it contradicts waits any more, or is live. */
  | { readonly as: 'alone' };

type ContradictionInput = Pick<Proposal, 'kind' | 'fingerprint' | 'supersedesId'>;

export function contradictionStatus(
  { kind, fingerprint, supersedesId }: ContradictionInput,
  rivals: readonly Rival[],
): ContradictionStatus {
  const live = rivals.flatMap((rival) => (rival.live ? [{ ...rival, live: rival.live }] : []));
  const [first] = live;
  if (first) {
    const telling = live.find((rival) => rival.isByPerson && rival.fingerprints.includes(fingerprint));
    if (telling) return { as: 'told', by: telling.id };
    const isMeasured = live.some((rival) => rival.live.id === supersedesId);
    return isMeasured ? { as: 'stands' } : { as: 'against', live: first.live };
  }
  const isOpen = kind === 'conflict' && supersedesId === null && rivals.length > 0;
  return isOpen && !rivals.some(({ state }) => state === 'pending') ? { as: 'alone' } : { as: 'stands' };
}

/**
 * Whether a decision on it has to ask what became of its rivals. What is found to contradict something is no new skill any
 * more, unless a person wrote it: so most decisions need not.
 */
export const mayHaveRivals = ({ kind, editorId }: Pick<Proposal, 'kind' | 'editorId'>): boolean =>
  (kind !== 'new_skill' && kind !== 'retire') || editorId !== null;
