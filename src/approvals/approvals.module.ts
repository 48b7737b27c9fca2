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
import { ApproveProposal } from './decisions/approve.js';
import { EditWording } from './decisions/edit.js';
import { LiveSkillsController } from './decisions/live-skills.controller.js';
import { OverrideRules } from './decisions/override.js';
import { RecordRefusal } from './decisions/record-refusal.js';
import { RejectProposal } from './decisions/reject.js';
import { RenameSkill } from './decisions/rename.js';
import { ReopenProposal } from './decisions/reopen.js';
import { ResolveContradiction } from './decisions/resolve.js';
import { RevokeApproval } from './decisions/revoke.js';
import { SetSkillRollout } from './decisions/set-rollout.js';
import { HandEditsJob } from './external/hand-edits.job.js';
import { HandEdits } from './external/hand-edits.service.js';
import { ApprovalRepository } from './proposals/approval.repository.js';
import { AudienceRepository } from './proposals/audience.repository.js';
import { ItemContents } from './proposals/item-contents.service.js';
import { LiveSkills } from './proposals/live-skills.service.js';
import { ApprovalViews } from './queue/approval-views.service.js';
import { ClaimsRepository } from './queue/claims.repository.js';
import { QueuePageRepository } from './queue/queue-page.repository.js';
import { Withdrawals } from './queue/withdrawals.service.js';
import { SubmitEdit } from './submissions/submit-edit.js';
import { ApprovalExpiryJob } from './upkeep/approval-expiry.job.js';
import { ExpireProposals } from './upkeep/expire.js';
import { ItemWords } from './upkeep/item-words.service.js';
import { RebaseProposals } from './upkeep/rebase.js';
import { DecisionApplier } from './voting/decision-applier.service.js';
import { OpenItems } from './voting/open-items.service.js';
import { RevisionWriter } from './voting/revision-writer.service.js';
import { VoteRepository } from './voting/vote.repository.js';
import { VoteCaster } from './voting/vote-caster.service.js';

/** The verbs of people: one file of `decisions` each. */
const DECISIONS = [
  ApproveProposal,
  RejectProposal,
  RevokeApproval,
  OverrideRules,
  EditWording,
  ResolveContradiction,
  ReopenProposal,
  RenameSkill,
  SetSkillRollout,
  RecordRefusal,
];

/** Where people decide. The console alone imports it; jobs are given `ApprovalQueueModule`. */
@Module({
  imports: [MemoryModule, OrgMemoryModule, SkillsModule, SkillEffectModule, PublicationOutboxModule, WebhooksModule],
  controllers: [ApprovalsController, LiveSkillsController],
  providers: [
    ApprovalRepository,
    ClaimsRepository,
    AudienceRepository,
    QueuePageRepository,
    VoteRepository,
    ContradictionRepository,
    ApprovalViews,
    ItemContents,
    LiveSkills,
    Contradictions,
    Withdrawals,
    OpenItems,
    DecisionApplier,
    VoteCaster,
    RevisionWriter,
    SubmitEdit,
    HandEdits,
    HandEditsJob,
    ...DECISIONS,
    ExpireProposals,
    RebaseProposals,
    ItemWords,
    ApprovalExpiryJob,
  ],
  exports: [ApprovalViews, ...DECISIONS],
})
export class ApprovalsModule {}
