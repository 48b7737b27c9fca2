import { Injectable } from '@nestjs/common';
import type { Reviewed } from '../../journal/actor.js';
import { Journal, type JournalRecord } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import type { Proposal } from '../proposals/proposal.js';
import { countVotes, missingVotesMessage } from '../proposals/quorum.js';
import type { CountedVote } from './approval-request.js';
import { DecisionApplier, type VoteResult } from './decision-applier.service.js';
import { VoteRepository } from './vote.repository.js';

/** Records votes, and applies the decisions that have enough of them, in the caller's transaction. */
@Injectable()
export class VoteCaster {
  constructor(
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly votes: VoteRepository,
    private readonly applier: DecisionApplier,
  ) {}

  /**
   * Returns the proposals in the order of the votes: approved, or pending with a message about the missing votes.
   * Throws `conflict` if one of them was decided meanwhile.
   */
  async cast(tx: SqlClient, votes: readonly Reviewed<CountedVote>[]): Promise<VoteResult[]> {
    const at = this.clock.now();
    const rows = votes.map(({ reviewer, proposal, approvers, reason }) => ({
      id: this.ids.uuid(),
      proposal,
      principalId: reviewer.id,
      verdict: 'approved' as const,
      at,
      votesNeeded: countVotes(proposal, approvers).needed,
      ...(reason === undefined ? {} : { reason }),
    }));
    await this.votes.add(tx, ...rows);
    const short = votes.filter((vote) => !vote.isEnough);
    const enough = votes.filter((vote) => vote.isEnough);
    await this.journal.appendAll(
      tx,
      short.map(({ reviewer, proposal, approvers }) => ({ actor: reviewer, ...votedEntry(proposal, approvers) })),
    );
    const reviewers = await this.votes.countReviewers(
      tx,
      short.map(({ proposal }) => proposal.id),
    );
    await this.applier.apply(
      tx,
      enough.map(({ reviewer, proposal, approvers, reason }) => ({
        reviewer,
        proposal,
        approvers,
        action: 'proposal.approved' as const,
        data: { votes: approvers.length, ...(reason === undefined ? {} : { reason }) },
      })),
    );
    return votes.map(({ proposal, approvers, isEnough }) =>
      isEnough
        ? { proposal: { ...proposal, state: 'approved', decidedAt: at, updatedAt: at }, approvers, message: null }
        : {
            proposal,
            approvers,
            message: missingVotesMessage(countVotes(proposal, approvers), reviewers.get(proposal.id) ?? 0),
          },
    );
  }
}

const votedEntry = (proposal: Proposal, approvers: readonly string[]): JournalRecord => ({
  action: 'proposal.voted',
  subject: { type: 'proposal', id: proposal.id },
  data: { artifactSha256: proposal.artifactSha256, revision: proposal.revision, ...countVotes(proposal, approvers) },
});
