import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../../platform/config/config.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { ApprovalRepository, type ItemPattern } from '../proposals/approval.repository.js';
import type { Wording } from '../proposals/proposal.schema.js';
import type { RetirementRequest } from '../proposals/retirement-request.schema.js';
import { VoteRepository } from '../voting/vote.repository.js';
import { ClaimsRepository, type ItemClaim, type Rejection } from './claims.repository.js';

/** How an item that waits is worded, and for which action. */
export interface WaitingWords {
  readonly wording: Wording | undefined;
  readonly actionFingerprint: string;
  /** A person edited it or voted for it: then it is worded no more. */
  readonly isPersons: boolean;
}

/** The queue as jobs read it, under the role of background work. What they write are the verbs of `submissions`. */
@Injectable()
export class ApprovalQueue {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly items: ApprovalRepository,
    private readonly claims: ClaimsRepository,
    private readonly votes: VoteRepository,
  ) {}

  /** Undefined where it does not wait any more. */
  async wording(itemId: string): Promise<WaitingWords | undefined> {
    const { client } = this.database;
    const item = await this.items.find(client, itemId);
    if (item?.state !== 'pending') return undefined;
    const isPersons = await this.votes.isTouchedByReviewer(client, item);
    return { wording: item.evidence.wording, actionFingerprint: item.actionFingerprint, isPersons };
  }

  /** The proposals of cycles that wait for a decision. */
  pending(): Promise<ItemClaim[]> {
    return this.claims.waiting(this.database.client);
  }

  /** How many of the items that wait would add a skill to org memory, and not replace or end one. */
  additions(): Promise<number> {
    return this.items.additions(this.database.client);
  }

  /** How many items more the queue takes of a cycle, so that people can keep up with it. */
  async room(): Promise<number> {
    return Math.max(0, this.config.maxPendingApprovals - (await this.items.waitingCount(this.database.client)));
  }

  /** What is approved, for its patterns. */
  approved(): Promise<ItemClaim[]> {
    return this.claims.approved(this.database.client);
  }

  /** What reviewers rejected, newest first, with their reasons. */
  rejections(): Promise<Rejection[]> {
    return this.claims.rejections(this.database.client);
  }

  /** The patterns that approved items answer for, by the id of the item. */
  patterns(approvalIds: readonly string[]): Promise<Map<string, ItemPattern>> {
    return this.items.patterns(this.database.client, approvalIds);
  }

  /** How many requests to retire a skill wait, for this reason. */
  async requestsWaiting(reason: RetirementRequest['reason']): Promise<number> {
    const pending = await this.items.pendingRequests(this.database.client);
    return pending.filter(({ request }) => request?.reason === reason).length;
  }
}
