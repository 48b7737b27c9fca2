import { Module } from '@nestjs/common';
import { MemoryModule } from '../memory/memory.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { ContradictionRepository } from './contradictions/contradiction.repository.js';
import { Contradictions } from './contradictions/contradictions.service.js';
import { ApprovalRepository } from './proposals/approval.repository.js';
import { AudienceRepository } from './proposals/audience.repository.js';
import { ItemContents } from './proposals/item-contents.service.js';
import { ApprovalQueue } from './queue/approval-queue.service.js';
import { ApprovedPatterns } from './queue/approved-patterns.service.js';
import { ClaimsRepository } from './queue/claims.repository.js';
import { RetirementRequests } from './queue/retirement-requests.service.js';
import { Withdrawals } from './queue/withdrawals.service.js';
import { VoteRepository } from './voting/vote.repository.js';

/** The way into the queue, for jobs: whoever imports this cannot be given what decides, writes or publishes. */
@Module({
  imports: [MemoryModule, WebhooksModule],
  providers: [
    ApprovalRepository,
    ClaimsRepository,
    AudienceRepository,
    VoteRepository,
    ItemContents,
    ContradictionRepository,
    Contradictions,
    Withdrawals,
    ApprovalQueue,
    RetirementRequests,
    ApprovedPatterns,
  ],
  exports: [ApprovalQueue, RetirementRequests, ApprovedPatterns],
})
export class ApprovalQueueModule {}
