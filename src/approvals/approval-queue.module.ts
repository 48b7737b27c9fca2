import { Module } from '@nestjs/common';
import { MemoryModule } from '../memory/memory.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { ContradictionRepository } from './contradictions/contradiction.repository.js';
import { Contradictions } from './contradictions/contradictions.service.js';
import { ApprovalRepository } from './proposals/approval.repository.js';
import { AudienceRepository } from './proposals/audience.repository.js';
import { ItemContents } from './proposals/item-contents.service.js';
import { LiveSkills } from './proposals/live-skills.service.js';
import { ApprovalQueue } from './queue/approval-queue.service.js';
import { ClaimsRepository } from './queue/claims.repository.js';
import { Withdrawals } from './queue/withdrawals.service.js';
import { RefreshProposal } from './submissions/refresh.js';
import { RequestRetirement } from './submissions/request-retirement.js';
import { SubmitProposal } from './submissions/submit.js';
import { WithdrawProposal } from './submissions/withdraw.js';
import { WithdrawStaleRequests } from './submissions/withdraw-requests.js';
import { VoteRepository } from './voting/vote.repository.js';

/** The way into the queue, for jobs: a module that imports this one cannot be given what decides, writes or publishes. */
@Module({
  imports: [MemoryModule, WebhooksModule],
  providers: [
    ApprovalRepository,
    ClaimsRepository,
    AudienceRepository,
    VoteRepository,
    ItemContents,
    LiveSkills,
    ContradictionRepository,
    Contradictions,
    Withdrawals,
    ApprovalQueue,
    SubmitProposal,
    RefreshProposal,
    WithdrawProposal,
    RequestRetirement,
    WithdrawStaleRequests,
  ],
  exports: [ApprovalQueue, SubmitProposal, RefreshProposal, WithdrawProposal, RequestRetirement, WithdrawStaleRequests],
})
export class ApprovalQueueModule {}
