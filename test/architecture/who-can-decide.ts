import type { ApproveProposal } from '../../src/approvals/decisions/approve.js';
import type { EditWording } from '../../src/approvals/decisions/edit.js';
import type { OverrideRules } from '../../src/approvals/decisions/override.js';
import type { RejectProposal } from '../../src/approvals/decisions/reject.js';
import type { RenameSkill } from '../../src/approvals/decisions/rename.js';
import type { ReopenProposal } from '../../src/approvals/decisions/reopen.js';
import type { ResolveContradiction } from '../../src/approvals/decisions/resolve.js';
import type { RetireSkill } from '../../src/approvals/decisions/retire.js';
import type { SetSkillRollout } from '../../src/approvals/decisions/set-rollout.js';
import type { NewProposal } from '../../src/approvals/proposals/new-proposal.js';
import type { Proposal } from '../../src/approvals/proposals/proposal.js';
import type { EditProposal, Override, Resolve } from '../../src/approvals/proposals/proposals.schema.js';
import type { RetirementRequest } from '../../src/approvals/proposals/retirement-request.schema.js';
import type { Merge, ProposeMerge } from '../../src/approvals/submissions/propose-merge.js';
import type { RefreshProposal } from '../../src/approvals/submissions/refresh.js';
import type { RequestRetirement } from '../../src/approvals/submissions/request-retirement.js';
import type { SubmitProposal } from '../../src/approvals/submissions/submit.js';
import type { SubmitExternalEdit } from '../../src/approvals/submissions/submit-external-edit.js';
import type { WithdrawProposal } from '../../src/approvals/submissions/withdraw.js';
import type { WithdrawStaleRequests } from '../../src/approvals/submissions/withdraw-requests.js';
import type { ExpireProposals } from '../../src/approvals/upkeep/expire.js';
import type { RebaseProposals } from '../../src/approvals/upkeep/rebase.js';
import type { CountedVote } from '../../src/approvals/voting/approval-request.js';
import type { DecisionApplier, SettledDecision } from '../../src/approvals/voting/decision-applier.service.js';
import type { OpenProposals } from '../../src/approvals/voting/open-proposals.service.js';
import type { RevisionWriter } from '../../src/approvals/voting/revision-writer.service.js';
import type { VoteCaster } from '../../src/approvals/voting/vote-caster.service.js';
import type { AdminActor, AgentActor, JobActor, ReviewerActor } from '../../src/journal/actor.js';
import type { ChainPosition } from '../../src/journal/chain.js';
import type { MemoryKeeping } from '../../src/memory/lessons/memory-keeping.service.js';
import type { MemoryEntry } from '../../src/memory/store/memory.schema.js';
import type { ApprovedSkill, OrgMemoryWriter } from '../../src/memory/store/org-memory-writer.service.js';
import type { LessonSharing } from '../../src/memory/upkeep/lesson-sharing.service.js';
import type { Tx } from '../../src/platform/database/database.js';
import type { ApprovedVersion, RolloutStages } from '../../src/skills/delivery/rollout-stages.service.js';
import type { ApprovedArtifact, PublicationOutbox } from '../../src/skills/publishing/publication-outbox.service.js';

/*
 * The gate as the compiler enforces it. Nothing here runs: the type check of `npm run check` compiles this file. An
 * unused `@ts-expect-error` is an error, so the check fails as soon as a job can be passed to a deciding verb. The
 * calls with a reviewer compile, which shows that the compiler rejects the actor and nothing else of a call.
 * gate.spec.ts checks that the compiler reads this file and that it contains every deciding verb.
 */

export async function whoCanDecide(
  { approve, reject, retire }: { approve: ApproveProposal; reject: RejectProposal; retire: RetireSkill },
  reviewer: ReviewerActor,
  others: { job: JobActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await approve.approve(reviewer, 'id', 'sha256');
  await reject.reject(reviewer, 'id', 'reason');
  await retire.retire(reviewer, 'id', 'reason');

  // @ts-expect-error a job does not approve
  await approve.approve(others.job, 'id', 'sha256');
  // @ts-expect-error an agent does not approve
  await approve.approve(others.agent, 'id', 'sha256');
  // @ts-expect-error an administrator does not approve
  await approve.approve(others.admin, 'id', 'sha256');
  // @ts-expect-error an object with the shape of a reviewer does not approve: only `access` creates the brand
  await approve.approve({ kind: 'reviewer', id: 'id', name: 'name', email: 'email' }, 'id', 'sha256');
  // @ts-expect-error an undefined actor does not approve
  await approve.approve(undefined, 'id', 'sha256');

  // @ts-expect-error a job does not reject
  await reject.reject(others.job, 'id', 'reason');
  // @ts-expect-error an agent does not reject
  await reject.reject(others.agent, 'id', 'reason');
  // @ts-expect-error an administrator does not reject
  await reject.reject(others.admin, 'id', 'reason');
  // @ts-expect-error an object with the shape of a reviewer does not decide
  await reject.reject({ kind: 'reviewer', id: 'id', name: 'name', email: 'email' }, 'id', 'reason');

  // @ts-expect-error a job retires no approved skill
  await retire.retire(others.job, 'id', 'reason');
  // @ts-expect-error an agent retires no approved skill
  await retire.retire(others.agent, 'id', 'reason');
  // @ts-expect-error an administrator retires no approved skill
  await retire.retire(others.admin, 'id', 'reason');
  // @ts-expect-error an object with the shape of a reviewer does not decide
  await retire.retire({ kind: 'reviewer', id: 'id', name: 'name', email: 'email' }, 'id', 'reason');
}

export async function whoCanChangePendingProposals(
  { words, conflict, decided }: { words: EditWording; conflict: ResolveContradiction; decided: ReopenProposal },
  { edit, resolution }: { edit: EditProposal; resolution: Resolve },
  reviewer: ReviewerActor,
  others: { job: JobActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await words.edit(reviewer, 'id', edit);

  // @ts-expect-error a job edits no proposal
  await words.edit(others.job, 'id', edit);
  // @ts-expect-error an agent edits no proposal
  await words.edit(others.agent, 'id', edit);
  // @ts-expect-error an administrator edits no proposal
  await words.edit(others.admin, 'id', edit);

  await conflict.resolve(reviewer, 'id', resolution);
  // @ts-expect-error a job resolves no conflict
  await conflict.resolve(others.job, 'id', resolution);
  // @ts-expect-error an agent resolves no conflict
  await conflict.resolve(others.agent, 'id', resolution);
  // @ts-expect-error an administrator resolves no conflict
  await conflict.resolve(others.admin, 'id', resolution);

  await decided.reopen(reviewer, 'id', 'reason');
  // @ts-expect-error a job reopens nothing
  await decided.reopen(others.job, 'id', 'reason');
  // @ts-expect-error an agent reopens nothing
  await decided.reopen(others.agent, 'id', 'reason');
  // @ts-expect-error an administrator reopens nothing
  await decided.reopen(others.admin, 'id', 'reason');
}

export async function whoCanOverride(
  rules: OverrideRules,
  request: Override,
  reviewer: ReviewerActor,
  others: { job: JobActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await rules.override(reviewer, 'id', request);

  // @ts-expect-error a job overrides nothing
  await rules.override(others.job, 'id', request);
  // @ts-expect-error an agent overrides nothing
  await rules.override(others.agent, 'id', request);
  // @ts-expect-error an administrator overrides nothing
  await rules.override(others.admin, 'id', request);
}

export async function whoCanRenameSkills(
  skill: RenameSkill,
  reviewer: ReviewerActor,
  others: { job: JobActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await skill.rename(reviewer, 'name', 'to');

  // @ts-expect-error a job renames no skill
  await skill.rename(others.job, 'name', 'to');
  // @ts-expect-error an agent renames no skill
  await skill.rename(others.agent, 'name', 'to');
  // @ts-expect-error an administrator renames no skill
  await skill.rename(others.admin, 'name', 'to');
}

interface DecisionServices {
  readonly open: OpenProposals;
  readonly caster: VoteCaster;
  readonly applier: DecisionApplier;
  readonly revisions: RevisionWriter;
}

export async function whoCanUseDecisionServices(
  { open, caster, applier }: DecisionServices,
  {
    tx,
    proposal,
    journal,
    vote,
    how,
  }: { tx: Tx; proposal: Proposal; journal: ChainPosition; vote: CountedVote; how: SettledDecision },
  reviewer: ReviewerActor,
  others: { job: JobActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await open.lockInScope(tx, reviewer, 'id');
  // @ts-expect-error a job locks no proposal for a decision
  await open.lockInScope(tx, others.job, 'id');
  // @ts-expect-error an agent locks no proposal for a decision
  await open.lockInScope(tx, others.agent, 'id');
  // @ts-expect-error an administrator locks no proposal for a decision
  await open.lockInScope(tx, others.admin, 'id');

  await caster.cast(tx, [{ ...vote, reviewer }]);

  // @ts-expect-error a job casts no vote
  await caster.cast(tx, [{ ...vote, reviewer: others.job }]);
  // @ts-expect-error an agent casts no vote
  await caster.cast(tx, [{ ...vote, reviewer: others.agent }]);
  // @ts-expect-error an administrator casts no vote
  await caster.cast(tx, [{ ...vote, reviewer: others.admin }]);

  await applier.apply(tx, [{ ...how, reviewer }]);
  // @ts-expect-error a job applies no decision
  await applier.apply(tx, [{ ...how, reviewer: others.job }]);
  // @ts-expect-error an agent applies no decision
  await applier.apply(tx, [{ ...how, reviewer: others.agent }]);
  // @ts-expect-error an administrator applies no decision
  await applier.apply(tx, [{ ...how, reviewer: others.admin }]);

  await applier.restore(tx, reviewer, proposal, journal);

  // @ts-expect-error a job restores nothing
  await applier.restore(tx, others.job, proposal, journal);
  // @ts-expect-error an agent restores nothing
  await applier.restore(tx, others.agent, proposal, journal);
  // @ts-expect-error an administrator restores nothing
  await applier.restore(tx, others.admin, proposal, journal);
}

export async function whoCanRevise(
  { revisions }: DecisionServices,
  { tx, proposal }: { tx: Tx; proposal: Proposal },
  reviewer: ReviewerActor,
  others: { job: JobActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await revisions.revise(tx, reviewer, proposal, proposal, 'proposal.edited');

  // @ts-expect-error a job writes no revision in a person's name
  await revisions.revise(tx, others.job, proposal, proposal, 'proposal.edited');
  // @ts-expect-error an agent writes no revision in a person's name
  await revisions.revise(tx, others.agent, proposal, proposal, 'proposal.edited');
  // @ts-expect-error an administrator writes no revision in a person's name
  await revisions.revise(tx, others.admin, proposal, proposal, 'proposal.edited');
}

export async function whoCanWriteOrgMemory(
  { orgMemory, outbox, tx }: { orgMemory: OrgMemoryWriter; outbox: PublicationOutbox; tx: Tx },
  { skill, artifact }: { skill: ApprovedSkill; artifact: ApprovedArtifact },
  reviewer: ReviewerActor,
  others: { job: JobActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await orgMemory.admit(tx, [{ ...skill, reviewer }]);
  await orgMemory.retire(tx, [{ memoryId: 'id', reviewer }]);
  await outbox.add(tx, [{ ...artifact, reviewer }]);

  // @ts-expect-error a job writes no org memory
  await orgMemory.admit(tx, [{ ...skill, reviewer: others.job }]);
  // @ts-expect-error an agent writes no org memory
  await orgMemory.admit(tx, [{ ...skill, reviewer: others.agent }]);
  // @ts-expect-error an administrator writes no org memory
  await orgMemory.admit(tx, [{ ...skill, reviewer: others.admin }]);
  // @ts-expect-error a job retires no skill
  await orgMemory.retire(tx, [{ memoryId: 'id', reviewer: others.job }]);
  // @ts-expect-error an agent retires no skill
  await orgMemory.retire(tx, [{ memoryId: 'id', reviewer: others.agent }]);
  // @ts-expect-error an administrator retires no skill
  await orgMemory.retire(tx, [{ memoryId: 'id', reviewer: others.admin }]);
  // @ts-expect-error a job publishes nothing
  await outbox.add(tx, [{ ...artifact, reviewer: others.job }]);
  // @ts-expect-error an agent publishes nothing
  await outbox.add(tx, [{ ...artifact, reviewer: others.agent }]);
  // @ts-expect-error an administrator publishes nothing
  await outbox.add(tx, [{ ...artifact, reviewer: others.admin }]);
}

export async function whoCanSetRollouts(
  { rollouts, stage }: { rollouts: RolloutStages; stage: SetSkillRollout },
  { tx, begun, live }: { tx: Tx; begun: ApprovedVersion; live: MemoryEntry },
  reviewer: ReviewerActor,
  others: { job: JobActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await rollouts.begin(tx, [{ ...begun, reviewer }]);
  await rollouts.set(tx, reviewer, live, 25);
  await rollouts.set(tx, others.admin, live, 25);

  // @ts-expect-error a job begins no rollout
  await rollouts.begin(tx, [{ ...begun, reviewer: others.job }]);
  // @ts-expect-error an agent begins no rollout
  await rollouts.begin(tx, [{ ...begun, reviewer: others.agent }]);
  // @ts-expect-error an administrator begins no rollout: an approval does
  await rollouts.begin(tx, [{ ...begun, reviewer: others.admin }]);
  // @ts-expect-error a job sets no stage
  await rollouts.set(tx, others.job, live, 25);
  // @ts-expect-error an agent sets no stage
  await rollouts.set(tx, others.agent, live, 25);

  await stage.set(reviewer, 'name', 25);
  await stage.set(others.admin, 'name', 25);
  // @ts-expect-error a job sets no stage
  await stage.set(others.job, 'name', 25);
  // @ts-expect-error an agent sets no stage
  await stage.set(others.agent, 'name', 25);
}

export async function whoCanVerifyAndShareLessons(
  keeping: MemoryKeeping,
  sharing: LessonSharing,
  reviewer: ReviewerActor,
  others: { job: JobActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await keeping.verify(reviewer, 'id', { provenance: 'verified', reason: 'reason' });

  // @ts-expect-error a job verifies no lesson
  await keeping.verify(others.job, 'id', { provenance: 'verified', reason: 'reason' });
  // @ts-expect-error an agent verifies no lesson
  await keeping.verify(others.agent, 'id', { provenance: 'verified', reason: 'reason' });
  // @ts-expect-error an administrator verifies no lesson
  await keeping.verify(others.admin, 'id', { provenance: 'verified', reason: 'reason' });

  await sharing.share(reviewer, 'id', { scope: 'role', reason: 'reason' });

  // @ts-expect-error a job shares no lesson
  await sharing.share(others.job, 'id', { scope: 'role', reason: 'reason' });
  // @ts-expect-error an agent shares no lesson
  await sharing.share(others.agent, 'id', { scope: 'role', reason: 'reason' });
  // @ts-expect-error an administrator shares no lesson
  await sharing.share(others.admin, 'id', { scope: 'role', reason: 'reason' });

  await sharing.unshare(reviewer, 'id', 'reason');

  // @ts-expect-error a job ends no shared lesson
  await sharing.unshare(others.job, 'id', 'reason');
  // @ts-expect-error an agent ends no shared lesson
  await sharing.unshare(others.agent, 'id', 'reason');
  // @ts-expect-error an administrator ends no shared lesson
  await sharing.unshare(others.admin, 'id', 'reason');
}

export async function whoCanSubmitProposals(
  verbs: { submit: SubmitProposal; refresh: RefreshProposal; withdraw: WithdrawProposal; edit: SubmitExternalEdit },
  { submission, content }: { submission: NewProposal; content: Proposal },
  job: JobActor,
  others: { reviewer: ReviewerActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await verbs.submit.submit(job, submission);
  // @ts-expect-error a reviewer does no background work
  await verbs.submit.submit(others.reviewer, submission);
  // @ts-expect-error an agent does no background work
  await verbs.submit.submit(others.agent, submission);
  // @ts-expect-error an administrator does no background work
  await verbs.submit.submit(others.admin, submission);

  await verbs.refresh.refresh(job, 'id', submission);
  // @ts-expect-error a reviewer does no background work
  await verbs.refresh.refresh(others.reviewer, 'id', submission);
  // @ts-expect-error an agent does no background work
  await verbs.refresh.refresh(others.agent, 'id', submission);
  // @ts-expect-error an administrator does no background work
  await verbs.refresh.refresh(others.admin, 'id', submission);

  await verbs.withdraw.withdraw(job, 'id', 'reason');
  // @ts-expect-error a reviewer does no background work
  await verbs.withdraw.withdraw(others.reviewer, 'id', 'reason');
  // @ts-expect-error an agent does no background work
  await verbs.withdraw.withdraw(others.agent, 'id', 'reason');
  // @ts-expect-error an administrator does no background work
  await verbs.withdraw.withdraw(others.admin, 'id', 'reason');

  await verbs.edit.submit(job, 'id', content, false);
  // @ts-expect-error a reviewer does no background work
  await verbs.edit.submit(others.reviewer, 'id', content, false);
  // @ts-expect-error an agent does no background work
  await verbs.edit.submit(others.agent, 'id', content, false);
  // @ts-expect-error an administrator does no background work
  await verbs.edit.submit(others.admin, 'id', content, false);
}

export async function whoCanRequestRetirements(
  verbs: { ask: RequestRetirement; withdraw: WithdrawStaleRequests },
  { live, request }: { live: MemoryEntry; request: RetirementRequest },
  job: JobActor,
  others: { reviewer: ReviewerActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await verbs.ask.request(job, live, request);
  // @ts-expect-error a reviewer does no background work
  await verbs.ask.request(others.reviewer, live, request);
  // @ts-expect-error an agent does no background work
  await verbs.ask.request(others.agent, live, request);
  // @ts-expect-error an administrator does no background work
  await verbs.ask.request(others.admin, live, request);

  await verbs.withdraw.withdrawStale(job);
  // @ts-expect-error a reviewer does no background work
  await verbs.withdraw.withdrawStale(others.reviewer);
  // @ts-expect-error an agent does no background work
  await verbs.withdraw.withdrawStale(others.agent);
  // @ts-expect-error an administrator does no background work
  await verbs.withdraw.withdrawStale(others.admin);
}

export async function whoCanProposeMerges(
  merges: ProposeMerge,
  merge: Merge,
  job: JobActor,
  others: { reviewer: ReviewerActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await merges.propose(job, merge);
  // @ts-expect-error a reviewer does no background work
  await merges.propose(others.reviewer, merge);
  // @ts-expect-error an agent does no background work
  await merges.propose(others.agent, merge);
  // @ts-expect-error an administrator does no background work
  await merges.propose(others.admin, merge);
}

export async function whoCanMaintainTheQueue(
  verbs: { overdue: ExpireProposals; outdated: RebaseProposals },
  job: JobActor,
  others: { reviewer: ReviewerActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await verbs.overdue.expire(job);
  // @ts-expect-error a reviewer does no background work
  await verbs.overdue.expire(others.reviewer);
  // @ts-expect-error an agent does no background work
  await verbs.overdue.expire(others.agent);
  // @ts-expect-error an administrator does no background work
  await verbs.overdue.expire(others.admin);

  await verbs.outdated.rebase(job);
  // @ts-expect-error a reviewer does no background work
  await verbs.outdated.rebase(others.reviewer);
  // @ts-expect-error an agent does no background work
  await verbs.outdated.rebase(others.agent);
  // @ts-expect-error an administrator does no background work
  await verbs.outdated.rebase(others.admin);
}
