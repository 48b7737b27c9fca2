import { Injectable } from '@nestjs/common';
import type { Reviewed, ReviewerActor } from '../../journal/actor.js';
import type { ChainPosition } from '../../journal/chain.js';
import { Journal, type JournalRecord } from '../../journal/journal.service.js';
import type { Lesson } from '../../memory/store/lesson.schema.js';
import { OrgEntries } from '../../memory/store/org-entries.service.js';
import { OrgMemory } from '../../memory/store/org-memory.service.js';
import { Clock } from '../../platform/base/clock.js';
import { isUniqueViolation, type Tx } from '../../platform/database/database.js';
import type { Statements } from '../../platform/database/statements.js';
import { Rollouts } from '../../skills/delivery/rollouts.service.js';
import { type ApprovedArtifact, PublicationOutbox } from '../../skills/publishing/publication-outbox.service.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { WebhookOutbox } from '../../webhooks/webhook-outbox.service.js';
import { ApprovalRepository } from '../proposals/approval.repository.js';
import type { Item } from '../proposals/approval-item.js';
import { LiveSkills } from '../proposals/live-skills.service.js';
import { newsOf } from '../proposals/news.js';
import { alreadyDecided, stale } from './open-item.js';

/** An item after a vote: approved, or pending still with what is missing. */
export interface VoteResult {
  readonly item: Item;
  readonly approvers: readonly string[];
  readonly says: string | null;
}

/** A decision that enough people made, with what the journal keeps of it. */
export interface SettledDecision {
  readonly item: Item;
  readonly approvers: readonly string[];
  readonly action: 'approval.approved' | 'approval.overridden';
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * What a decision changes beyond its item, in the caller's transaction: org memory, rollouts, the outbox, webhooks and the
 * journal. Each step is one statement however many decisions there are, since every other decision waits meanwhile.
 */
@Injectable()
export class DecisionApplier {
  constructor(
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly items: ApprovalRepository,
    private readonly skills: LiveSkills,
    private readonly org: OrgEntries,
    private readonly orgMemory: OrgMemory,
    private readonly outbox: PublicationOutbox,
    private readonly rollouts: Rollouts,
    private readonly webhooks: WebhookOutbox,
  ) {}

  /**
   * Applies decisions: the items move, and org memory, the outbox and the journal with them. Throws `conflict` when another
   * decision on one of the items came first.
   */
  async apply(tx: Statements, decided: readonly Reviewed<SettledDecision>[]): Promise<VoteResult[]> {
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
    const live = await this.skills.find(tx, item.skillName);
    if (live?.entry.id !== item.supersedesId) return;
    const { skillName, version, artifact, artifactSha256 } = live.approved;
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

  private async admit(tx: Statements, decided: readonly Reviewed<Pick<SettledDecision, 'item'>>[]): Promise<void> {
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

/** Two versions of one skill approved at once: the database admits one live entry of a name. */
export function rivalWon(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw stale('Another version of this skill was approved at this moment.');
}

function endedBy({ supersedesId }: Item): string {
  if (supersedesId === null) throw new Error('a retirement names the entry that it ends');
  return supersedesId;
}

/** The decision's own entry, and behind it what became of the version that it replaces or ends. */
function entriesOf({ reviewer, item, action, data }: Reviewed<SettledDecision>) {
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
