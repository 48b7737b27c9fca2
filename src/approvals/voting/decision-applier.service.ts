import { Injectable } from '@nestjs/common';
import type { Reviewed, ReviewerActor } from '../../journal/actor.js';
import type { ChainPosition } from '../../journal/chain.js';
import { type AttributedRecord, Journal, type JournalRecord } from '../../journal/journal.service.js';
import { answeredRecords } from '../../memory/store/answered-claim.js';
import { type Lesson, partsOf } from '../../memory/store/lesson.schema.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { OrgMemoryWriter } from '../../memory/store/org-memory-writer.service.js';
import { Clock } from '../../platform/base/clock.js';
import { isUniqueViolation, type Tx } from '../../platform/database/database.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { RolloutStages } from '../../skills/delivery/rollout-stages.service.js';
import { type ApprovedArtifact, PublicationOutbox } from '../../skills/publishing/publication-outbox.service.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { LiveSkills } from '../proposals/live-skills.service.js';
import { type Proposal } from '../proposals/proposal.js';
import { ProposalRepository } from '../proposals/proposal.repository.js';
import { alreadyDecidedError, staleError } from './open-proposal.js';

/** A proposal after a vote: approved, or still pending with a message about the missing votes. */
export interface VoteResult {
  readonly proposal: Proposal;
  readonly approvers: readonly string[];
  readonly message: string | null;
}

/** A decision with enough votes, and the data of its journal entry. */
export interface SettledDecision {
  readonly proposal: Proposal;
  readonly approvers: readonly string[];
  readonly action: 'proposal.approved' | 'proposal.overridden';
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Applies decisions in the caller's transaction: org memory, rollouts, the outbox and the journal. Each step
 * is one statement for all decisions, because other decisions wait for the transaction.
 */
@Injectable()
export class DecisionApplier {
  constructor(
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly proposals: ProposalRepository,
    private readonly skills: LiveSkills,
    private readonly org: OrgEntries,
    private readonly orgMemory: OrgMemoryWriter,
    private readonly outbox: PublicationOutbox,
    private readonly rollouts: RolloutStages,
  ) {}

  /**
   * Approves the proposals and updates org memory, the outbox and the journal. Throws `conflict` if one of the
   * proposals was decided meanwhile.
   */
  async apply(tx: SqlClient, decided: readonly Reviewed<SettledDecision>[]): Promise<VoteResult[]> {
    const at = this.clock.now();
    const proposals = decided.map(({ proposal }) => proposal);
    const [first] = proposals;
    if (!first) return [];
    if (!(await this.proposals.close(tx, proposals, 'approved', at)))
      throw alreadyDecidedError({ ...first, state: 'approved' });
    await this.orgMemory.retire(
      tx,
      decided.flatMap(({ reviewer, proposal }) =>
        proposal.kind === 'retire' ? [{ reviewer, memoryId: retiredMemoryId(proposal) }] : [],
      ),
    );
    const answered = await this.admitToOrgMemory(
      tx,
      decided.filter(({ proposal }) => proposal.kind !== 'retire'),
    );
    const renamed = await this.earlierNames(tx, proposals);
    const positions = await this.journal.appendAll(tx, [...decided.flatMap(journalEntriesOf), ...answered]);
    let next = 0;
    const outbox = decided.map(({ reviewer, proposal }) => {
      const journal = positions[next];
      if (!journal) throw new Error('a decision has no journal entry');
      next += proposal.supersedesId === null ? 1 : 2;
      return { reviewer, ...publicationOf(proposal, renamed.get(proposal.id) ?? null, journal) };
    });
    await this.outbox.add(tx, outbox);
    return decided.map(({ proposal, approvers }) => ({
      proposal: { ...proposal, state: 'approved', decidedAt: at, updatedAt: at },
      approvers,
      message: null,
    }));
  }

  /** Restores the live skill's file on the main branch after a rejected external edit. */
  async restore(tx: Tx, reviewer: ReviewerActor, proposal: Proposal, journal: ChainPosition): Promise<void> {
    const live = await this.skills.find(tx, proposal.skillName);
    if (live?.entry.id !== proposal.supersedesId) return;
    const { skillName, version, artifact, artifactSha256 } = live.approved;
    const bytes = { skillName, version, artifact, artifactSha256 };
    await this.outbox.add(tx, [
      { reviewer, proposalId: proposal.id, kind: 'restore', renamedFrom: null, ...bytes, journal },
    ]);
  }

  /** The previous names of skills that these proposals rename, by proposal id. */
  private async earlierNames(tx: SqlClient, proposals: readonly Proposal[]): Promise<Map<string, string>> {
    const replaced = await this.org.findAll(
      proposals.flatMap(({ supersedesId }) => supersedesId ?? []),
      tx,
    );
    return new Map(
      proposals.flatMap(({ id, supersedesId, skillName }) => {
        const before = supersedesId === null ? null : (replaced.get(supersedesId)?.skillName ?? null);
        return before === null || before === skillName ? [] : [[id, before] as const];
      }),
    );
  }

  /** Returns the journal entries of the claims that the skills answer. */
  private async admitToOrgMemory(
    tx: SqlClient,
    decided: readonly Reviewed<Pick<SettledDecision, 'proposal'>>[],
  ): Promise<AttributedRecord[]> {
    const entries = await this.orgMemory.admit(
      tx,
      decided.map(({ reviewer, proposal }) => ({
        reviewer,
        proposalId: proposal.id,
        name: proposal.skillName,
        version: proposal.version,
        lesson: redactDeep(lessonOf(proposal)).value,
        artifactSha256: proposal.artifactSha256,
        supersedes: proposal.supersedesId,
      })),
    );
    await this.rollouts.begin(
      tx,
      decided.flatMap(({ reviewer, proposal }, index) => {
        const version = entries[index];
        return version ? [{ reviewer, version, replacedId: proposal.supersedesId }] : [];
      }),
    );
    const answered = await this.orgMemory.answer(
      tx,
      entries.map(({ id }) => id),
    );
    return decided.flatMap(({ reviewer }, index) =>
      answeredRecords(
        reviewer,
        answered.filter(({ by }) => by === entries[index]?.id),
      ),
    );
  }
}

/** Converts a unique violation to `conflict`: the database admits one live entry for each name. */
export function rethrowAsStale(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw staleError('Another version of this skill was approved at the same time.');
}

function retiredMemoryId({ supersedesId }: Proposal): string {
  if (supersedesId === null) throw new Error('a retirement has no target');
  return supersedesId;
}

/** The journal entry of the decision, followed by that of the version that it replaces or retires. */
function journalEntriesOf({ reviewer, proposal, action, data }: Reviewed<SettledDecision>) {
  const { id, kind, skillName, version, artifactSha256, revision, supersedesId } = proposal;
  const decision: JournalRecord = {
    action,
    subject: { type: 'proposal', id },
    data: { kind, artifactSha256, revision, skillName, version, ...data },
  };
  if (supersedesId === null) return [{ actor: reviewer, ...decision }];
  const end: JournalRecord = {
    action: kind === 'retire' ? 'ORG_SKILL_RETIRED' : 'ORG_SKILL_SUPERSEDED',
    subject: { type: 'memory', id: supersedesId },
    data: { by: id, skillName },
  };
  return [
    { actor: reviewer, ...decision },
    { actor: reviewer, ...end },
  ];
}

function publicationOf(proposal: Proposal, renamedFrom: string | null, journal: ChainPosition): ApprovedArtifact {
  const { id: proposalId, skillName, version, artifact, artifactSha256 } = proposal;
  const kind = proposal.kind === 'retire' ? 'retire' : 'publish';
  return { proposalId, kind, skillName, renamedFrom, version, artifact, artifactSha256, journal };
}

function lessonOf({ proposedSkill, confidence }: Proposal): Lesson {
  const { discovery, condition, action, rationale, steps, tags } = proposedSkill;
  return {
    discovery,
    activation: { condition, action, rationale },
    steps,
    ...partsOf(proposedSkill),
    confidence,
    tags,
  };
}
