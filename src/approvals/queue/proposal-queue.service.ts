import { Inject, Injectable } from '@nestjs/common';
import { Predicate } from '../../evidence/predicate/predicate.schema.js';
import type { Config } from '../../platform/config/config.js';
import { readRows } from '../../platform/database/damaged-rows.js';
import { WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { type ProposalPatterns, ProposalRepository } from '../proposals/proposal.repository.js';
import { Evidence, ProposedSkill, type Wording } from '../proposals/proposed-skill.schema.js';
import type { RetirementRequest } from '../proposals/retirement-request.schema.js';
import { VoteRepository } from '../voting/vote.repository.js';
import type { ApprovedTexts } from './approved-texts.js';
import { ApprovedTextsRepository } from './approved-texts.repository.js';
import {
  ClaimsRepository,
  type FamilyProposal,
  type MergedSkill,
  type ProposalClaim,
  type Rejection,
} from './claims.repository.js';

/** The wording of a pending proposal, and the action that it is about. */
export interface PendingWording {
  readonly wording: Wording | undefined;
  readonly actionFingerprint: string;
  /** A person edited it or voted for it, so its wording must not change. */
  readonly touchedByReviewer: boolean;
}

/** An approved proposal of which a person wrote a part. */
export interface EditedProposal extends Pick<ProposalClaim, 'fingerprints' | 'actionFingerprint'> {
  readonly proposalId: string;
  readonly texts: ProposedSkill;
  readonly authored: NonNullable<Evidence['authored']>;
}

/** What an approved proposal claims. */
export interface CheckedPredicate {
  readonly predicate: Predicate;
  /** Reviewers marked it as a gate. */
  readonly isGate: boolean;
}

const Authors = Evidence.shape.authored.unwrap();

/** The queue for jobs, read with the worker's database role. Jobs write through the services of `submissions`. */
@Injectable()
export class ProposalQueue {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly proposals: ProposalRepository,
    private readonly claims: ClaimsRepository,
    private readonly votes: VoteRepository,
    private readonly approvedTexts: ApprovedTextsRepository,
  ) {}

  /** Undefined if the proposal is no longer pending. */
  async wording(proposalId: string): Promise<PendingWording | undefined> {
    const { client } = this.database;
    const proposal = await this.proposals.find(client, proposalId);
    if (proposal?.state !== 'pending') return undefined;
    const touchedByReviewer = await this.votes.isTouchedByReviewer(client, proposal);
    return { wording: proposal.evidence.wording, actionFingerprint: proposal.actionFingerprint, touchedByReviewer };
  }

  /** The pending proposals of cycles. */
  pending(): Promise<ProposalClaim[]> {
    return this.claims.pending(this.database.client);
  }

  /** The number of pending proposals that would add a skill. */
  countPendingAdditions(): Promise<number> {
    return this.proposals.countPendingAdditions(this.database.client);
  }

  /** The number of proposals that a cycle may still submit, so that reviewers can keep up. */
  async freePlaces(): Promise<number> {
    return Math.max(0, this.config.maxPendingProposals - (await this.proposals.countPending(this.database.client)));
  }

  /** The approved proposals. */
  approved(): Promise<ProposalClaim[]> {
    return this.claims.approved(this.database.client);
  }

  /** The newest proposals about a family, of whatever state. */
  ofFamily(fingerprint: string): Promise<FamilyProposal[]> {
    return this.claims.ofFamily(this.database.client, fingerprint);
  }

  /** The approved proposals of which a person wrote a part, newest first. */
  async edited(): Promise<EditedProposal[]> {
    const rows = await this.claims.edited(this.database.client);
    return rows.flatMap(({ texts, authored, ...row }) => {
      const [skill, authors] = [ProposedSkill.safeParse(texts), Authors.safeParse(authored)];
      return skill.success && authors.success ? [{ ...row, texts: skill.data, authored: authors.data }] : [];
    });
  }

  /** The rejections with their reasons, newest first. */
  rejections(): Promise<Rejection[]> {
    return this.claims.rejections(this.database.client);
  }

  /** The skills that merges retired. */
  merged(): Promise<MergedSkill[]> {
    return this.claims.merged(this.database.client);
  }

  /** What approved proposals say, by proposal id. */
  texts(proposalIds: readonly string[]): Promise<Map<string, ApprovedTexts>> {
    return this.approvedTexts.of(this.database.client, proposalIds);
  }

  /** What approved proposals claim, by proposal id. A proposal without a predicate is missing. */
  async predicates(proposalIds: readonly string[]): Promise<Map<string, CheckedPredicate>> {
    const rows = await this.claims.predicates(this.database.client, proposalIds);
    const read = readRows('proposal', rows, ({ proposalId, predicate, gate }): [string, CheckedPredicate] => [
      proposalId,
      { predicate: Predicate.parse(predicate), isGate: gate === true },
    ]);
    return new Map(read);
  }

  /** The patterns of approved proposals by proposal id. */
  patterns(proposalIds: readonly string[]): Promise<Map<string, ProposalPatterns>> {
    return this.proposals.findPatterns(this.database.client, proposalIds);
  }

  /** The number of pending retirement requests for this reason. */
  async countPendingRequests(reason: RetirementRequest['reason']): Promise<number> {
    const pending = await this.proposals.pendingRequests(this.database.client);
    return pending.filter(({ request }) => request?.reason === reason).length;
  }
}
