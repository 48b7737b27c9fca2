import { Module } from '@nestjs/common';
import { MemoryModule } from '../memory/memory.module.js';
import { AudienceRepository } from './proposals/audience.repository.js';
import { LiveSkills } from './proposals/live-skills.service.js';
import { ProposalRepository } from './proposals/proposal.repository.js';
import { ProposalBuilder } from './proposals/proposal-builder.service.js';
import { ApprovedTextsRepository } from './queue/approved-texts.repository.js';
import { ClaimsRepository } from './queue/claims.repository.js';
import { ProposalQueue } from './queue/proposal-queue.service.js';
import { ProposalWithdrawer } from './queue/proposal-withdrawer.service.js';
import { WriterRecordRepository } from './queue/writer-records.repository.js';
import { WriterRecords } from './queue/writer-records.service.js';
import { ProposeMerge } from './submissions/propose-merge.js';
import { RefreshProposal } from './submissions/refresh.js';
import { RequestRetirement } from './submissions/request-retirement.js';
import { RetirementWriter } from './submissions/retirement-writer.service.js';
import { SubmitProposal } from './submissions/submit.js';
import { WithdrawProposal } from './submissions/withdraw.js';
import { WithdrawStaleRequests } from './submissions/withdraw-requests.js';
import { ContradictionRepository } from './voting/contradiction.repository.js';
import { Contradictions } from './voting/contradictions.service.js';
import { VoteRepository } from './voting/vote.repository.js';

/**
 * Submissions by jobs. A module that imports only this one cannot inject services that decide, write org memory or
 * publish.
 */
@Module({
  imports: [MemoryModule],
  providers: [
    ProposalRepository,
    ApprovedTextsRepository,
    ClaimsRepository,
    AudienceRepository,
    VoteRepository,
    ProposalBuilder,
    LiveSkills,
    ContradictionRepository,
    Contradictions,
    ProposalWithdrawer,
    ProposalQueue,
    WriterRecordRepository,
    WriterRecords,
    RetirementWriter,
    SubmitProposal,
    RefreshProposal,
    WithdrawProposal,
    RequestRetirement,
    ProposeMerge,
    WithdrawStaleRequests,
  ],
  exports: [
    ProposalQueue,
    WriterRecords,
    SubmitProposal,
    RefreshProposal,
    WithdrawProposal,
    RequestRetirement,
    ProposeMerge,
    WithdrawStaleRequests,
  ],
})
export class ProposalQueueModule {}
