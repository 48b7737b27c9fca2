import { Inject, Injectable } from '@nestjs/common';
import type { JobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { isUniqueViolation, type Tx, WorkerDatabase } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { skillSlug } from '../../skills/document/slug.js';
import { WebhookOutbox } from '../../webhooks/webhook-outbox.service.js';
import { Contradictions } from '../contradictions/contradictions.service.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import type { Item, ItemContent } from '../proposals/approval-item.js';
import { expiryOf } from '../proposals/expiry.js';
import { ItemContents } from '../proposals/item-contents.service.js';
import { newsOf } from '../proposals/news.js';
import type { Wording } from '../proposals/proposal.schema.js';
import { makeSafe, rebase, type Safe, type Submission, submissionEntry } from '../proposals/submission.js';
import { VoteRepository } from '../voting/vote.repository.js';
import { ClaimsRepository, type ItemClaim, type Rejection } from './claims.repository.js';
import { Withdrawals } from './withdrawals.service.js';

/** How an item that waits is worded, and for which action. */
export interface WaitingWords {
  readonly wording: Wording | undefined;
  readonly actionFingerprint: string;
  /** A person edited it or voted for it: then it is worded no more. */
  readonly isPersons: boolean;
}

export interface SubmissionResult {
  readonly id: string;
  readonly outcome: 'submitted' | 'refreshed' | 'unchanged';
  /** It was found now to contradict a live skill or what waits. */
  readonly isConflict: boolean;
}

/** The way into the queue. It can be handed to jobs: nothing in it decides, and nothing in it writes org memory. */
@Injectable()
export class ApprovalQueue {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly claims: ClaimsRepository,
    private readonly votes: VoteRepository,
    private readonly contents: ItemContents,
    private readonly org: OrgEntries,
    private readonly webhooks: WebhookOutbox,
    private readonly withdrawals: Withdrawals,
    private readonly contradictions: Contradictions,
  ) {}

  /** Puts a proposal into the queue. Throws `conflict` when its pattern is pending already. */
  async submit(actor: JobActor, submission: Submission): Promise<SubmissionResult> {
    const safe = makeSafe(submission);
    const replaced = submission.supersedesId ? await this.org.find(submission.supersedesId) : undefined;
    const name = replaced?.skillName ?? (await this.freeName(submission.skillName, submission.fingerprint));
    try {
      return await this.database.transaction(async (tx) => {
        const id = this.ids.uuid();
        const now = this.clock.now();
        const version = (await this.org.lastVersion(name, tx)) + 1;
        const content = await this.contents.of(tx, id, submission, safe, { skillName: name, version });
        await this.items.create(tx, content, {
          id,
          fingerprint: submission.fingerprint,
          createdAt: now,
          expiresAt: expiryOf(now, this.config),
        });
        await this.journal.append(tx, actor, submissionEntry('SKILL_EVOLVER_PROPOSAL_EMITTED', id, content));
        if (submission.kind === 'conflict')
          await this.journal.append(tx, actor, submissionEntry('SKILL_EVOLVER_CONFLICT_DETECTED', id, content));
        await this.contradictions.record(tx, actor, id, submission.contradicts ?? []);
        await this.webhooks.announce(tx, newsOf('approval.submitted', { ...content, id }));
        return { id, outcome: 'submitted' as const, isConflict: submission.kind === 'conflict' };
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new DomainError('conflict', 'approval.pending_already', 'This pattern waits for a decision already.');
    }
  }

  /**
   * New evidence for the pending item of the same pattern (E1.6), as another revision. What a person edited or voted for
   * stands still, unless the skill that it is about moved on; then the person's wording is kept.
   */
  async refresh(actor: JobActor, itemId: string, submission: Submission): Promise<SubmissionResult> {
    const found = makeSafe(submission);
    return this.database.transaction(async (tx) => {
      const item = await this.items.lock(tx, itemId);
      if (item?.state !== 'pending')
        throw new DomainError('conflict', 'approval.changed', 'The item was decided while its evidence was refreshed.');
      const renewed = await this.renew(tx, actor, item, submission, found);
      // What a person wrote is not what was found to contradict something.
      const others = item.editorId === null ? (submission.contradicts ?? []) : [];
      const isContested = await this.contradictions.record(tx, actor, itemId, others);
      const isConflict = isContested || (renewed?.kind === 'conflict' && item.kind !== 'conflict');
      if (isConflict)
        await this.journal.append(tx, actor, {
          action: 'SKILL_EVOLVER_CONFLICT_DETECTED',
          subject: { type: 'approval', id: itemId },
          data: { supersedesId: renewed?.supersedesId ?? item.supersedesId, contradicts: [...others] },
        });
      return { id: itemId, outcome: renewed || isContested ? 'refreshed' : 'unchanged', isConflict };
    });
  }

  /** The content of the revision, if there is one. */
  private async renew(
    tx: Tx,
    actor: JobActor,
    item: Item,
    submission: Submission,
    found: Safe,
  ): Promise<ItemContent | undefined> {
    const target = await this.targetOf(tx, item, submission);
    const name = target?.skillName ?? (await this.currentName(tx, item));
    const version = (await this.org.lastVersion(name, tx)) + 1;
    const live = await this.org.liveSkill(name, tx);
    const { kind, supersedesId } = target ? submission : rebase(item, live?.id ?? null);
    const rebased = { ...submission, kind, supersedesId };
    const hasMoved = rebased.supersedesId !== item.supersedesId || version !== item.version;
    if (!hasMoved && (await this.isPersons(tx, item))) return undefined;
    const safe = item.editorId === null ? found : makeSafe({ ...submission, proposal: item.proposal });
    const place = { skillName: name, version };
    const { editorId, earlierEditorIds } = item;
    const content = await this.contents.of(tx, item.id, { ...rebased, editorId, earlierEditorIds }, safe, place);
    if (content.artifactSha256 === item.artifactSha256 && content.supersedesId === item.supersedesId) return undefined;
    await this.items.refresh(tx, item, content, this.clock.now());
    await this.journal.append(tx, actor, submissionEntry('approval.refreshed', item.id, content));
    return content;
  }

  /** The live skill that the item turns out to replace or to contradict since: what was approved after it was submitted. */
  private async targetOf(tx: Tx, item: Item, { supersedesId }: Submission): Promise<{ skillName: string } | undefined> {
    if (item.supersedesId !== null || supersedesId === null || item.editorId !== null) return undefined;
    const entry = await this.org.find(supersedesId, tx);
    return entry?.skillName && entry.supersededAt === null ? { skillName: entry.skillName } : undefined;
  }

  /** Undefined where it does not wait any more. */
  async wording(itemId: string): Promise<WaitingWords | undefined> {
    const { client } = this.database;
    const item = await this.items.find(client, itemId);
    if (item?.state !== 'pending') return undefined;
    const isPersons = await this.isPersons(client, item);
    return { wording: item.evidence.wording, actionFingerprint: item.actionFingerprint, isPersons };
  }

  /** A person edited it or voted for it. */
  private async isPersons(tx: Tx, item: Item): Promise<boolean> {
    return item.editorId !== null || (await this.votes.approvers(tx, [item])).size > 0;
  }

  /**
   * Takes back what another proposal says as well (E3). What a person edited or voted for stays; false where nothing is
   * withdrawn.
   */
  async withdraw(actor: JobActor, itemId: string, reason: string): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const item = await this.items.lock(tx, itemId);
      if (item?.state !== 'pending' || (await this.isPersons(tx, item))) return false;
      const { artifactSha256, skillName } = item;
      return this.withdrawals.withdraw(tx, actor, item, { artifactSha256, skillName, reason });
    });
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

  /** The skill that the item is about may have got another name since. */
  private async currentName(tx: Tx, { supersedesId, skillName }: Item): Promise<string> {
    let entry = supersedesId === null ? undefined : await this.org.find(supersedesId, tx);
    while (entry?.supersededById) entry = await this.org.find(entry.supersededById, tx);
    return entry?.supersededAt === null ? (entry.skillName ?? skillName) : skillName;
  }

  private async freeName(wanted: string, fingerprint: string): Promise<string> {
    const plain = skillSlug(wanted);
    const taken =
      (await this.org.lastVersion(plain)) > 0 || (await this.items.skillNameTaken(this.database.client, plain));
    return taken ? skillSlug(plain, sha256(fingerprint).slice(0, 8)) : plain;
  }
}
