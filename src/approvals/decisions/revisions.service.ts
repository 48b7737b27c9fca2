import { Injectable } from '@nestjs/common';
import { createTwoFilesPatch } from 'diff';
import type { ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { ContradictionRepository } from '../contradictions/contradiction.repository.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import type { Item, ItemContent } from '../proposals/approval-item.js';
import { existing, toSummary } from '../proposals/approval-summary.js';
import type { ApprovalSummary, EditProposal, Resolve } from '../proposals/approvals.schema.js';
import { ItemContents } from '../proposals/item-contents.service.js';
import { reworded } from '../proposals/quorum.js';
import { makeSafe } from '../proposals/submission.js';
import type { Seen } from '../voting/open-item.js';
import { OpenItems } from '../voting/open-items.service.js';
import { Approvals } from './approvals.service.js';

/** People's own hand in a waiting item: each change is a revision without votes, and names who made it. */
@Injectable()
export class Revisions {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly approvals: Approvals,
    private readonly org: OrgEntries,
    private readonly open: OpenItems,
    private readonly contents: ItemContents,
    private readonly contradictions: ContradictionRepository,
  ) {}

  /**
   * Puts another wording in the place of the revision that was read. Throws `conflict` when that one is not the current
   * one any more, `invalid` when it changes nothing or cannot be published.
   */
  async edit(
    reviewer: ReviewerActor,
    id: string,
    { artifactSha256, proposal }: EditProposal,
    ifMatch?: string,
  ): Promise<ApprovalSummary> {
    return this.database.transaction(async (tx) => {
      const item = await this.open.take(tx, reviewer, id, { artifactSha256, ifMatch });
      if (item.kind === 'retire')
        throw new DomainError('conflict', 'approval.not_editable', 'A retirement says nothing that could be edited.');
      await this.open.requireCurrent(tx, item);
      const content = await this.contents.of(
        tx,
        id,
        { ...submissionOf(item), ...reworded(item, reviewer.id) },
        makeSafe({ proposal, evidence: item.evidence }),
        item,
      );
      if (content.artifactSha256 === item.artifactSha256)
        throw new DomainError('invalid', 'approval.unchanged', 'The proposal says what the item says already.');
      return this.revise(tx, reviewer, item, content, 'approval.edited');
    });
  }

  /**
   * Settles what an item that contradicts another one is: the live skill's successor, a wording that has room for both, or
   * nothing that the other should give way to. Throws `conflict` for every other item, and as `edit` does.
   */
  async resolve(reviewer: ReviewerActor, id: string, resolution: Resolve, ifMatch?: string): Promise<ApprovalSummary> {
    const seen = { artifactSha256: resolution.artifactSha256, ifMatch };
    if (resolution.as === 'keep') return this.keep(reviewer, id, seen);
    return this.database.transaction(async (tx) => {
      const item = await this.open.take(tx, reviewer, id, seen);
      requireConflict(item);
      if (resolution.as === 'supersede') requireLive(item);
      await this.open.requireCurrent(tx, item);
      // Of two that wait, there is nothing yet that could be amended.
      const kind = item.supersedesId === null ? ('new_skill' as const) : resolution.as;
      const submission = { ...submissionOf(item), kind };
      const content =
        resolution.as === 'supersede'
          ? await this.contents.of(tx, id, submission, item, item)
          : await this.contents.of(
              tx,
              id,
              { ...submission, fingerprints: await this.fingerprintsOfBoth(tx, item), ...reworded(item, reviewer.id) },
              makeSafe({ proposal: resolution.proposal, evidence: item.evidence }),
              item,
            );
      return this.revise(tx, reviewer, item, content, 'approval.resolved');
    });
  }

  private async keep(reviewer: ReviewerActor, id: string, seen: Seen): Promise<ApprovalSummary> {
    const item = existing(await this.items.find(this.database.client, id), id);
    requireConflict(item);
    const [rival] = (await this.contradictions.rivals(this.database.client, [id])).get(id) ?? [];
    const stands =
      item.supersedesId === null && rival
        ? `The other proposal, "${rival.title}",`
        : `The live skill "${item.skillName}"`;
    return this.approvals.reject(reviewer, id, `${stands} stands.`, seen);
  }

  /** A skill that has room for both answers for what both were learned from. */
  private async fingerprintsOfBoth(tx: Tx, item: Item): Promise<string[]> {
    if (item.supersedesId === null) {
      const rivals = (await this.contradictions.rivals(tx, [item.id])).get(item.id) ?? [];
      const waiting = rivals.filter(({ state }) => state === 'pending');
      return [...new Set([...item.fingerprints, ...waiting.flatMap(({ fingerprints }) => fingerprints)])];
    }
    const live = await this.org.liveSkill(item.skillName, tx);
    const approved = live?.approvalId ? await this.items.find(tx, live.approvalId) : undefined;
    return [...new Set([...item.fingerprints, ...(approved?.fingerprints ?? [])])];
  }

  private async revise(
    tx: Tx,
    reviewer: ReviewerActor,
    item: Item,
    content: ItemContent,
    action: string,
  ): Promise<ApprovalSummary> {
    await this.items.refresh(tx, item, content, this.clock.now());
    await this.journal.append(tx, reviewer, {
      action,
      subject: { type: 'approval', id: item.id },
      data: {
        revision: item.revision + 1,
        kind: content.kind,
        artifactSha256: content.artifactSha256,
        insteadOf: item.artifactSha256,
        risk: content.risk,
        difference: createTwoFilesPatch('before', 'after', item.artifact, content.artifact),
      },
    });
    return toSummary(existing(await this.items.find(tx, item.id), item.id), []);
  }
}

function submissionOf({ edit, ...item }: Item) {
  return { ...item, ...(edit ? { edit } : {}) };
}

function requireConflict({ kind }: Item): void {
  if (kind !== 'conflict')
    throw new DomainError(
      'conflict',
      'approval.no_conflict',
      'This item contradicts neither a live skill nor what waits.',
    );
}

function requireLive({ supersedesId }: Item): void {
  if (supersedesId === null)
    throw new DomainError(
      'conflict',
      'approval.no_conflict',
      'No live skill is there to be replaced: what this contradicts waits, too. Approve it as it stands, write one wording for both, or keep the other.',
    );
}
