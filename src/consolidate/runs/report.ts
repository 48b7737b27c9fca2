import type { AppliedMerges } from '../../memory/merging/memory-merges.service.js';
import type { AppliedEntries } from '../../memory/merging/mergeable-entry.js';
import type { LessonEnding, LessonMerge, MergeableLesson } from '../../memory/merging/mergeable-lesson.js';
import type { IndexSize } from '../rules/bounds.js';
import { type EntriesSize, type EntryPlan, entriesSize } from '../rules/entry-plan.js';
import type { PlannedMerge } from '../rules/merges.js';
import type { ConsolidationPlan } from '../rules/plan.js';
import type { ConsolidationReport, ProjectEntriesReport } from '../store/consolidation-run.schema.js';

/** Most items of one list of a report. */
const MOST_ITEMS = 200;

export interface Gathered {
  readonly sessions: number;
  readonly added: number;
  readonly since: Date | undefined;
  /** What is always loaded once the run is done. */
  readonly after: IndexSize;
}

const WHY: Readonly<Record<LessonMerge['reason'], string>> = {
  merged: 'They say the same.',
  covered: 'The general one says all that they say, about the same failure.',
  dated: 'Its dates were relative to the day on which it was written.',
};

const ENDED: Readonly<Record<LessonEnding['reason'], string>> = {
  contradicted: 'Another one is better founded.',
  answered: 'It says that nothing helped, and a live lesson or an approved skill overcomes that failure.',
  pruned: 'The least useful beyond what is always loaded.',
};

/** The report of a run, by phase: what was applied, or what a dry run would apply. */
export function reportOf(
  plan: ConsolidationPlan,
  applied: AppliedMerges,
  gathered: Gathered,
): Omit<ConsolidationReport, 'entries'> {
  const made = new Set(applied.merges.map(({ into }) => into));
  const merges = plan.merges.filter(({ into }) => made.has(into));
  const ended = new Set(applied.endings.map(({ lesson }) => lesson.id));
  const contradictions = plan.contradictions.filter((one) => one.ended === undefined || ended.has(one.ended.id));
  const pruned = applied.endings.filter(({ reason }) => reason !== 'contradicted');
  const { sessions, added, since, after } = gathered;
  return {
    orient: plan.before,
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
        contradictions.map(({ lessons, kept, ended: lost, why }) => ({
          lessons: lessons.map(({ id }) => id),
          kept: kept?.id ?? null,
          ended: lost?.id ?? null,
          askOwner: kept === undefined,
          why,
        })),
      ),
    },
    prune: bounded(pruned.map(({ lesson: { id }, reason }) => ({ id, why: ENDED[reason] }))),
    after,
    skipped: applied.skipped,
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

const shownMerge = ({ into, base, from, reason, isNew }: PlannedMerge) => ({
  into,
  from: from.map(({ id }) => id),
  why: WHY[reason],
  witnesses: witnessesOf(isNew ? from : [base, ...from]),
});

const witnessesOf = (lessons: readonly MergeableLesson[]): number =>
  Math.max(1, new Set(lessons.flatMap(({ witnesses }) => witnesses)).size);

const bounded = <T>(items: readonly T[]) => ({ total: items.length, items: items.slice(0, MOST_ITEMS) });

/** What a run did to the entries of one project. */
export interface DoneEntries {
  readonly plan: EntryPlan;
  readonly applied: AppliedEntries;
}

const BEYOND = 'Recalled longest ago, beyond what is always loaded.';

/** The session memory in the report of a run: what was applied, or what a dry run would apply. */
export function entriesReportOf(done: readonly DoneEntries[]): ConsolidationReport['entries'] {
  return bounded(done.filter(isWorthSaying).map(projectReport));
}

const isWorthSaying = ({ plan: { questions }, applied: { merges, pruned, skipped } }: DoneEntries): boolean =>
  questions.length + merges.length + pruned.length + skipped > 0;

function projectReport({ plan, applied }: DoneEntries): ProjectEntriesReport {
  const { merges, pruned, skipped } = applied;
  return {
    project: plan.project,
    before: { ...plan.before },
    after: afterOf(plan, applied),
    merged: bounded(
      merges.map(({ into, from }) => ({ into: into.id, from: from.map(({ id }) => id), why: WHY.merged })),
    ),
    ended: bounded(pruned.map(({ id }) => ({ id, why: BEYOND }))),
    questions: bounded(plan.questions.map(({ entries, why }) => ({ entries: entries.map(({ id }) => id), why }))),
    skipped,
  };
}

/** Without the entries that ended. */
function afterOf({ before }: EntryPlan, { merges, pruned }: AppliedEntries): EntriesSize {
  const { entries, bytes } = entriesSize([...merges.flatMap(({ from }) => from), ...pruned]);
  return { entries: before.entries - entries, bytes: before.bytes - bytes };
}
