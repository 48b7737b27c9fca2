import { Module } from '@nestjs/common';
import { MemoryModule } from '../memory/memory.module.js';
import { OrgMemoryModule } from '../memory/store/org-memory.module.js';
import { PublicationOutboxModule } from '../skills/publishing/publication-outbox.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { SkillsModule } from '../skills/skills.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { ApprovalsController } from './approvals.controller.js';
import { ContradictionRepository } from './contradictions/contradiction.repository.js';
import { Contradictions } from './contradictions/contradictions.service.js';
import { Approvals } from './decisions/approvals.service.js';
import { JointApprovals } from './decisions/joint-approvals.service.js';
import { LiveSkillsController } from './decisions/live-skills.controller.js';
import { Overrides } from './decisions/overrides.service.js';
import { Refusals } from './decisions/refusals.service.js';
import { Renaming } from './decisions/renaming.service.js';
import { Reopening } from './decisions/reopening.service.js';
import { Revisions } from './decisions/revisions.service.js';
import { Staging } from './decisions/staging.service.js';
import { HandEditsJob } from './external/hand-edits.job.js';
import { HandEdits } from './external/hand-edits.service.js';
import { ApprovalRepository } from './proposals/approval.repository.js';
import { AudienceRepository } from './proposals/audience.repository.js';
import { ItemContents } from './proposals/item-contents.service.js';
import { ApprovalViews } from './queue/approval-views.service.js';
import { ClaimsRepository } from './queue/claims.repository.js';
import { QueuePageRepository } from './queue/queue-page.repository.js';
import { Withdrawals } from './queue/withdrawals.service.js';
import { ApprovalExpiryJob } from './upkeep/approval-expiry.job.js';
import { ItemWords } from './upkeep/item-words.service.js';
import { StaleItems } from './upkeep/stale-items.service.js';
import { OpenItems } from './voting/open-items.service.js';
import { Settlement } from './voting/settlement.service.js';
import { VoteRepository } from './voting/vote.repository.js';

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
