import { Injectable } from '@nestjs/common';
import type { Reviewed, ReviewerActor } from '../../journal/actor.js';
import type { ChainPosition } from '../../journal/chain.js';
import { Journal, type JournalRecord } from '../../journal/journal.service.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { OrgMemory } from '../../memory/store/org-memory.service.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import type { Tx } from '../../platform/database/database.js';
import type { Statements } from '../../platform/database/statements.js';
import { Rollouts } from '../../skills/delivery/rollouts.service.js';
import { type ApprovedArtifact, PublicationOutbox } from '../../skills/publishing/publication-outbox.service.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { WebhookOutbox } from '../../webhooks/webhook-outbox.service.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import type { Item } from '../proposals/approval-item.js';
import { newsOf } from '../proposals/news.js';
import { tally, whatIsMissing } from '../proposals/quorum.js';
import type { Vote } from './ballot.js';
import { alreadyDecided } from './open-item.js';
import { VoteRepository } from './vote.repository.js';

/** An item after a vote: approved, or pending still with what is missing. */
export interface Settled {
  readonly item: Item;
  readonly approvers: readonly string[];
  readonly says: string | null;
}

/** An item that enough people decided on, and how that came, as the journal keeps it. */
export interface CarriedOut {
  readonly item: Item;
  readonly approvers: readonly string[];
  readonly action: 'approval.approved' | 'approval.overridden';
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * What approvals do, in the caller's transaction: the decisions, org memory, the outbox and the journal. Each step is
 * one statement however many approvals there are, since every other decision waits meanwhile.
 */
@Injectable()
export class Settlement {
  constructor(
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly votes: VoteRepository,
    private readonly org: OrgEntries,
    private readonly orgMemory: OrgMemory,
    private readonly outbox: PublicationOutbox,
    private readonly rollouts: Rollouts,
    private readonly webhooks: WebhookOutbox,
  ) {}

  /**
   * Records votes, and does what was approved where there are enough; an item without comes back pending. The answers
   * are in the order of the votes. Throws `conflict` when somebody else decided on one of them first.
   */
  async settle(tx: Statements, votes: readonly Reviewed<Vote>[]): Promise<Settled[]> {
    const at = this.clock.now();
    const rows = votes.map(({ reviewer, item, reason }) => ({
      ...{ id: this.ids.uuid(), item, principalId: reviewer.id, verdict: 'approved' as const, at },
      ...(reason === undefined ? {} : { reason }),
    }));
    await this.votes.add(tx, ...rows);
    const short = votes.filter((vote) => !vote.isEnough);
    const enough = votes.filter((vote) => vote.isEnough);
    await this.journal.appendAll(
      tx,
      short.map(({ reviewer, item, approvers }) => ({ actor: reviewer, ...votedEntry(item, approvers) })),
    );
    const reviewers = await this.votes.reviewers(
      tx,
      short.map(({ item }) => item.id),
    );
    await this.carryOut(
      tx,
      enough.map(({ reviewer, item, approvers, reason }) => ({
        ...{ reviewer, item, approvers, action: 'approval.approved' as const },
        data: { votes: approvers.length, ...(reason === undefined ? {} : { reason }) },
      })),
    );
    return votes.map(({ item, approvers, isEnough }) =>
      isEnough
        ? { item: { ...item, state: 'approved', decidedAt: at, updatedAt: at }, approvers, says: null }
        : { item, approvers, says: whatIsMissing(tally(item, approvers), reviewers.get(item.id) ?? 0) },
    );
  }

  /** Does what enough people decided: the items move, and org memory, the outbox and the journal with them. */
  async carryOut(tx: Statements, decided: readonly Reviewed<CarriedOut>[]): Promise<Settled[]> {
    const at = this.clock.now();
    const items = decided.map(({ item }) => item);
    const [first] = items;
    if (!first) return [];
    if (!(await this.items.move(tx, items, 'approved', at))) throw alreadyDecided({ ...first, state: 'approved' });
    await this.orgMemory.retire(
      tx,
      decided.flatMap(({ reviewer, item }) => (item.kind === 'retire' ? [{ reviewer, memoryId: endedBy(item) }] : [])),
    );
    await this.admit(
      tx,
      decided.filter(({ item }) => item.kind !== 'retire'),
    );
    const renamed = await this.earlierNames(tx, items);
    // Before the journal, whose head every other decision waits for from its entries on.
    await this.webhooks.announce(
      tx,
      ...decided.map(({ item, action }) => newsOf('approval.approved', item, action === 'approval.overridden')),
    );
    const positions = await this.journal.appendAll(tx, decided.flatMap(entriesOf));
    let next = 0;
    const outbox = decided.map(({ reviewer, item }) => {
      const journal = positions[next];
      if (!journal) throw new Error('a decision has no place in the journal');
      next += item.supersedesId === null ? 1 : 2;
      return { reviewer, ...publicationOf(item, renamed.get(item.id) ?? null, journal) };
    });
    await this.outbox.add(tx, outbox);
    return decided.map(({ item, approvers }) => ({
      item: { ...item, state: 'approved', decidedAt: at, updatedAt: at },
      approvers,
      says: null,
    }));
  }

  /** Puts the live skill's file back on main, where this person rejected what somebody had committed in its place. */
  async restore(tx: Tx, reviewer: ReviewerActor, item: Item, journal: ChainPosition): Promise<void> {
    const live = await this.org.liveSkill(item.skillName, tx);
    const approved = live?.approvalId ? await this.items.find(tx, live.approvalId) : undefined;
    if (!approved || live?.id !== item.supersedesId) return;
    const { skillName, version, artifact, artifactSha256 } = approved;
    const bytes = { skillName, version, artifact, artifactSha256 };
    await this.outbox.add(tx, [
      { reviewer, approvalId: item.id, kind: 'restore', renamedFrom: null, ...bytes, journal },
    ]);
  }

  /** The names that skills had until these items, where they change them. */
  private async earlierNames(tx: Statements, items: readonly Item[]): Promise<Map<string, string>> {
    const replaced = await this.org.findAll(
      items.flatMap(({ supersedesId }) => supersedesId ?? []),
      tx,
    );
    return new Map(
      items.flatMap(({ id, supersedesId, skillName }) => {
        const before = supersedesId === null ? null : (replaced.get(supersedesId)?.skillName ?? null);
        return before === null || before === skillName ? [] : [[id, before] as const];
      }),
    );
  }

  private async admit(tx: Statements, decided: readonly Reviewed<Pick<CarriedOut, 'item'>>[]): Promise<void> {
    const versions = await this.orgMemory.admit(
      tx,
      decided.map(({ reviewer, item }) => ({
        reviewer,
        approvalId: item.id,
        name: item.skillName,
        version: item.version,
        lesson: redactDeep(lessonOf(item)).value,
        artifactSha256: item.artifactSha256,
        supersedes: item.supersedesId,
      })),
    );
    await this.rollouts.begin(
      tx,
      decided.flatMap(({ reviewer, item }, index) => {
        const version = versions[index];
        return version ? [{ reviewer, version, replacedId: item.supersedesId }] : [];
      }),
    );
  }
}

function endedBy({ supersedesId }: Item): string {
  if (supersedesId === null) throw new Error('a retirement names the entry that it ends');
  return supersedesId;
}

const votedEntry = (item: Item, approvers: readonly string[]): JournalRecord => ({
  action: 'approval.voted',
  subject: { type: 'approval', id: item.id },
  data: { artifactSha256: item.artifactSha256, revision: item.revision, ...tally(item, approvers) },
});

/** The decision's own entry, and behind it what became of the version that it replaces or ends. */
function entriesOf({ reviewer, item, action, data }: Reviewed<CarriedOut>) {
  const { id, kind, skillName, version, artifactSha256, revision, supersedesId } = item;
  const decision: JournalRecord = {
    action,
    subject: { type: 'approval', id },
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

function publicationOf(item: Item, renamedFrom: string | null, journal: ChainPosition): ApprovedArtifact {
  const { id: approvalId, skillName, version, artifact, artifactSha256 } = item;
  const kind = item.kind === 'retire' ? 'retire' : 'publish';
  return { approvalId, kind, skillName, renamedFrom, version, artifact, artifactSha256, journal };
}

function lessonOf({ proposal, confidence }: Item): Lesson {
  const { discovery, condition, action, rationale, steps, tags } = proposal;
  return { discovery, activation: { condition, action, rationale }, steps, confidence, tags };
}
