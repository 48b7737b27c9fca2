import { Module } from '@nestjs/common';
import { MemoryModule } from '../memory/memory.module.js';
import { OrgMemoryModule } from '../memory/store/org-memory.module.js';
import { PublicationOutboxModule } from '../skills/publishing/publication-outbox.module.js';
import { SkillEffectModule } from '../skills/skill-effect.module.js';
import { SkillsModule } from '../skills/skills.module.js';
import { ApproveProposal } from './decisions/approve.js';
import { EditWording } from './decisions/edit.js';
import { LiveSkillsController } from './decisions/live-skills.controller.js';
import { OverrideRules } from './decisions/override.js';
import { RecordRefusal } from './decisions/record-refusal.js';
import { RejectProposal } from './decisions/reject.js';
import { RenameSkill } from './decisions/rename.js';
import { ReopenProposal } from './decisions/reopen.js';
import { ResolveContradiction } from './decisions/resolve.js';
import { RetireSkill } from './decisions/retire.js';
import { SetSkillRollout } from './decisions/set-rollout.js';
import { ExternalEditSubmitter } from './external/external-edit-submitter.service.js';
import { AudienceRepository } from './proposals/audience.repository.js';
import { LiveSkills } from './proposals/live-skills.service.js';
import { ProposalRepository } from './proposals/proposal.repository.js';
import { ProposalBuilder } from './proposals/proposal-builder.service.js';
import { ProposalsController } from './proposals.controller.js';
import { ClaimsRepository } from './queue/claims.repository.js';
import { ProposalReader } from './queue/proposal-reader.service.js';
import { ProposalWithdrawer } from './queue/proposal-withdrawer.service.js';
import { QueuePageRepository } from './queue/queue-page.repository.js';
import { WriterRecordRepository } from './queue/writer-records.repository.js';
import { WriterRecords } from './queue/writer-records.service.js';
import { SubmitExternalEdit } from './submissions/submit-external-edit.js';
import { ExpireProposals } from './upkeep/expire.js';
import { ProposalExpiryJob } from './upkeep/proposal-expiry.job.js';
import { ProposalWordIndexer } from './upkeep/proposal-word-indexer.service.js';
import { RebaseProposals } from './upkeep/rebase.js';
import { ContradictionRepository } from './voting/contradiction.repository.js';
import { Contradictions } from './voting/contradictions.service.js';
import { DecisionApplier } from './voting/decision-applier.service.js';
import { OpenProposals } from './voting/open-proposals.service.js';
import { RevisionWriter } from './voting/revision-writer.service.js';
import { VoteRepository } from './voting/vote.repository.js';
import { VoteCaster } from './voting/vote-caster.service.js';
import { VoteRequirements } from './voting/vote-requirements.service.js';

/** The decisions of people, one file each in `decisions`. */
const DECISIONS = [
  ApproveProposal,
  RejectProposal,
  RetireSkill,
  OverrideRules,
  EditWording,
  ResolveContradiction,
  ReopenProposal,
  RenameSkill,
  SetSkillRollout,
  RecordRefusal,
];

/** The decisions of people. Only the console imports this module; jobs use `ProposalQueueModule`. */
@Module({
  imports: [MemoryModule, OrgMemoryModule, SkillsModule, SkillEffectModule, PublicationOutboxModule],
  controllers: [ProposalsController, LiveSkillsController],
  providers: [
    ProposalRepository,
    ClaimsRepository,
    AudienceRepository,
    QueuePageRepository,
    VoteRepository,
    VoteRequirements,
    WriterRecordRepository,
    WriterRecords,
    ContradictionRepository,
    ProposalReader,
    ProposalBuilder,
    LiveSkills,
    Contradictions,
    ProposalWithdrawer,
    OpenProposals,
    DecisionApplier,
    VoteCaster,
    RevisionWriter,
    SubmitExternalEdit,
    ExternalEditSubmitter,
    ...DECISIONS,
    ExpireProposals,
    RebaseProposals,
    ProposalWordIndexer,
    ProposalExpiryJob,
  ],
  exports: [ProposalReader, WriterRecords, ...DECISIONS],
})
export class ApprovalsModule {}
