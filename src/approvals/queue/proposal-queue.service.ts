import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../../platform/config/config.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { type ProposalPatterns, ProposalRepository } from '../proposals/proposal.repository.js';
import type { Wording } from '../proposals/proposed-skill.schema.js';
import type { RetirementRequest } from '../proposals/retirement-request.schema.js';
import { VoteRepository } from '../voting/vote.repository.js';
import { ClaimsRepository, type ProposalClaim, type Rejection } from './claims.repository.js';

/** How an item that waits is worded, and for which action. */
export interface PendingWording {
  readonly wording: Wording | undefined;
  readonly actionFingerprint: string;
  /** A person edited it or voted for it: then it is worded no more. */
  readonly touchedByReviewer: boolean;
}

/** The queue as jobs read it, under the role of background work. What they write are the verbs of `submissions`. */
@Injectable()
export class ProposalQueue {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly proposals: ProposalRepository,
    private readonly claims: ClaimsRepository,
    private readonly votes: VoteRepository,
  ) {}

  /** Undefined where it does not wait any more. */
  async wording(proposalId: string): Promise<PendingWording | undefined> {
    const { client } = this.database;
    const proposal = await this.proposals.find(client, proposalId);
    if (proposal?.state !== 'pending') return undefined;
    const touchedByReviewer = await this.votes.isTouchedByReviewer(client, proposal);
    return { wording: proposal.evidence.wording, actionFingerprint: proposal.actionFingerprint, touchedByReviewer };
  }

  /** The proposals of cycles that wait for a decision. */
  pending(): Promise<ProposalClaim[]> {
    return this.claims.pending(this.database.client);
  }

  /** How many of the items that wait would add a skill to org memory, and not replace or end one. */
  countPendingAdditions(): Promise<number> {
    return this.proposals.countPendingAdditions(this.database.client);
  }

  /** How many items more the queue takes of a cycle, so that people can keep up with it. */
  async freePlaces(): Promise<number> {
    return Math.max(0, this.config.maxPendingProposals - (await this.proposals.countPending(this.database.client)));
  }

  /** What is approved, for its patterns. */
  approved(): Promise<ProposalClaim[]> {
    return this.claims.approved(this.database.client);
  }

  /** What reviewers rejected, newest first, with their reasons. */
  rejections(): Promise<Rejection[]> {
    return this.claims.rejections(this.database.client);
  }

  /** The patterns that approved items answer for, by the id of the item. */
  patterns(proposalIds: readonly string[]): Promise<Map<string, ProposalPatterns>> {
    return this.proposals.findPatterns(this.database.client, proposalIds);
  }

  /** How many requests to retire a skill wait, for this reason. */
  async countPendingRequests(reason: RetirementRequest['reason']): Promise<number> {
    const pending = await this.proposals.pendingRequests(this.database.client);
    return pending.filter(({ request }) => request?.reason === reason).length;
  }
}
