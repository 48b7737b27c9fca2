import { Injectable } from '@nestjs/common';
import type { AdminActor, ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { answeredRecords } from '../../memory/store/answered-claim.js';
import { OrgMemoryWriter } from '../../memory/store/org-memory-writer.service.js';
import { Database, isUniqueViolation } from '../../platform/database/database.js';
import type { RolloutPercent } from '../../skills/delivery/audience.js';
import type { Rollout } from '../../skills/delivery/rollout.schema.js';
import { RolloutStages, rolloutConflict } from '../../skills/delivery/rollout-stages.service.js';
import { LiveSkills } from '../proposals/live-skills.service.js';
import { requireReviewScope } from '../voting/open-proposal.js';

/**
 * Sets the share of agents that receives a live skill. Once all receive it, claims that nothing overcomes its failures end.
 * For reviewers within their review scope, and for administrators.
 */
@Injectable()
export class SetSkillRollout {
  constructor(
    private readonly database: Database,
    private readonly skills: LiveSkills,
    private readonly rollouts: RolloutStages,
    private readonly orgMemory: OrgMemoryWriter,
    private readonly journal: Journal,
  ) {}

  /**
   * Throws `not_found` if there is no such skill, `forbidden` outside the review scope, `conflict` after a concurrent
   * change.
   */
  async set(actor: ReviewerActor | AdminActor, name: string, percent: RolloutPercent): Promise<Rollout> {
    try {
      return await this.database.transaction(async (tx) => {
        const { entry, approved } = await this.skills.require(tx, name);
        if (actor.kind === 'reviewer') requireReviewScope(actor, approved);
        const rollout = await this.rollouts.set(tx, actor, entry, percent);
        await this.journal.appendAll(tx, answeredRecords(actor, await this.orgMemory.answer(tx, [entry.id])));
        return rollout;
      });
    } catch (error) {
      throw isUniqueViolation(error) ? rolloutConflict(name) : error;
    }
  }
}
