import { Injectable } from '@nestjs/common';
import type { JobActor } from '../journal/actor.js';
import { Journal } from '../journal/journal.service.js';
import { type Applied, MemoryMerges } from '../memory/upkeep/memory-merges.service.js';
import type { Ending, Merge, Mergeable, MergeableLesson, MergePlan } from '../memory/upkeep/mergeable.js';
import { yieldToEventLoop } from '../platform/background/yielder.js';
import { Clock } from '../platform/base/clock.js';
import { MINUTE_MS } from '../platform/base/durations.js';
import { Ids } from '../platform/base/ids.js';
import { sumBy } from '../platform/base/sum.js';
import { type Tx, WorkerDatabase } from '../platform/database/database.js';
import { releaseLease, takeLease } from '../platform/database/lease.js';
import { preambleText } from '../sessions/entries/preamble.js';
import { redact } from '../untrusted/redaction/redact.js';
import { clip } from '../untrusted/text/clip.js';
import { type IndexSize, indexSize } from './bounds.js';
import { ConsolidationRunRepository, RUNS, type StoredRun } from './consolidation-run.repository.js';
import type { ConsolidationReport, MemoryInventory, ProjectEntriesReport } from './consolidation-run.schema.js';
import { type EntryPlan, planEntries } from './entry-plan.js';
import type { PlannedMerge } from './merges.js';
import { type ConsolidationPlan, planConsolidation, textOf, unrepresented } from './plan.js';

const LEASE_MS = 10 * MINUTE_MS;
const LONGEST_FAILURE = 300;

interface AgentRun extends Pick<StoredRun, 'id' | 'trigger' | 'dryRun'> {
  readonly agentId: string;
}

/**
 * One run over the lessons and the session memory of one agent. It reads and plans first, and writes everything in one
 * transaction at the end, so that the memory is as before or as after, whenever the process stops. It runs under the
 * database role of background work, which cannot change org memory.
 */
@Injectable()
export class AgentConsolidation {
  constructor(
    private readonly worker: WorkerDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly journal: Journal,
    private readonly repository: ConsolidationRunRepository,
    private readonly memory: MemoryMerges,
  ) {}

  /** Returns false if another run holds the lease of this agent. */
  async run(actor: JobActor, run: AgentRun): Promise<boolean> {
    const { client } = this.worker;
    const { id, agentId } = run;
    const startedAt = this.clock.now();
    if (!(await this.takeLease(client, run))) return false;
    try {
      await RUNS.expire(client, startedAt, agentId);
      const since = await this.repository.lastCompleted(client, agentId);
      const sessions = await this.repository.sessionsSince(client, agentId, since);
      await RUNS.start(client, { ...run, phase: 'orient', input: { project: null, sessions }, startedAt });
      const store = await this.memory.live(client, agentId);
      await RUNS.setPhase(client, id, 'gather');
      const added = store.filter(({ createdAt }) => since === undefined || createdAt > since).length;
      await RUNS.setPhase(client, id, 'consolidate');
      // A dry run writes no lesson, so it names the one whose words the new one would have.
      const plan = planConsolidation(store, (base) => (run.dryRun ? base : this.ids.uuid()));
      requireRepresented(store, plan);
      const entries = await this.planEntries(agentId);
      await RUNS.setPhase(client, id, 'prune');
      await this.finish(actor, run, { plan, entries }, { sessions, added, since });
      return true;
    } finally {
      await releaseLease(client, leaseOf(agentId), id);
    }
  }

  /** Records a run that failed, or throws its error if it had not begun. The time of the last one that completed stays what it was. */
  async fail(actor: JobActor, id: string, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    const failure = clip(redact(message).text, LONGEST_FAILURE);
    await this.worker.transaction(async (tx) => {
      if (!(await RUNS.fail(tx, id, failure, this.clock.now()))) throw error;
      await this.journal.append(tx, actor, {
        action: 'consolidation.failed',
        subject: { type: 'consolidation_run', id },
      });
    });
  }

  /** Each project alone: an entry of one project says nothing about another. */
  private async planEntries(agentId: string): Promise<EntryPlan[]> {
    const plans: EntryPlan[] = [];
    for (const project of await this.memory.liveEntries(this.worker.client, agentId)) {
      const plan = planEntries(project);
      requireRepresented(project.entries, plan);
      plans.push(plan);
      await yieldToEventLoop();
    }
    return plans;
  }

  private async finish(
    actor: JobActor,
    run: AgentRun,
    { plan, entries }: { plan: ConsolidationPlan; entries: readonly EntryPlan[] },
    gathered: Omit<Gathered, 'after'>,
  ): Promise<void> {
    const { id, agentId, trigger, dryRun } = run;
    await this.worker.transaction(async (tx) => {
      // Renewed in the transaction of the writes: without the lease, another run may have begun.
      if (!(await this.takeLease(tx, run))) throw new Error('another run has taken over the lease');
      const apply = async <P extends MergePlan>(one: P): Promise<Applied<P>> =>
        dryRun ? { ...one, skipped: 0 } : this.memory.apply(tx, actor, { run: id, agentId }, one);
      const lessons = await apply(plan);
      const applied: Applied<EntryPlan>[] = [];
      for (const one of entries) applied.push(await apply(one));
      const after = dryRun ? plan.after : indexSize((await this.memory.live(tx, agentId)).map(textOf));
      const report = reportOf(lessons, applied, { ...gathered, after });
      await RUNS.complete(tx, id, report, this.clock.now());
      const counts = { ...countsOf(report), entries: entryCounts(applied) };
      await this.journal.append(tx, actor, {
        action: 'consolidation.completed',
        subject: { type: 'consolidation_run', id },
        data: { agent: agentId, trigger, dryRun, ...counts },
      });
    });
  }

  private takeLease(tx: Tx, { id, agentId }: AgentRun): Promise<boolean> {
    return takeLease(tx, leaseOf(agentId), id, this.clock.now(), LEASE_MS);
  }
}

const leaseOf = (agentId: string): string => `consolidation:${agentId}`;

function requireRepresented(memories: readonly Mergeable[], plan: MergePlan): void {
  const [lost] = unrepresented(memories, plan);
  if (lost !== undefined) throw new Error(`the plan has no descendant for ${lost}`);
}

const countsOf = ({ consolidate, prune, skipped }: ConsolidationReport) => ({
  merged: consolidate.merges.total,
  generalised: consolidate.generalised.total,
  dated: consolidate.dates.total,
  contradictions: consolidate.contradictions.total,
  pruned: prune.total,
  skipped,
});

const entryCounts = (applied: readonly Applied<EntryPlan>[]) => ({
  ended: sumBy(applied, ({ merges, endings }) => sumBy(merges, ({ from }) => from.length) + endings.length),
  skipped: sumBy(applied, ({ skipped }) => skipped),
});

/** Most items of one list of a report. */
const MOST_ITEMS = 200;

interface Gathered {
  readonly sessions: number;
  readonly added: number;
  readonly since: Date | undefined;
  /** What is always loaded once the run is done. */
  readonly after: IndexSize;
}

const WHY: Readonly<Record<Merge['reason'], string>> = {
  merged: 'They say the same.',
  covered: 'The general one says all that they say, about the same failure.',
  dated: 'Its dates were relative to the day on which it was written.',
};

const ENDED: Readonly<Record<Ending['reason'], string>> = {
  contradicted: 'Another one is better founded.',
  answered: 'It says that nothing helped, and a live lesson or an approved skill overcomes that failure.',
  pruned: 'The least useful beyond what is always loaded.',
};
const BEYOND = 'Recalled longest ago, beyond what is always loaded.';

/** The report of a run, by phase: what was applied, or what a dry run would apply. */
function reportOf(
  lessons: Applied<ConsolidationPlan>,
  entries: readonly Applied<EntryPlan>[],
  { sessions, added, since, after }: Gathered,
): ConsolidationReport {
  const { merges, endings, before, skipped } = lessons;
  const ended = new Set(endings.map(({ memory }) => memory));
  const contradictions = lessons.contradictions.filter((one) => one.ended === undefined || ended.has(one.ended));
  return {
    orient: inventoryOf(before),
    gather: { sessions, added, since: since?.toISOString() ?? null },
    consolidate: {
      merges: bounded(merges.filter(({ reason }) => reason === 'merged').map(shownMerge)),
      generalised: bounded(merges.filter(({ reason }) => reason === 'covered').map(shownMerge)),
      dates: bounded(
        merges
          .filter(({ dates }) => dates.length > 0)
          .map(({ into, base, dates }) => ({
            into,
            from: base.id,
            replaced: dates.slice(0, 20).map((date) => ({ ...date })),
          })),
      ),
      contradictions: bounded(
        contradictions.map(({ lessons: both, kept, ended: lost, why }) => ({
          lessons: idsOf(both),
          kept: kept?.id ?? null,
          ended: lost?.id ?? null,
          askOwner: kept === undefined,
          why,
        })),
      ),
    },
    prune: bounded(
      endings
        .filter(({ reason }) => reason !== 'contradicted')
        .map(({ memory: { id }, reason }) => ({ id, why: ENDED[reason] })),
    ),
    entries: bounded(entries.filter(isWorthSaying).map(projectReport)),
    after: inventoryOf(after),
    skipped,
  };
}

/** Number of lessons and entries that the run changed: without any, there is nothing to undo. */
export const changesIn = ({ consolidate, prune, entries }: ConsolidationReport): number =>
  consolidate.merges.total +
  consolidate.generalised.total +
  consolidate.dates.total +
  consolidate.contradictions.items.filter(({ ended }) => ended !== null).length +
  prune.total +
  entries.items.reduce((sum, { merged, ended }) => sum + merged.total + ended.total, 0);

const inventoryOf = (size: IndexSize): MemoryInventory => ({ lessons: size.lines, ...size });

const idsOf = (memories: readonly Mergeable[]): string[] => memories.map(({ id }) => id);

const shownMerge = ({ into, base, from, reason, written }: PlannedMerge) => ({
  into,
  from: idsOf(from),
  why: WHY[reason],
  witnesses: witnessesOf(written ? from : [base, ...from]),
});

const witnessesOf = (lessons: readonly MergeableLesson[]): number =>
  Math.max(1, new Set(lessons.flatMap(({ witnesses }) => witnesses)).size);

const bounded = <T>(items: readonly T[]) => ({ total: items.length, items: items.slice(0, MOST_ITEMS) });

const isWorthSaying = ({ questions, merges, endings, skipped }: Applied<EntryPlan>): boolean =>
  questions.length + merges.length + endings.length + skipped > 0;

function projectReport({
  project,
  merges,
  endings,
  questions,
  before,
  skipped,
}: Applied<EntryPlan>): ProjectEntriesReport {
  const gone = [...merges.flatMap(({ from }) => from), ...endings.map(({ memory }) => memory)];
  const { lines, bytes } = indexSize(gone.map(preambleText));
  return {
    project,
    before: { entries: before.lines, bytes: before.bytes },
    after: { entries: before.lines - lines, bytes: before.bytes - bytes },
    merged: bounded(merges.map(({ into, from, reason }) => ({ into, from: idsOf(from), why: WHY[reason] }))),
    ended: bounded(endings.map(({ memory: { id } }) => ({ id, why: BEYOND }))),
    questions: bounded(questions.map(({ entries, why }) => ({ entries: idsOf(entries), why }))),
    skipped,
  };
}
