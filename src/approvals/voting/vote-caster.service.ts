import { Injectable } from '@nestjs/common';
import type { Reviewed } from '../../journal/actor.js';
import { Journal, type JournalRecord } from '../../journal/journal.service.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import type { Statements } from '../../platform/database/statements.js';
import type { Item } from '../proposals/approval-item.js';
import { tally, whatIsMissing } from '../proposals/quorum.js';
import type { Vote } from './ballot.js';
import { DecisionApplier, type VoteResult } from './decision-applier.service.js';
import { VoteRepository } from './vote.repository.js';

/** Records approvals, and applies those that make up their quorum, in the caller's transaction. */
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
   * Returns the items in the order of the votes: approved, or pending with what is missing. Throws `conflict` when another
   * decision on one of them came first.
   */
  async cast(tx: Statements, votes: readonly Reviewed<Vote>[]): Promise<VoteResult[]> {
    const at = this.clock.now();
    const rows = votes.map(({ reviewer, item, reason }) => ({
      ...{ id: this.ids.uuid(), item, principalId: reviewer.id, verdict: 'approved' as const, at },
      ...(reason === undefined ? {} : { reason }),
    }));
    await this.votes.add(tx, ...rows);
    const short = votes.filter((vote) => !vote.isEnough);
    const enough = votes.filter((vote) => vote.isEnough);
    await this.journal.appendAll(
      tx,
      short.map(({ reviewer, item, approvers }) => ({ actor: reviewer, ...votedEntry(item, approvers) })),
    );
    const reviewers = await this.votes.reviewers(
      tx,
      short.map(({ item }) => item.id),
    );
    await this.applier.apply(
      tx,
      enough.map(({ reviewer, item, approvers, reason }) => ({
        ...{ reviewer, item, approvers, action: 'approval.approved' as const },
        data: { votes: approvers.length, ...(reason === undefined ? {} : { reason }) },
      })),
    );
    return votes.map(({ item, approvers, isEnough }) =>
      isEnough
        ? { item: { ...item, state: 'approved', decidedAt: at, updatedAt: at }, approvers, says: null }
        : { item, approvers, says: whatIsMissing(tally(item, approvers), reviewers.get(item.id) ?? 0) },
    );
  }
}

const votedEntry = (item: Item, approvers: readonly string[]): JournalRecord => ({
  action: 'approval.voted',
  subject: { type: 'approval', id: item.id },
  data: { artifactSha256: item.artifactSha256, revision: item.revision, ...tally(item, approvers) },
});
