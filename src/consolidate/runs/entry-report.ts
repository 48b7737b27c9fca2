import type { AppliedEntries } from '../../memory/merging/mergeable-entry.js';
import { type EntriesSize, type EntryPlan, entriesSize } from '../rules/entry-plan.js';
import type { ConsolidationReport, ProjectEntriesReport } from '../store/consolidation-run.schema.js';
import { bounded } from './report.js';

/** What a run did to the entries of one project. */
export interface DoneEntries {
  readonly plan: EntryPlan;
  readonly applied: AppliedEntries;
}

const SAME = 'They say the same.';
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
    merged: bounded(merges.map(({ into, from }) => ({ into: into.id, from: from.map(({ id }) => id), why: SAME }))),
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
