import { Injectable } from '@nestjs/common';
import type { AdminActor, ReviewerActor } from '../../journal/actor.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Database, isUniqueViolation } from '../../platform/database/database.js';
import type { Stage } from '../../skills/delivery/audience.js';
import type { Rollout } from '../../skills/delivery/rollout.schema.js';
import { changedMeanwhile, Rollouts } from '../../skills/delivery/rollouts.service.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import { requireRemit } from '../voting/open-item.js';

/** Which share of the agents receives a live skill: for reviewers within their remit, and for administrators. */
@Injectable()
export class Staging {
  constructor(
    private readonly database: Database,
    private readonly items: ApprovalRepository,
    private readonly org: OrgEntries,
    private readonly rollouts: Rollouts,
  ) {}

  /** Throws `not_found` without such a skill, `forbidden` outside the remit, `conflict` when somebody was faster. */
  async set(actor: ReviewerActor | AdminActor, name: string, percent: Stage): Promise<Rollout> {
    try {
      return await this.database.transaction(async (tx) => {
        const live = await this.org.liveSkill(name, tx);
        const approved = live?.approvalId ? await this.items.find(tx, live.approvalId) : undefined;
        if (!live || !approved) throw new DomainError('not_found', 'skill.not_found', `There is no skill "${name}".`);
        if (actor.kind === 'reviewer') requireRemit(actor, approved);
        return await this.rollouts.set(tx, actor, live, percent);
      });
    } catch (error) {
      throw isUniqueViolation(error) ? changedMeanwhile(name) : error;
    }
  }
}
