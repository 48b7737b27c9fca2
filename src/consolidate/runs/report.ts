import type { Applied } from '../../memory/merging/memory-merges.service.js';
import type { Ending, Merge, Mergeable, MergeableLesson } from '../../memory/merging/mergeable.js';
import { preambleText } from '../../sessions/entries/preamble.js';
import { type IndexSize, indexSize } from '../rules/bounds.js';
import type { EntryPlan } from '../rules/entry-plan.js';
import type { PlannedMerge } from '../rules/merges.js';
import type { ConsolidationPlan } from '../rules/plan.js';
import type { ConsolidationReport, MemoryInventory, ProjectEntriesReport } from '../store/consolidation-run.schema.js';

/** Most items of one list of a report. */
const MOST_ITEMS = 200;

export interface Gathered {
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
export function reportOf(
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
