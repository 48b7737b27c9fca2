import { Injectable } from '@nestjs/common';
import type { JobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import type { Tx } from '../../platform/database/database.js';
import { redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { WitnessRepository } from '../lessons/witness.repository.js';
import { provenanceOf } from '../store/provenance.js';
import { LessonMergesRepository, type UndoneLessons } from './lesson-merges.repository.js';
import type { LessonEnding, LessonMerge, MergeableLesson, MergePlan } from './mergeable-lesson.js';

/** The agent whose lessons a run changes. */
export interface MergeRun {
  readonly run: string;
  readonly agentId: string;
}

/** What a run changed, and how many changes it left out because a lesson changed since the plan. */
export interface AppliedMerges {
  readonly merges: readonly LessonMerge[];
  readonly endings: readonly LessonEnding[];
  readonly skipped: number;
}

/** Most lessons that one journal entry names. */
const CHUNK = 500;

/** Writes what a consolidation decided about the private lessons of one agent, and takes it back. */
@Injectable()
export class LessonMerges {
  constructor(
    private readonly clock: Clock,
    private readonly journal: Journal,
    private readonly witnesses: WitnessRepository,
    private readonly repository: LessonMergesRepository,
  ) {}

  live(tx: Tx, agentId: string): Promise<MergeableLesson[]> {
    return this.repository.live(tx, agentId);
  }

  /**
   * All of it in the caller's transaction. A change of the plan is left out if one of its lessons ended, was pinned or
   * got another text or provenance since.
   */
  async apply(tx: Tx, actor: JobActor, { run, agentId }: MergeRun, plan: MergePlan): Promise<AppliedMerges> {
    await this.witnesses.lockAgent(tx, agentId);
    const planned = [...plan.merges.flatMap(lessonsOf), ...plan.endings.map(({ lesson }) => lesson)];
    const now = this.clock.now();
    const locked = await this.repository.lock(tx, agentId, [...new Set(planned.map(({ id }) => id))]);
    const isUnchanged = (one: MergeableLesson): boolean => {
      const found = locked.get(one.id);
      return (
        found?.contentSha256 === one.contentSha256 && found.provenance === one.provenance && found.pinned === one.pinned
      );
    };
    const merges = plan.merges.filter((merge) => lessonsOf(merge).every(isUnchanged));
    const endings = plan.endings.filter(({ lesson }) => isUnchanged(lesson));
    for (const merge of merges) await this.merge(tx, { run, agentId }, merge, now);
    for (const { lesson, reason, by } of endings) await this.repository.end(tx, [lesson.id], by, reason, run, now);
    await this.record(tx, actor, { run, agentId }, merges, endings);
    return { merges, endings, skipped: plan.merges.length - merges.length + plan.endings.length - endings.length };
  }

  /** Ends what the run wrote and restores what it ended. The caller has checked that it may be undone. */
  async undo(tx: Tx, { run, agentId }: MergeRun): Promise<UndoneLessons> {
    await this.witnesses.lockAgent(tx, agentId);
    return this.repository.undo(tx, run, this.clock.now());
  }

  /** The run that changed a lesson which this run wrote. It has to be undone first. */
  async laterRunOf(tx: Tx, run: string): Promise<string | undefined> {
    return (await this.repository.replacedSince(tx, run)).find(({ byRun }) => byRun !== null)?.byRun ?? undefined;
  }

  private async merge(tx: Tx, { run, agentId }: MergeRun, merge: LessonMerge, now: Date): Promise<void> {
    const { into, isNew, base, from, reason } = merge;
    const ids = from.map(({ id }) => id);
    if (isNew) {
      // Its texts were redacted when they were stored; a date may have made them longer, and nothing else changed.
      const lesson = redactDeep(merge.lesson).value;
      await this.repository.create(tx, {
        run,
        agentId,
        into,
        base,
        lesson,
        contentSha256: sha256(canonicalJson(lesson)),
        provenance: provenanceOf(merge.provenance, 'merge', 'job'),
        ...(await this.repository.originOf(tx, base.id)),
        createdAt: new Date(Math.max(...from.map(({ createdAt }) => createdAt.getTime()))),
        relevanceCount: Math.max(...from.map(({ relevanceCount }) => relevanceCount)),
        lastRetrievedAt: latest(from.map(({ lastRetrievedAt }) => lastRetrievedAt)),
      });
      await this.repository.inheritSources(tx, into, ids);
    }
    await this.repository.addWitnesses(tx, into, ids, run);
    const ended = await this.repository.end(tx, ids, into, reason, run, now);
    if (ended !== ids.length) throw new Error(`${ids.length} lessons were locked, and ${ended} could be ended`);
  }

  private async record(
    tx: Tx,
    actor: JobActor,
    { run, agentId }: MergeRun,
    merges: readonly LessonMerge[],
    endings: readonly LessonEnding[],
  ): Promise<void> {
    const lessons = [
      ...merges.flatMap(({ from, into, reason }) => from.map(({ id }) => ({ id, why: reason, by: into }))),
      ...endings.map(({ lesson: { id }, reason, by }) => ({ id, why: reason, ...(by === null ? {} : { by }) })),
    ];
    for (let at = 0; at < lessons.length; at += CHUNK)
      await this.journal.append(tx, actor, {
        action: 'memory.lessons_consolidated',
        subject: { type: 'agent', id: agentId },
        data: { run, lessons: lessons.slice(at, at + CHUNK) },
      });
  }
}

const lessonsOf = ({ base, from }: LessonMerge): MergeableLesson[] =>
  from.some(({ id }) => id === base.id) ? [...from] : [base, ...from];

function latest(times: readonly (Date | null)[]): Date | null {
  const known = times.flatMap((time) => time?.getTime() ?? []);
  return known.length === 0 ? null : new Date(Math.max(...known));
}
