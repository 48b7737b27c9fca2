import { Module } from '@nestjs/common';
import { MemoryModule } from '../memory/memory.module.js';
import { OrgMemoryModule } from '../memory/org-memory.module.js';
import { PublicationOutboxModule } from '../skills/publication-outbox.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { SkillsModule } from '../skills/skills.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { ApprovalRepository } from './approval.repository.js';
import { ApprovalExpiryJob } from './approval-expiry.job.js';
import { ApprovalViews } from './approval-views.service.js';
import { ApprovalsController } from './approvals.controller.js';
import { Approvals } from './approvals.service.js';
import { AudienceRepository } from './audience.repository.js';
import { ClaimsRepository } from './claims.repository.js';
import { ContradictionRepository } from './contradiction.repository.js';
import { Contradictions } from './contradictions.service.js';
import { HandEditsJob } from './hand-edits.job.js';
import { HandEdits } from './hand-edits.service.js';
import { ItemContents } from './item-contents.service.js';
import { ItemWords } from './item-words.service.js';
import { JointApprovals } from './joint-approvals.service.js';
import { LiveSkillsController } from './live-skills.controller.js';
import { OpenItems } from './open-items.service.js';
import { Overrides } from './overrides.service.js';
import { QueuePageRepository } from './queue-page.repository.js';
import { Refusals } from './refusals.service.js';
import { Renaming } from './renaming.service.js';
import { Reopening } from './reopening.service.js';
import { Revisions } from './revisions.service.js';
import { Settlement } from './settlement.service.js';
import { Staging } from './staging.service.js';
import { StaleItems } from './stale-items.service.js';
import { VoteRepository } from './vote.repository.js';
import { Withdrawals } from './withdrawals.service.js';

/** Where people decide. The console alone imports it; jobs are given `ApprovalQueueModule`. */
@Module({
  imports: [MemoryModule, OrgMemoryModule, SkillsModule, SkillEffectModule, PublicationOutboxModule, WebhooksModule],
  controllers: [ApprovalsController, LiveSkillsController],
  providers: [
    ApprovalRepository,
    ClaimsRepository,
    AudienceRepository,
    ApprovalViews,
    QueuePageRepository,
    VoteRepository,
    ItemContents,
    ItemWords,
    ContradictionRepository,
    Contradictions,
    Withdrawals,
    OpenItems,
    Revisions,
    Reopening,
    Overrides,
    StaleItems,
    Settlement,
    JointApprovals,
    HandEdits,
    Renaming,
    Staging,
    Approvals,
    Refusals,
    ApprovalExpiryJob,
    HandEditsJob,
  ],
  exports: [ApprovalViews, Approvals, Revisions, Reopening, Overrides, Staging, Refusals],
})
export class ApprovalsModule {}
