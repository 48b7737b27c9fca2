import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../../access/identity/caller.js';
import { covers } from '../../access/identity/remit.js';
import type { Approval } from '../../approvals/proposals/approvals.schema.js';
import { entityTag } from '../../approvals/proposals/entity-tag.js';
import { ApprovalViews } from '../../approvals/queue/approval-views.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { decides } from '../frame/desk.service.js';
import { editView, previewView, proposalOf, type Words, wordsOf } from './edit-form.js';
import { packetView } from './packet.js';

/** What a person who is about to decide is shown. */
@Injectable()
export class Reviews {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly views: ApprovalViews,
  ) {}

  async packet(caller: Caller, id: string) {
    const item = await this.views.show(id);
    const voted = await this.views.votedBy(caller.id, [item]);
    return {
      title: item.title,
      view: packetView(item, {
        now: this.clock.now(),
        name: caller.name,
        canDecide: decides(caller) && covers(caller.remit, item.audience),
        isReviewer: decides(caller),
        hasVoted: item.state === 'pending' && voted.has(id),
        reach: await this.views.reach(),
        percent: this.config.rolloutPercent,
      }),
    };
  }

  /** The edit form with the item's words, or with those that somebody typed. Throws `conflict` where none are. */
  async editPage(id: string, typed?: { words: Words; isStale: boolean }) {
    const item = await this.views.show(id);
    requireEditable(item);
    const words = typed?.words ?? wordsOf(item.proposal);
    return editView({
      ...{ item, words, tag: entityTag(item), isFresh: typed === undefined, isStale: typed?.isStale ?? false },
      preview: await this.preview(item, words),
    });
  }

  /** The preview alone. */
  async previewOf(id: string, words: Words) {
    return this.preview(await this.views.show(id), words);
  }

  async nameOf(id: string): Promise<string> {
    return (await this.views.show(id)).skillName;
  }

  /** Whether it contradicts a live skill: another wording settles what it is. */
  async isConflict(id: string): Promise<boolean> {
    return (await this.views.show(id)).kind === 'conflict';
  }

  private async preview({ id, artifactSha256 }: Approval, words: Words) {
    const read = proposalOf(words);
    if ('problems' in read) return previewView(read, artifactSha256);
    try {
      return previewView(await this.views.preview(id, read.proposal), artifactSha256);
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== 'invalid') throw error;
      return previewView({ problems: [error.message] }, artifactSha256);
    }
  }
}

function requireEditable({ state, kind }: Approval): void {
  if (state !== 'pending')
    throw new DomainError('conflict', 'approval.already_decided', `This item is ${state} already.`);
  if (kind === 'retire')
    throw new DomainError('conflict', 'approval.not_editable', 'A retirement says nothing that could be edited.');
}
