import { Module } from '@nestjs/common';
import { MemoryModule } from '../memory/memory.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { ApprovalRepository } from './approval.repository.js';
import { ApprovalQueue } from './approval-queue.service.js';
import { ApprovedPatterns } from './approved-patterns.service.js';
import { AudienceRepository } from './audience.repository.js';
import { ClaimsRepository } from './claims.repository.js';
import { ContradictionRepository } from './contradiction.repository.js';
import { Contradictions } from './contradictions.service.js';
import { ItemContents } from './item-contents.service.js';
import { RetirementRequests } from './retirement-requests.service.js';
import { VoteRepository } from './vote.repository.js';
import { Withdrawals } from './withdrawals.service.js';

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
