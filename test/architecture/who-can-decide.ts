import type { Approvals } from '../../src/approvals/decisions/approvals.service.js';
import type { JointApprovals } from '../../src/approvals/decisions/joint-approvals.service.js';
import type { Overrides } from '../../src/approvals/decisions/overrides.service.js';
import type { Renaming } from '../../src/approvals/decisions/renaming.service.js';
import type { Reopening } from '../../src/approvals/decisions/reopening.service.js';
import type { Revisions } from '../../src/approvals/decisions/revisions.service.js';
import type { Item } from '../../src/approvals/proposals/approval-item.js';
import type { EditProposal, Override, Resolve } from '../../src/approvals/proposals/approvals.schema.js';
import type { Ballot, Vote } from '../../src/approvals/voting/ballot.js';
import type { OpenItems } from '../../src/approvals/voting/open-items.service.js';
import type { CarriedOut, Settlement } from '../../src/approvals/voting/settlement.service.js';
import type { AdminActor, AgentActor, JobActor, ReviewerActor } from '../../src/journal/actor.js';
import type { ChainPosition } from '../../src/journal/chain.js';
import type { LessonKeeping } from '../../src/memory/lessons/lesson-keeping.service.js';
import type { MemoryEntry } from '../../src/memory/store/memory.schema.js';
import type { ApprovedSkill, OrgMemory } from '../../src/memory/store/org-memory.service.js';
import type { Tx } from '../../src/platform/database/database.js';
import type { Begun, Rollouts } from '../../src/skills/delivery/rollouts.service.js';
import type { ApprovedArtifact, PublicationOutbox } from '../../src/skills/publishing/publication-outbox.service.js';

/*
 * The gate as the compiler holds it. Nothing here runs: the type check of `npm run check` compiles this file. Each
 * `@ts-expect-error` is an error itself once its call compiles, so the day on which a job can be passed to a deciding
 * verb, the check fails. The calls with a reviewer compile: what is refused is the actor, and nothing else of the call.
 * (gate.spec.ts sees to it that the compiler reads this file and that every deciding verb stands in it.)
 */

export async function whoCanDecide(
  approvals: Approvals,
  reviewer: ReviewerActor,
  others: { job: JobActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await approvals.approve(reviewer, 'id', 'sha256');
  await approvals.reject(reviewer, 'id', 'reason');
  await approvals.revoke(reviewer, 'id', 'reason');

  // @ts-expect-error a job does not approve
  await approvals.approve(others.job, 'id', 'sha256');
  // @ts-expect-error an agent does not approve
  await approvals.approve(others.agent, 'id', 'sha256');
  // @ts-expect-error an administrator does not approve
  await approvals.approve(others.admin, 'id', 'sha256');
  // @ts-expect-error whoever looks like a reviewer is none: only `access` gives the brand
  await approvals.approve({ kind: 'reviewer', id: 'id', name: 'name', email: 'email' }, 'id', 'sha256');
  // @ts-expect-error nobody does not approve
  await approvals.approve(undefined, 'id', 'sha256');

  // @ts-expect-error a job does not reject
  await approvals.reject(others.job, 'id', 'reason');
  // @ts-expect-error an agent does not reject
  await approvals.reject(others.agent, 'id', 'reason');
  // @ts-expect-error an administrator does not reject
  await approvals.reject(others.admin, 'id', 'reason');
  // @ts-expect-error whoever looks like a reviewer is none
  await approvals.reject({ kind: 'reviewer', id: 'id', name: 'name', email: 'email' }, 'id', 'reason');

  // @ts-expect-error a job takes no approval back
  await approvals.revoke(others.job, 'id', 'reason');
  // @ts-expect-error an agent takes no approval back
  await approvals.revoke(others.agent, 'id', 'reason');
  // @ts-expect-error an administrator takes no approval back
  await approvals.revoke(others.admin, 'id', 'reason');
  // @ts-expect-error whoever looks like a reviewer is none
  await approvals.revoke({ kind: 'reviewer', id: 'id', name: 'name', email: 'email' }, 'id', 'reason');
}

export async function whoCanCastABallot(
  joint: JointApprovals,
  ballot: Ballot,
  reviewer: ReviewerActor,
  others: { job: JobActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await joint.cast({ ...ballot, reviewer });

  // @ts-expect-error a job casts no ballot
  await joint.cast({ ...ballot, reviewer: others.job });
  // @ts-expect-error an agent casts no ballot
  await joint.cast({ ...ballot, reviewer: others.agent });
  // @ts-expect-error an administrator casts no ballot
  await joint.cast({ ...ballot, reviewer: others.admin });
}

export async function whoCanChangeWhatWaits(
  { revisions, reopening }: { revisions: Revisions; reopening: Reopening },
  { edit, resolution }: { edit: EditProposal; resolution: Resolve },
  reviewer: ReviewerActor,
  others: { job: JobActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await revisions.edit(reviewer, 'id', edit);

  // @ts-expect-error a job edits no proposal
  await revisions.edit(others.job, 'id', edit);
  // @ts-expect-error an agent edits no proposal
  await revisions.edit(others.agent, 'id', edit);
  // @ts-expect-error an administrator edits no proposal
  await revisions.edit(others.admin, 'id', edit);

  await revisions.resolve(reviewer, 'id', resolution);
  // @ts-expect-error a job resolves no conflict
  await revisions.resolve(others.job, 'id', resolution);
  // @ts-expect-error an agent resolves no conflict
  await revisions.resolve(others.agent, 'id', resolution);
  // @ts-expect-error an administrator resolves no conflict
  await revisions.resolve(others.admin, 'id', resolution);

  await reopening.reopen(reviewer, 'id', 'reason');
  // @ts-expect-error a job reopens nothing
  await reopening.reopen(others.job, 'id', 'reason');
  // @ts-expect-error an agent reopens nothing
  await reopening.reopen(others.agent, 'id', 'reason');
  // @ts-expect-error an administrator reopens nothing
  await reopening.reopen(others.admin, 'id', 'reason');
}

export async function whoCanOverride(
  overrides: Overrides,
  asked: Override,
  reviewer: ReviewerActor,
  others: { job: JobActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await overrides.override(reviewer, 'id', asked);

  // @ts-expect-error a job overrides nothing
  await overrides.override(others.job, 'id', asked);
  // @ts-expect-error an agent overrides nothing
  await overrides.override(others.agent, 'id', asked);
  // @ts-expect-error an administrator overrides nothing
  await overrides.override(others.admin, 'id', asked);
}

export async function whoCanAskForAnotherName(
  renaming: Renaming,
  reviewer: ReviewerActor,
  others: { job: JobActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await renaming.rename(reviewer, 'name', 'to');

  // @ts-expect-error a job gives no skill another name
  await renaming.rename(others.job, 'name', 'to');
  // @ts-expect-error an agent gives no skill another name
  await renaming.rename(others.agent, 'name', 'to');
  // @ts-expect-error an administrator gives no skill another name
  await renaming.rename(others.admin, 'name', 'to');
}

export async function whoCanSettle(
  { open, settlement }: { open: OpenItems; settlement: Settlement },
  { tx, item, journal, vote, how }: { tx: Tx; item: Item; journal: ChainPosition; vote: Vote; how: CarriedOut },
  reviewer: ReviewerActor,
  others: { job: JobActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await open.take(tx, reviewer, 'id');
  // @ts-expect-error a job takes no item to decide on
  await open.take(tx, others.job, 'id');
  // @ts-expect-error an agent takes no item to decide on
  await open.take(tx, others.agent, 'id');
  // @ts-expect-error an administrator takes no item to decide on
  await open.take(tx, others.admin, 'id');

  await settlement.settle(tx, [{ ...vote, reviewer }]);

  // @ts-expect-error a job settles nothing
  await settlement.settle(tx, [{ ...vote, reviewer: others.job }]);
  // @ts-expect-error an agent settles nothing
  await settlement.settle(tx, [{ ...vote, reviewer: others.agent }]);
  // @ts-expect-error an administrator settles nothing
  await settlement.settle(tx, [{ ...vote, reviewer: others.admin }]);

  await settlement.carryOut(tx, [{ ...how, reviewer }]);
  // @ts-expect-error a job carries nothing out
  await settlement.carryOut(tx, [{ ...how, reviewer: others.job }]);
  // @ts-expect-error an agent carries nothing out
  await settlement.carryOut(tx, [{ ...how, reviewer: others.agent }]);
  // @ts-expect-error an administrator carries nothing out
  await settlement.carryOut(tx, [{ ...how, reviewer: others.admin }]);

  await settlement.restore(tx, reviewer, item, journal);

  // @ts-expect-error a job puts nothing back
  await settlement.restore(tx, others.job, item, journal);
  // @ts-expect-error an agent puts nothing back
  await settlement.restore(tx, others.agent, item, journal);
  // @ts-expect-error an administrator puts nothing back
  await settlement.restore(tx, others.admin, item, journal);
}

export async function whoCanWriteWhatWasApproved(
  { orgMemory, outbox, tx }: { orgMemory: OrgMemory; outbox: PublicationOutbox; tx: Tx },
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

export async function whoSaysWhoReceivesASkill(
  rollouts: Rollouts,
  { tx, begun, live }: { tx: Tx; begun: Begun; live: MemoryEntry },
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
}

export async function whoCanJudgeLessons(
  keeping: LessonKeeping,
  reviewer: ReviewerActor,
  others: { job: JobActor; agent: AgentActor; admin: AdminActor },
): Promise<void> {
  await keeping.judge(reviewer, 'id', { provenance: 'verified', reason: 'reason' });

  // @ts-expect-error a job judges no lesson
  await keeping.judge(others.job, 'id', { provenance: 'verified', reason: 'reason' });
  // @ts-expect-error an agent judges no lesson
  await keeping.judge(others.agent, 'id', { provenance: 'verified', reason: 'reason' });
  // @ts-expect-error an administrator judges no lesson
  await keeping.judge(others.admin, 'id', { provenance: 'verified', reason: 'reason' });
}
