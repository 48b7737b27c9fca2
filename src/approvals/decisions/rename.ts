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
import { WebhookOutbox } from '../../webhooks/webhook-outbox.service.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import type { Item } from '../proposals/approval-item.js';
import { existing, toSummary } from '../proposals/approval-summary.js';
import type { ApprovalSummary } from '../proposals/approvals.schema.js';
import { expiryOf } from '../proposals/expiry.js';
import { ItemContents } from '../proposals/item-contents.service.js';
import { LiveSkills } from '../proposals/live-skills.service.js';
import { newsOf } from '../proposals/news.js';
import { submissionEntry, withoutEdit } from '../proposals/submission.js';
import { requireRemit } from '../voting/open-item.js';

/** Asks for another name of a skill. The name is a part of the file, so the file with it has to be approved. */
@Injectable()
export class RenameSkill {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly contents: ItemContents,
    private readonly org: OrgEntries,
    private readonly skills: LiveSkills,
    private readonly webhooks: WebhookOutbox,
  ) {}

  /**
   * Opens an item, or changes the one that waits. Throws `not_found` without such a skill, `invalid` for a name that no
   * folder can have, `conflict` for one that is taken.
   */
  async rename(reviewer: ReviewerActor, name: string, to: string): Promise<ApprovalSummary> {
    if (!isSkillName(to)) throw new DomainError('invalid', 'skill.bad_name', `No skill can be called "${to}".`);
    return this.database.transaction(async (tx) => {
      const { entry: live, approved } = await this.skills.require(tx, name);
      requireRemit(reviewer, approved);
      const fingerprint = `rename:${name}`;
      const pending = (await this.items.ofFingerprint(tx, fingerprint)).find(({ state }) => state === 'pending');
      if (await this.isTaken(tx, to, pending))
        throw new DomainError('conflict', 'skill.name_taken', `Another skill is called "${to}", or is to be.`);
      const id = pending?.id ?? this.ids.uuid();
      const version = Math.max(approved.version, await this.org.lastVersion(to, tx)) + 1;
      // The words were approved before; new is the name, which is this person's alone.
      const hands = { editorId: reviewer.id, earlierEditorIds: [] };
      const asked = {
        ...withoutEdit(approved),
        ...hands,
        kind: 'amend' as const,
        supersedesId: live.id,
        cycleId: null,
      };
      const content = await this.contents.of(tx, id, asked, approved, { skillName: to, version });
      const now = this.clock.now();
      const expiresAt = expiryOf(now, this.config);
      if (pending) await this.items.refresh(tx, pending, content, now);
      else await this.items.create(tx, content, { id, fingerprint, createdAt: now, expiresAt });
      const action = pending ? 'approval.refreshed' : 'approval.rename_asked';
      await this.journal.append(tx, reviewer, submissionEntry(action, id, content));
      if (!pending) await this.webhooks.announce(tx, newsOf('approval.submitted', { ...content, id }));
      return toSummary(existing(await this.items.find(tx, id), id), []);
    });
  }

  private async isTaken(tx: Tx, to: string, own: Item | undefined): Promise<boolean> {
    if ((await this.org.liveSkill(to, tx)) !== undefined) return true;
    return own?.skillName !== to && (await this.items.skillNameTaken(tx, to));
  }
}
