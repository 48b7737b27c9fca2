import { Module } from '@nestjs/common';
import { MemoryModule } from '../memory/memory.module.js';
import { OrgMemoryModule } from '../memory/org-memory.module.js';
import { PublicationOutboxModule } from '../skills/publication-outbox.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { SkillsModule } from '../skills/skills.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { ApprovalRepository } from './approval.repository.js';
import { ApprovalExpiryJob } from './approval-expiry.job.js';
import { ApprovalQueue } from './approval-queue.service.js';
import { ApprovalViews } from './approval-views.service.js';
import { ApprovalsController } from './approvals.controller.js';
import { Approvals } from './approvals.service.js';
import { ApprovedPatterns } from './approved-patterns.service.js';
import { AudienceRepository } from './audience.repository.js';
import { HandEditsJob } from './hand-edits.job.js';
import { HandEdits } from './hand-edits.service.js';
import { ItemContents } from './item-contents.service.js';
import { OpenItems } from './open-items.service.js';
import { Overrides } from './overrides.service.js';
import { Refusals } from './refusals.service.js';
import { RenamingController } from './renaming.controller.js';
import { Renaming } from './renaming.service.js';
import { Reopening } from './reopening.service.js';
import { RetirementRequests } from './retirement-requests.service.js';
import { Revisions } from './revisions.service.js';
import { Settlement } from './settlement.service.js';
import { StaleItems } from './stale-items.service.js';
import { VoteRepository } from './vote.repository.js';

/** Exports the way into the queue only: whoever imports this cannot be given what decides, writes or publishes. */
@Module({
  imports: [MemoryModule, OrgMemoryModule, SkillsModule, SkillEffectModule, PublicationOutboxModule, WebhooksModule],
  controllers: [ApprovalsController, RenamingController],
  providers: [
    ApprovalRepository,
    AudienceRepository,
    ApprovalQueue,
    RetirementRequests,
    ApprovedPatterns,
    ApprovalViews,
    VoteRepository,
    ItemContents,
    OpenItems,
    Revisions,
    Reopening,
    Overrides,
    StaleItems,
    Settlement,
    HandEdits,
    Renaming,
    Approvals,
    Refusals,
    ApprovalExpiryJob,
    HandEditsJob,
  ],
  exports: [ApprovalQueue, RetirementRequests, ApprovedPatterns],
})
export class ApprovalsModule {}
