import type {
  ConsolidationReport,
  ConsolidationRun,
  ProjectEntriesReport,
} from '../../consolidate/store/consolidation-run.schema.js';
import { sumBy } from '../../platform/base/sum.js';
import { counted, grouped } from '../frame/quantity.js';
import { listOf, type RunTexts, SHOWN, type Texts } from './consolidated-list.js';

type EntriesReport = ConsolidationReport['entries'];

/** The session memory in the page of a run, by project; null if the run neither changed nor asked anything there. */
export function entriesView({ items }: EntriesReport, { entries, leftEnded }: RunTexts, isUndone: boolean) {
  if (items.length === 0) return null;
  return {
    projects: items.slice(0, SHOWN).map((one) => projectView(one, entries ?? new Map())),
    notice: entries === undefined ? 'Only the owner of the agent and administrators read what its entries say.' : null,
    left:
      isUndone && leftEnded > 0
        ? `${counted(leftEnded, 'summary', 'summaries')} stayed ended, because the session has a newer one.`
        : null,
  };
}

/** What a run did to the entries, each with its number. */
export function entryCounts({ items }: EntriesReport): [n: number, text: string][] {
  const [merged, ended, asked] = [
    sumBy(items, (item) => item.merged.total),
    sumBy(items, (item) => item.ended.total),
    sumBy(items, ({ questions }) => questions.total),
  ];
  return [
    [merged, `${counted(merged, 'entry', 'entries')} merged from several`],
    [ended, `${counted(ended, 'entry', 'entries')} ended`],
    [asked, `${counted(asked, 'question')} about entries`],
  ];
}

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
  const textOf = (id: string): string => texts.get(id) ?? `entry ${id}`;
  return {
    title: project === null ? 'In every project' : `Project ${project}`,
    size: `${counted(before.entries, 'entry', 'entries')} before, ${grouped(after.entries)} after; ${grouped(after.bytes)} bytes as a preamble shows them`,
    lists: [
      listOf('Merged', merged, ({ into, from, why }) => ({
        says: textOf(into),
        from: from.map(textOf),
        why,
        witnesses: null,
      })),
      listOf('Contradictions', questions, ({ entries, why }) => ({
        says: 'Question to the owner',
        from: entries.map(textOf),
        why,
        witnesses: null,
      })),
      listOf('Ended', ended, ({ id, why }) => ({ says: textOf(id), from: [], why, witnesses: null })),
    ].filter(({ total }) => total > 0),
    skipped:
      skipped > 0
        ? `${counted(skipped, 'change was', 'changes were')} left out, because an entry changed meanwhile.`
        : null,
  };
}
