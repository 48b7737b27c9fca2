import { Injectable } from '@nestjs/common';
import type { JobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import type { Tx } from '../../platform/database/database.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { WitnessRepository } from '../lessons/witness.repository.js';
import { MemoryRepository, type NewMemory } from '../store/memory.repository.js';
import { provenanceOf } from '../store/provenance.js';
import {
  type LockedMemory,
  MemoryMergesRepository,
  type MergeRun,
  type UndoneMerges,
} from './memory-merges.repository.js';
import type { AppliedEntries, EntryMerge, EntryMergePlan, MergeableEntry, ProjectEntries } from './mergeable-entry.js';
import type { LessonEnding, LessonMerge, MergeableLesson, MergePlan } from './mergeable-lesson.js';

/** What a run changed, and how many changes it left out because a lesson changed since the plan. */
export interface AppliedMerges {
  readonly merges: readonly LessonMerge[];
  readonly endings: readonly LessonEnding[];
  readonly skipped: number;
  readonly entries: readonly AppliedEntries[];
}

/** Most memories that one journal entry names. */
const CHUNK = 500;

/**
 * Writes what a consolidation decided about what one agent knows, lessons and entries of its session memory, and takes it
 * back. Of entries it ends some and writes none.
 */
@Injectable()
export class MemoryMerges {
  constructor(
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly memories: MemoryRepository,
    private readonly witnesses: WitnessRepository,
    private readonly repository: MemoryMergesRepository,
  ) {}

  live(tx: Tx, agentId: string): Promise<MergeableLesson[]> {
    return this.repository.live(tx, agentId);
  }

  /** The live entries that the agent itself keeps, by project. */
  liveEntries(tx: Tx, agentId: string): Promise<ProjectEntries[]> {
    return this.repository.liveEntries(tx, agentId);
  }

  /**
   * All of it in the caller's transaction. A change of a plan is left out if one of its memories ended, was pinned or
   * unpinned, got another text or provenance, or became a person's since.
   */
  async apply(
    tx: Tx,
    actor: JobActor,
    run: MergeRun,
    plan: MergePlan,
    entryPlans: readonly EntryMergePlan[] = [],
  ): Promise<AppliedMerges> {
    await this.memories.lockAgent(tx, run.agentId);
    const planned = [
      ...plan.merges.flatMap(membersOf),
      ...plan.endings.map(({ lesson }) => lesson),
      ...entryPlans.flatMap(({ merges, pruned }) => [...merges.flatMap(membersOf), ...pruned]),
    ];
    const locked = await this.repository.lock(tx, run.agentId, [...new Set(planned.map(({ id }) => id))]);
    const at = this.clock.now();
    const merges = plan.merges.filter((merge) => membersOf(merge).every((one) => isUnchanged(one, locked)));
    const endings = plan.endings.filter(({ lesson }) => isUnchanged(lesson, locked));
    const entries = entryPlans.map((one) => unchangedEntries(one, locked));
    for (const merge of merges) await this.merge(tx, run, merge, at);
    for (const { lesson, reason, by } of endings) await this.end(tx, run, [lesson], { by, reason, at });
    for (const one of entries) {
      for (const { into, from } of one.merges) await this.end(tx, run, from, { by: into.id, reason: 'merged', at });
      await this.end(tx, run, one.pruned, { by: null, reason: 'pruned', at });
    }
    await this.record(tx, actor, run, { merges, endings, entries });
    const skipped = plan.merges.length - merges.length + plan.endings.length - endings.length;
    return { merges, endings, skipped, entries };
  }

  /** Ends what the run wrote and restores what it ended. The caller has checked that it may be undone. */
  async undo(tx: Tx, { run, agentId }: MergeRun): Promise<UndoneMerges> {
    await this.memories.lockAgent(tx, agentId);
    return this.repository.undo(tx, run, this.clock.now());
  }

  /** The run that changed a lesson which this run wrote. It has to be undone first. */
  async laterRunOf(tx: Tx, run: string): Promise<string | undefined> {
    return (await this.repository.replacedSince(tx, run)).find(({ byRun }) => byRun !== null)?.byRun ?? undefined;
  }

  private async merge(tx: Tx, { run, agentId }: MergeRun, merge: LessonMerge, at: Date): Promise<void> {
    const { into, isNew, base, from, reason } = merge;
    const ids = from.map(({ id }) => id);
    if (isNew) {
      // Its texts were redacted when they were stored; a date may have made them longer, and nothing else changed.
      const lesson = redactDeep(merge.lesson).value;
      const { category, controlTags, proposer } = base;
      const created: NewMemory = {
        ...(await this.memories.originOf(tx, base.id)),
        id: into,
        scope: 'agent',
        category,
        agentId,
        createdByRunId: run,
        lesson,
        controlTags,
        provenance: provenanceOf(merge.provenance, 'merge', 'job'),
        proposer,
        awaitingProposer: false,
        contentSha256: sha256(canonicalJson(lesson)),
        createdAt: new Date(Math.max(...from.map(({ createdAt }) => createdAt.getTime()))),
        relevanceCount: Math.max(...from.map(({ relevanceCount }) => relevanceCount)),
        lastRetrievedAt: latest(from.map(({ lastRetrievedAt }) => lastRetrievedAt)),
      };
      await this.memories.createAll(tx, [created]);
      await this.repository.inheritSources(tx, into, ids);
    }
    await this.witnesses.move(tx, ids, into, run);
    await this.end(tx, { run, agentId }, from, { by: into, reason, at });
  }

  private async end(
    tx: Tx,
    run: MergeRun,
    memories: readonly { readonly id: string }[],
    how: Parameters<MemoryMergesRepository['end']>[3],
  ): Promise<void> {
    if (memories.length === 0) return;
    const ids = memories.map(({ id }) => id);
    const ended = await this.repository.end(tx, run, ids, how);
    if (ended !== ids.length) throw new Error(`${ids.length} memories were locked, and ${ended} could be ended`);
  }

  private async record(
    tx: Tx,
    actor: JobActor,
    { run, agentId }: MergeRun,
    { merges, endings, entries }: Pick<AppliedMerges, 'merges' | 'endings' | 'entries'>,
  ): Promise<void> {
    const of = {
      lessons: [
        ...merges.flatMap(({ from, into, reason }) => from.map(({ id }) => ({ id, why: reason, by: into }))),
        ...endings.map(({ lesson: { id }, reason, by }) => ({ id, why: reason, ...(by === null ? {} : { by }) })),
      ],
      entries: entries.flatMap((one) => [
        ...one.merges.flatMap(({ into, from }) => from.map(({ id }) => ({ id, why: 'merged', by: into.id }))),
        ...one.pruned.map(({ id }) => ({ id, why: 'pruned' })),
      ]),
    };
    const subject = { type: 'agent', id: agentId };
    for (const [what, action] of ACTIONS)
      for (let at = 0; at < of[what].length; at += CHUNK) {
        const data = { run, [what]: of[what].slice(at, at + CHUNK) };
        await this.journal.append(tx, actor, { action, subject, data });
      }
  }
}

const ACTIONS = [
  ['lessons', 'memory.lessons_consolidated'],
  ['entries', 'session.entries_consolidated'],
] as const;

/** The memories that a merge is made of: if one of them changed, it is not made. */
function membersOf(merge: LessonMerge | EntryMerge): (MergeableLesson | MergeableEntry)[] {
  if (!('base' in merge)) return [merge.into, ...merge.from];
  const { base, from } = merge;
  return from.some(({ id }) => id === base.id) ? [...from] : [base, ...from];
}

function isUnchanged(one: MergeableLesson | MergeableEntry, locked: ReadonlyMap<string, LockedMemory>): boolean {
  const found = locked.get(one.id);
  if (found?.contentSha256 !== one.contentSha256 || found.pinned !== one.pinned) return false;
  return 'lesson' in one ? found.provenance === one.provenance : found.stands === one.stands;
}

function unchangedEntries(plan: EntryMergePlan, locked: ReadonlyMap<string, LockedMemory>): AppliedEntries {
  const merges = plan.merges.filter((merge) => membersOf(merge).every((one) => isUnchanged(one, locked)));
  const pruned = plan.pruned.filter((one) => isUnchanged(one, locked));
  const skipped = plan.merges.length - merges.length + plan.pruned.length - pruned.length;
  return { project: plan.project, merges, pruned, skipped };
}

function latest(times: readonly (Date | null)[]): Date | null {
  const known = times.flatMap((time) => time?.getTime() ?? []);
  return known.length === 0 ? null : new Date(Math.max(...known));
}
