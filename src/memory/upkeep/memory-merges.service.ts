import { Injectable } from '@nestjs/common';
import type { JobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import { optional } from '../../platform/base/optional.js';
import type { Tx } from '../../platform/database/database.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { type AgentRun, type EndedMemory, LessonRepository } from '../lessons/lesson.repository.js';
import { WitnessRepository } from '../lessons/witness.repository.js';
import { MemoryRepository } from '../store/memory.repository.js';
import { provenanceOf } from '../store/provenance.js';
import { MemoryMergesRepository, type UndoneMerges } from './memory-merges.repository.js';
import type { Merge, Mergeable, MergeableLesson, MergePlan, ProjectEntries } from './mergeable.js';

/** What of a plan was written, and how many changes were left out because a memory changed since. */
export type Applied<P extends MergePlan> = P & { readonly skipped: number };

/** Most memories that one journal entry names. */
const CHUNK = 500;
const ACTIONS = { lessons: 'memory.lessons_consolidated', entries: 'session.entries_consolidated' } as const;

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
    private readonly lessons: LessonRepository,
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
   * All of it in the caller's transaction. A change of the plan is left out if one of its memories ended, was pinned or
   * unpinned, got another text or provenance, or became a person's since.
   */
  async apply<P extends MergePlan>(tx: Tx, actor: JobActor, run: AgentRun, plan: P): Promise<Applied<P>> {
    await this.memories.lockAgent(tx, run.agentId);
    const planned = [...plan.merges.flatMap(membersOf), ...plan.endings.map(({ memory }) => memory)];
    const locked = await this.repository.lock(tx, run.agentId, [...new Set(planned.map(({ id }) => id))]);
    const isUnchanged = (one: Mergeable): boolean => {
      const found = locked.get(one.id);
      return found !== undefined && UNCHANGED.every((field) => found[field] === one[field]);
    };
    const merges = plan.merges.filter((merge) => membersOf(merge).every(isUnchanged));
    const endings = plan.endings.filter(({ memory }) => isUnchanged(memory));
    for (const merge of merges) await this.write(tx, run, merge);
    const ended: EndedMemory[] = [
      ...merges.flatMap(({ from, into, reason }) => from.map(({ id }) => ({ id, why: reason, by: into }))),
      ...endings.map(({ memory: { id }, reason, by }) => ({ id, why: reason, ...optional('by', by ?? undefined) })),
    ];
    const { length } = await this.lessons.endByRun(tx, run, ended, this.clock.now());
    if (length !== ended.length) throw new Error(`${ended.length} memories were locked, and ${length} could be ended`);
    if (plan.of === 'lessons')
      for (const { from, into } of merges) await this.witnesses.move(tx, idsOf(from), into, run.run);
    for (let from = 0; from < ended.length; from += CHUNK)
      await this.journal.append(tx, actor, {
        action: ACTIONS[plan.of],
        subject: { type: 'agent', id: run.agentId },
        data: { run: run.run, [plan.of]: ended.slice(from, from + CHUNK) },
      });
    const skipped = plan.merges.length - merges.length + plan.endings.length - endings.length;
    return { ...plan, merges, endings, skipped };
  }

  /** Ends what the run wrote and restores what it ended. The caller has checked that it may be undone. */
  async undo(tx: Tx, { run, agentId }: AgentRun): Promise<UndoneMerges> {
    await this.memories.lockAgent(tx, agentId);
    return this.repository.undo(tx, run, this.clock.now());
  }

  /** The run that changed a lesson which this run wrote. It has to be undone first. */
  async laterRunOf(tx: Tx, run: string): Promise<string | undefined> {
    return (await this.repository.replacedSince(tx, run)).find(({ byRun }) => byRun !== null)?.byRun ?? undefined;
  }

  /** Writes the lesson of a merge. Its texts were redacted when they were stored; a date may have made them longer. */
  private async write(tx: Tx, { run, agentId }: AgentRun, { into, base, from, written }: Merge): Promise<void> {
    if (written === undefined) return;
    const lesson = redactDeep(written.lesson).value;
    await this.memories.createAll(tx, [
      {
        ...(await this.memories.originOf(tx, base.id)),
        ...written,
        id: into,
        scope: 'agent',
        agentId,
        createdByRunId: run,
        lesson,
        provenance: provenanceOf(written.provenance, 'merge', 'job'),
        contentSha256: sha256(canonicalJson(lesson)),
      },
    ]);
    await this.repository.inheritSources(tx, into, idsOf(from));
  }
}

/** What must not have changed since the plan. */
const UNCHANGED = ['contentSha256', 'provenance', 'pinned', 'isPersons'] as const;

const idsOf = (memories: readonly Mergeable[]): string[] => memories.map(({ id }) => id);

/** The memories that a merge is made of: if one of them changed, it is not made. */
const membersOf = ({ base, from }: Merge): Mergeable[] => [base, ...from];
