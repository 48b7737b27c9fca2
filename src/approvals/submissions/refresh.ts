import { Injectable } from '@nestjs/common';
import { type JobActor, requireJob } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { type Tx, WorkerDatabase } from '../../platform/database/database.js';
import { Contradictions } from '../contradictions/contradictions.service.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import type { Item, ItemContent } from '../proposals/approval-item.js';
import { ItemContents } from '../proposals/item-contents.service.js';
import { makeSafe, rebase, type Safe, type Submission, submissionEntry } from '../proposals/submission.js';
import { VoteRepository } from '../voting/vote.repository.js';
import type { SubmissionResult } from './submit.js';

/** Gives the pending item of a pattern its new evidence. */
@Injectable()
export class RefreshProposal {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly votes: VoteRepository,
    private readonly contents: ItemContents,
    private readonly org: OrgEntries,
    private readonly contradictions: Contradictions,
  ) {}

  /**
   * Writes another revision. What a person edited or voted for stands still, unless the skill that it is about moved on;
   * then the person's wording is kept. Throws `conflict` when the item is decided.
   */
  async refresh(actor: JobActor, itemId: string, submission: Submission): Promise<SubmissionResult> {
    requireJob(actor);
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
    if (!hasMoved && (await this.votes.isTouchedByReviewer(tx, item))) return undefined;
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

  /** The skill that the item is about may have got another name since. */
  private async currentName(tx: Tx, { supersedesId, skillName }: Item): Promise<string> {
    let entry = supersedesId === null ? undefined : await this.org.find(supersedesId, tx);
    while (entry?.supersededById) entry = await this.org.find(entry.supersededById, tx);
    return entry?.supersededAt === null ? (entry.skillName ?? skillName) : skillName;
  }
}
