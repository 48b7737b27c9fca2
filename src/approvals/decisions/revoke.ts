import { Injectable } from '@nestjs/common';
import type { ReviewerActor } from '../../journal/actor.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { Clock } from '../../platform/base/clock.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import { Ids } from '../../platform/base/ids.js';
import { Database } from '../../platform/database/database.js';
import { Publisher } from '../../skills/publishing/publisher.service.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import { existing, toSummary } from '../proposals/approval-summary.js';
import type { ApprovalSummary } from '../proposals/approvals.schema.js';
import { retirementOf } from '../proposals/retirement.js';
import { voteOn } from '../voting/ballot.js';
import { requireMatch, requireRemit } from '../voting/open-item.js';
import { VoteCaster } from '../voting/vote-caster.service.js';

/** Takes an approval back: this reviewer's decision retires the skill, as an item with a journal entry of its own. */
@Injectable()
export class RevokeApproval {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly items: ApprovalRepository,
    private readonly org: OrgEntries,
    private readonly caster: VoteCaster,
    private readonly publisher: Publisher,
  ) {}

  /** Throws `conflict` when the approval's skill is not live any more, `forbidden` outside the remit. */
  async revoke(reviewer: ReviewerActor, id: string, reason: string, ifMatch?: string): Promise<ApprovalSummary> {
    const { text } = redact(reason);
    const retired = await this.database.transaction(async (tx) => {
      const approved = existing(await this.items.lock(tx, id), id);
      requireRemit(reviewer, approved);
      requireMatch(approved, ifMatch);
      const live = await this.org.liveSkill(approved.skillName, tx);
      if (live?.approvalId !== id)
        throw new DomainError('conflict', 'approval.not_live', 'No live skill stands on this approval.');
      const now = this.clock.now();
      const retirement = await this.items.create(tx, retirementOf(approved, live.id), {
        id: this.ids.uuid(),
        fingerprint: `revoke:${live.id}`,
        createdAt: now,
        expiresAt: new Date(now.getTime() + HOUR_MS),
      });
      const [result] = await this.caster.cast(tx, [{ ...voteOn(reviewer, retirement, []), reason: text }]);
      return existing(result, retirement.id);
    });
    this.publisher.wake();
    return toSummary(retired.item, retired.approvers);
  }
}
