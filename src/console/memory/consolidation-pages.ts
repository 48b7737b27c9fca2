import type {
  ConsolidationReport,
  ConsolidationRun,
  ProjectEntriesReport,
} from '../../consolidate/consolidation-run.schema.js';
import type { NoteQuestion } from '../../memory/lessons/kept-note.js';
import { sumBy } from '../../platform/base/sum.js';
import { clip } from '../../untrusted/text/clip.js';
import { counted, grouped, moment, plural } from '../frame/in-words.js';

/** Entries of a list that a page shows. */
const SHOWN = 20;

/** What lessons or entries say, by id. Deleted ones are missing. */
export type Texts = ReadonlyMap<string, string>;

/** What the page of a run shows beside its report. */
export interface RunTexts {
  readonly lessons: Texts;
  /** Undefined for those who may not read what the entries say. */
  readonly entries: Texts | undefined;
  /** Entries that are ended by the run: after an undo, those that it could not restore. */
  readonly leftEnded: number;
}

const LONGEST_NOTE = 300;

/** A row of the list of runs. */
export function consolidationRow(run: ConsolidationRun, now: Date) {
  return {
    id: run.id,
    whose: whoseText(run),
    how: howText(run),
    state: stateText(run),
    when: moment(run.startedAt, now),
    did: didText(run),
    isFailed: run.state === 'failed',
  };
}

/** Two notes of an agent that contradict each other: a question to its owner. */
export const questionRow = ({ agent, kind, says, otherKind, other, at }: NoteQuestion, now: Date) => ({
  agent,
  says: `${kind}: ${clip(says, LONGEST_NOTE)}`,
  other: `${otherKind}: ${clip(other, LONGEST_NOTE)}`,
  when: moment(at.toISOString(), now),
});

/** The view of a run by phase. */
export function consolidationView(run: ConsolidationRun, texts: RunTexts, now: Date, isAdmin: boolean) {
  const { id, state, failure, dryRun, undoneAt, undoUntil, report, agentId } = run;
  const canUndo = isAdmin && undoUntil !== null && new Date(undoUntil) >= now;
  return {
    id,
    state: stateText(run),
    how: howText(run),
    took: tookText(run),
    title: `Consolidation of ${whoseText(run)}, ${moment(run.startedAt, now).exact}`,
    phase: state === 'running' ? phaseText(run) : null,
    failure,
    undone: undoneAt && moment(undoneAt, now).says,
    isDry: dryRun && report !== null,
    undoUntil: canUndo ? moment(undoUntil, now).exact : null,
    runsFor: isAdmin && state !== 'running' ? agentId : null,
    report: report ? reportView(report, texts.lessons, now) : null,
    memory: report ? entriesView(report.entries, texts, undoneAt !== null) : null,
  };
}

/** The ids of the lessons that the page of a run names, each once. */
export function namedLessons({ report }: ConsolidationRun): string[] {
  if (!report) return [];
  const { merges, generalised, dates, contradictions } = report.consolidate;
  const ids = [
    ...[...merges.items.slice(0, SHOWN), ...generalised.items.slice(0, SHOWN)].flatMap(({ into, from }) => [
      into,
      ...from,
    ]),
    ...dates.items.slice(0, SHOWN).map(({ into }) => into),
    ...contradictions.items.slice(0, SHOWN).flatMap(({ lessons }) => lessons),
    ...report.prune.items.slice(0, SHOWN).map(({ id }) => id),
  ];
  return [...new Set(ids)];
}

const whoseText = ({ agent, project }: ConsolidationRun): string =>
  project === null ? (agent ?? 'a deleted agent') : `project ${project}`;

const howText = ({ trigger, dryRun }: ConsolidationRun): string => (dryRun ? `${trigger}, dry run` : trigger);

const stateText = ({ state, undoneAt }: ConsolidationRun): string => (undoneAt === null ? state : 'undone');

const phaseText = ({ phase }: ConsolidationRun): string =>
  phase === null ? 'Start' : phase.charAt(0).toUpperCase() + phase.slice(1);

function tookText({ startedAt, finishedAt }: ConsolidationRun): string | null {
  if (finishedAt === null) return null;
  const seconds = Math.round((Date.parse(finishedAt) - Date.parse(startedAt)) / 100) / 10;
  return `${seconds} s`;
}

/** What a run did, or would do, in a line. */
function didText(run: ConsolidationRun): string {
  const { state, failure, report } = run;
  if (state === 'running') return `in phase ${phaseText(run)} …`;
  if (failure !== null) return failure;
  if (!report) return '';
  const { merges, generalised, dates, contradictions } = report.consolidate;
  const asked = contradictions.items.filter(({ askOwner }) => askOwner).length;
  const settled = contradictions.total - asked;
  const parts = [
    [merges.total, `${counted(merges.total, 'lesson')} merged from several`],
    [
      generalised.total,
      `${counted(generalised.total, 'lesson')} put above ${plural(generalised.total, 'its', 'their')} cases`,
    ],
    [dates.total, `${grouped(dates.total)} with exact dates`],
    [settled, `${counted(settled, 'contradiction')} settled`],
    [asked, `${counted(asked, 'question')} to the owner`],
    [report.prune.total, `${grouped(report.prune.total)} ended`],
    ...entryCounts(report.entries),
  ].flatMap(([n, text]) => (n === 0 ? [] : [text]));
  return parts.length === 0 ? 'nothing to change' : parts.join(', ');
}

function reportView(report: ConsolidationReport, lessons: Texts, now: Date) {
  const { orient, gather, consolidate, prune, after, skipped } = report;
  const textOf = (id: string): string => lessons.get(id) ?? 'a deleted lesson';
  const written = ({ into, from, why, witnesses }: Written) => ({
    says: textOf(into),
    from: from.map(textOf),
    why,
    witnesses,
  });
  return {
    orient,
    gather,
    since: gather.since && moment(gather.since, now).exact,
    lists: [
      listOf('Merged', consolidate.merges, written),
      listOf('General lessons above their cases', consolidate.generalised, written),
      listOf('Exact dates', consolidate.dates, ({ into, replaced }) => ({
        says: textOf(into),
        why: replaced.map(({ from, to }) => `“${from}” became “${to}”`).join(', '),
      })),
      listOf('Contradictions', consolidate.contradictions, ({ lessons: ids, kept, ended, askOwner, why }) => ({
        says: askOwner ? 'Question to the owner' : textOf(kept ?? ids[0] ?? ''),
        from: ids.filter((id) => askOwner || id !== kept).map((id) => withEnd(textOf(id), id === ended)),
        why,
      })),
    ].filter(({ total }) => total > 0),
    prune: listOf('Ended', prune, ({ id, why }) => ({ says: textOf(id), why })),
    after,
    skipped,
  };
}

type Written = ConsolidationReport['consolidate']['merges']['items'][number];

const withEnd = (text: string, hasEnded: boolean): string => (hasEnded ? `${text} (ended)` : text);

type EntriesReport = ConsolidationReport['entries'];

/** The session memory in the page of a run, by project; null if the run neither changed nor asked anything there. */
function entriesView({ items }: EntriesReport, { entries, leftEnded }: RunTexts, isUndone: boolean) {
  if (items.length === 0) return null;
  return {
    projects: items.slice(0, SHOWN).map((one) => projectView(one, entries ?? new Map())),
    isPrivate: entries === undefined,
    left: isUndone ? leftEnded : 0,
  };
}

/** What a run did to the entries, each with its number. */
function entryCounts({ items }: EntriesReport): [n: number, text: string][] {
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
    before: before.entries,
    after,
    lists: [
      listOf('Merged', merged, ({ into, from, why }) => ({
        says: textOf(into),
        from: from.map(textOf),
        why,
      })),
      listOf('Contradictions', questions, ({ entries, why }) => ({
        says: 'Question to the owner',
        from: entries.map(textOf),
        why,
      })),
      listOf('Ended', ended, ({ id, why }) => ({ says: textOf(id), why })),
    ].filter(({ total }) => total > 0),
    skipped,
  };
}

interface ShownChange {
  readonly says: string;
  readonly from?: readonly string[];
  readonly why: string;
  readonly witnesses?: number;
}

/** A list of changes, as far as a page shows it. */
function listOf<T>(
  title: string,
  { total, items }: { total: number; items: readonly T[] },
  show: (item: T) => ShownChange,
) {
  const rows = items.slice(0, SHOWN).map((item) => ({ from: [], witnesses: null, ...show(item) }));
  return {
    total,
    title,
    rows,
    more: total - rows.length,
  };
}
