import { Module } from '@nestjs/common';
import { MemoryModule } from '../memory/memory.module.js';
import { OrgMemoryModule } from '../memory/org-memory.module.js';
import { PublicationOutboxModule } from '../skills/publication-outbox.module.js';
import { SkillsModule } from '../skills/skills.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { ApprovalRepository } from './approval.repository.js';
import { ApprovalExpiryJob } from './approval-expiry.job.js';
import { ApprovalQueue } from './approval-queue.service.js';
import { ApprovalViews } from './approval-views.service.js';
import { ApprovalsController } from './approvals.controller.js';
import { Approvals } from './approvals.service.js';
import { Refusals } from './refusals.service.js';
import { Settlement } from './settlement.service.js';

/** Exports the way into the queue only: whoever imports this cannot be given what decides, writes or publishes. */
@Module({
  imports: [MemoryModule, OrgMemoryModule, SkillsModule, PublicationOutboxModule, WebhooksModule],
  controllers: [ApprovalsController],
  providers: [ApprovalRepository, ApprovalQueue, ApprovalViews, Settlement, Approvals, Refusals, ApprovalExpiryJob],
  exports: [ApprovalQueue],
})
export class ApprovalsModule {}
