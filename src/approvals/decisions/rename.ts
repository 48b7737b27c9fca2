import { Inject, Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { CONFIG } from '../../platform/platform.module.js';
import { isSkillName } from '../../skills/document/slug.js';
import { LiveSkills } from '../proposals/live-skills.service.js';
import { proposalEntry, withoutEdit } from '../proposals/new-proposal.js';
import { expiryOf, type Proposal } from '../proposals/proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { ProposalBuilder } from '../proposals/proposal-builder.service.js';
import { requireFound, toSummary } from '../proposals/proposal-summary.js';
import type { ProposalSummary } from '../proposals/proposals.schema.js';
import { requireReviewScope } from '../voting/open-proposal.js';

/** Proposes another name for a skill. The name is a part of the file, so the file has to be approved again. */
@Injectable()
export class RenameSkill {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly proposals: ProposalRepository,
    private readonly builder: ProposalBuilder,
    private readonly org: OrgEntries,
    private readonly skills: LiveSkills,
  ) {}

  /**
   * Opens a proposal, or revises the pending one. Throws `not_found` if there is no such skill, `invalid` for a name
   * that is not a valid folder name, `conflict` for a name that is taken.
   */
  async rename(reviewer: ReviewerActor, name: string, to: string): Promise<ProposalSummary> {
    if (!isSkillName(to)) throw new DomainError('invalid', 'skill.bad_name', `"${to}" is not a valid skill name.`);
    return this.database.transaction(async (tx) => {
      const { entry: live, approved } = await this.skills.require(tx, name);
      requireReviewScope(reviewer, approved);
      const fingerprint = `rename:${name}`;
      const pending = (await this.proposals.findByFingerprint(tx, fingerprint)).find(
        ({ state }) => state === 'pending',
      );
      if (await this.isTaken(tx, to, pending))
        throw new DomainError(
          'conflict',
          'skill.name_taken',
          `The name "${to}" is taken by another skill or a pending proposal.`,
        );
      const id = pending?.id ?? this.ids.uuid();
      const version = Math.max(approved.version, await this.org.lastVersion(to, tx)) + 1;
      // The wording was approved before. Only the name is new, and this person is its author.
      const authors = { editorId: reviewer.id, earlierEditorIds: [] };
      const renamed = {
        ...withoutEdit(approved),
        ...authors,
        kind: 'amend' as const,
        supersedesId: live.id,
        cycleId: null,
      };
      const content = await this.builder.build(tx, id, renamed, approved, { skillName: to, version });
      const now = this.clock.now();
      const expiresAt = expiryOf(now, this.config);
      if (pending) await this.proposals.revise(tx, pending, content, now);
      else await this.proposals.create(tx, content, { id, fingerprint, createdAt: now, expiresAt });
      const action = pending ? 'proposal.refreshed' : 'proposal.rename_requested';
      await this.journal.append(tx, reviewer, proposalEntry(action, id, content));
      return toSummary(requireFound(await this.proposals.find(tx, id), id), []);
    });
  }

  private async isTaken(tx: Tx, to: string, own: Proposal | undefined): Promise<boolean> {
    if ((await this.org.liveSkill(to, tx)) !== undefined) return true;
    return own?.skillName !== to && (await this.proposals.isSkillNameTaken(tx, to));
  }
}
