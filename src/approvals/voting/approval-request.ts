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

/** A person's request to approve a proposal. */
export interface ApprovalRequest {
  readonly id: string;
  readonly seen: ReadRevision;
}

/** A valid vote. `approvers` are the approvers of this revision, the voter last. */
export interface CountedVote {
  readonly proposal: Proposal;
  readonly approvers: readonly string[];
  readonly isEnough: boolean;
  /** Only for a retirement. */
  readonly reason?: string;
}

/** A locked proposal with its context. */
export interface LockedProposal {
  readonly proposal: Proposal;
  readonly context: ProposalContext;
  readonly approvers: readonly string[];
}

/** The result of a request: a vote to cast, or the refusal. */
export type Evaluation = { readonly cast: Reviewed<CountedVote> } | { readonly refused: DomainError };

/** Returns the vote of a reviewer. Throws `conflict` for a second vote on the same revision. */
export function voteOn(reviewer: ReviewerActor, proposal: Proposal, before: readonly string[]): Reviewed<CountedVote> {
  if (before.includes(reviewer.id))
    throw new DomainError(
      'conflict',
      'proposal.already_voted',
      'You already approved this revision. Another reviewer has to approve it too.',
    );
  const approvers = [...before, reviewer.id];
  return { reviewer, proposal, approvers, isEnough: isEnough(countVotes(proposal, approvers)) };
}

/**
 * Evaluates requests in order. Later requests see the effects of earlier ones, as if each had its own transaction. A
 * refused request does not affect the others.
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
