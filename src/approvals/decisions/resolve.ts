import { Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../../journal/actor.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { ContradictionRepository } from '../contradictions/contradiction.repository.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import type { Item } from '../proposals/approval-item.js';
import { existing } from '../proposals/approval-summary.js';
import type { ApprovalSummary, Resolve } from '../proposals/approvals.schema.js';
import { ItemContents } from '../proposals/item-contents.service.js';
import { LiveSkills } from '../proposals/live-skills.service.js';
import { reworded } from '../proposals/quorum.js';
import { makeSafe, submissionOf } from '../proposals/submission.js';
import type { Seen } from '../voting/open-item.js';
import { OpenItems } from '../voting/open-items.service.js';
import { RevisionWriter } from '../voting/revision-writer.service.js';
import { RejectProposal } from './reject.js';

/** Settles a contradiction between a proposal and a live skill, or another proposal. */
@Injectable()
export class ResolveContradiction {
  constructor(
    private readonly database: Database,
    private readonly items: ApprovalRepository,
    private readonly rejectProposal: RejectProposal,
    private readonly skills: LiveSkills,
    private readonly open: OpenItems,
    private readonly revisions: RevisionWriter,
    private readonly contents: ItemContents,
    private readonly contradictions: ContradictionRepository,
  ) {}

  /**
   * Settles what an item that contradicts another one is: the live skill's successor, a wording that has room for both, or
   * nothing that the other should give way to. Throws `conflict` for every other item, and where the item changed, was
   * decided or has expired.
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
      return this.revisions.revise(tx, reviewer, item, content, 'approval.resolved');
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
    return this.rejectProposal.reject(reviewer, id, `${stands} stands.`, seen);
  }

  /** A skill that has room for both answers for what both were learned from. */
  private async fingerprintsOfBoth(tx: Tx, item: Item): Promise<string[]> {
    if (item.supersedesId === null) {
      const rivals = (await this.contradictions.rivals(tx, [item.id])).get(item.id) ?? [];
      const waiting = rivals.filter(({ state }) => state === 'pending');
      return [...new Set([...item.fingerprints, ...waiting.flatMap(({ fingerprints }) => fingerprints)])];
    }
    const live = await this.skills.find(tx, item.skillName);
    return [...new Set([...item.fingerprints, ...(live?.approved.fingerprints ?? [])])];
  }
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
