import { Injectable } from '@nestjs/common';
import type { AdminActor, ReviewerActor } from '../../journal/actor.js';
import { Database, isUniqueViolation } from '../../platform/database/database.js';
import type { RolloutPercent } from '../../skills/delivery/audience.js';
import type { Rollout } from '../../skills/delivery/rollout.schema.js';
import { RolloutStages, rolloutConflict } from '../../skills/delivery/rollout-stages.service.js';
import { LiveSkills } from '../proposals/live-skills.service.js';
import { requireReviewScope } from '../voting/open-proposal.js';

/** Which share of the agents receives a live skill: for reviewers within their review scope, and for administrators. */
@Injectable()
export class SetSkillRollout {
  constructor(
    private readonly database: Database,
    private readonly skills: LiveSkills,
    private readonly rollouts: RolloutStages,
  ) {}

  /** Throws `not_found` without such a skill, `forbidden` outside the review scope, `conflict` when somebody was faster. */
  async set(actor: ReviewerActor | AdminActor, name: string, percent: RolloutPercent): Promise<Rollout> {
    try {
      return await this.database.transaction(async (tx) => {
        const { entry, approved } = await this.skills.require(tx, name);
        if (actor.kind === 'reviewer') requireReviewScope(actor, approved);
        return await this.rollouts.set(tx, actor, entry, percent);
      });
    } catch (error) {
      throw isUniqueViolation(error) ? rolloutConflict(name) : error;
    }
  }
}
