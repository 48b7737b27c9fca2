import type { Reviewed, ReviewerActor } from '../../journal/actor.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { Proposal } from '../proposals/proposal.js';
import { requireFound } from '../proposals/proposal-summary.js';
import { countVotes, isEnough } from '../proposals/quorum.js';
import {
  type ProposalContext,
  type ReadRevision,
  requireCurrent,
  requireOpen,
  requireReviewScope,
  rivalApprovedMessage,
  skillChangedMessage,
  staleError,
} from './open-proposal.js';

/** A person's approval of an item. */
export interface ApprovalRequest {
  readonly id: string;
  readonly seen: ReadRevision;
}

/** A vote that counts: `approvers` are those of this revision with its own person, the last one. */
export interface CountedVote {
  readonly proposal: Proposal;
  readonly approvers: readonly string[];
  readonly isEnough: boolean;
  /** Only where something is taken away. */
  readonly reason?: string;
}

/** An item as it stands locked. */
export interface LockedProposal {
  readonly proposal: Proposal;
  readonly context: ProposalContext;
  readonly approvers: readonly string[];
}

/** What came of one ballot: it is cast, or refused with what its person is told. */
export type Evaluation = { readonly cast: Reviewed<CountedVote> } | { readonly refused: DomainError };

/** Throws `conflict` for a person's second vote on a revision. */
export function voteOn(reviewer: ReviewerActor, proposal: Proposal, before: readonly string[]): Reviewed<CountedVote> {
  if (before.includes(reviewer.id))
    throw new DomainError(
      'conflict',
      'proposal.already_voted',
      'You approved this revision already. Somebody else has to, whichever credential you use.',
    );
  const approvers = [...before, reviewer.id];
  return { reviewer, proposal, approvers, isEnough: isEnough(countVotes(proposal, approvers)) };
}

/**
 * Ballots that are decided together, as if one after the other: what the first ones do is what the later ones find. The
 * same as each in a transaction of its own, in this order. One that is refused changes nothing for the others.
 */
export function evaluate(
  requests: readonly Reviewed<ApprovalRequest>[],
  locked: ReadonlyMap<string, LockedProposal>,
  now: Date,
): Evaluation[] {
  const proposals = new Map(locked);
  const changedSkills = new Set<string>();
  const approved = new Set<string>();
  return requests.map(({ reviewer, id, seen }) => {
    try {
      const { proposal, context, approvers } = requireFound(proposals.get(id), id);
      requireOpen(proposal, seen, now);
      requireReviewScope(reviewer, proposal);
      const skills = [proposal.skillName, context.target?.skillName ?? proposal.skillName];
      if (skills.some((name) => changedSkills.has(name))) throw staleError(skillChangedMessage(proposal));
      if (context.rivals.some((rival) => approved.has(rival.id))) throw staleError(rivalApprovedMessage(proposal));
      requireCurrent(proposal, context);
      const vote = voteOn(reviewer, proposal, approvers);
      proposals.set(id, {
        proposal: vote.isEnough ? { ...proposal, state: 'approved' } : proposal,
        context,
        approvers: vote.approvers,
      });
      if (vote.isEnough) {
        approved.add(id);
        for (const name of skills) changedSkills.add(name);
      }
      return { cast: vote };
    } catch (error) {
      if (error instanceof DomainError) return { refused: error };
      throw error;
    }
  });
}
