import type {
  ConsolidationReport,
  ConsolidationRun,
  ProjectEntriesReport,
} from '../../consolidate/runs/consolidation-run.schema.js';
import { say } from '../texts/texts.js';
import { listOf, type RunTexts, SHOWN, type Texts } from './consolidated-list.js';

type EntriesReport = ConsolidationReport['entries'];

/** The session memory in the page of a run, by project; null if the run neither changed nor asked anything there. */
export function entriesView({ items }: EntriesReport, { entries, leftEnded }: RunTexts, isUndone: boolean) {
  if (items.length === 0) return null;
  return {
    projects: items.slice(0, SHOWN).map((one) => projectView(one, entries ?? new Map())),
    notice: entries === undefined ? say('consolidation.entries-private') : null,
    left: isUndone && leftEnded > 0 ? say('consolidation.entries-left', { n: leftEnded }) : null,
  };
}

/** What a run did to the entries, in numbers. */
export const entryCounts = ({ items }: EntriesReport) => ({
  'entries-merged': sum(items.map(({ merged }) => merged.total)),
  'entries-ended': sum(items.map(({ ended }) => ended.total)),
  'entries-asked': sum(items.map(({ questions }) => questions.total)),
});

/** The ids of the entries that the page of a run names, each once. */
export function namedEntries({ report }: ConsolidationRun): string[] {
  const ids = (report?.entries.items ?? [])
    .slice(0, SHOWN)
    .flatMap(({ merged, ended, questions }) => [
      ...merged.items.slice(0, SHOWN).flatMap(({ into, from }) => [into, ...from]),
      ...ended.items.slice(0, SHOWN).map(({ id }) => id),
      ...questions.items.slice(0, SHOWN).flatMap(({ entries }) => entries),
    ]);
  return [...new Set(ids)];
}

function projectView(
  { project, before, after, merged, ended, questions, skipped }: ProjectEntriesReport,
  texts: Texts,
) {
  const textOf = (id: string): string => texts.get(id) ?? say('consolidation.entry', { id });
  return {
    title:
      project === null
        ? say('consolidation.entries-everywhere')
        : say('consolidation.entries-project', { name: project }),
    size: say('consolidation.entries-size', { before: before.entries, after: after.entries, bytes: after.bytes }),
    lists: [
      listOf('entries-merged', merged, ({ into, from, why }) => ({
        says: textOf(into),
        from: from.map(textOf),
        why,
        witnesses: null,
      })),
      listOf('entries-questions', questions, ({ entries, why }) => ({
        says: say('consolidation.ask'),
        from: entries.map(textOf),
        why,
        witnesses: null,
      })),
      listOf('entries-ended', ended, ({ id, why }) => ({ says: textOf(id), from: [], why, witnesses: null })),
    ].filter(({ total }) => total > 0),
    skipped: skipped > 0 ? say('consolidation.entries-skipped', { n: skipped }) : null,
  };
}

const sum = (all: readonly number[]): number => all.reduce((total, n) => total + n, 0);
