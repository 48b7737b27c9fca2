import { type ConsolidationReport, type ConsolidationRun } from '../../consolidate/store/consolidation-run.schema.js';
import type { NoteQuestion } from '../../memory/lessons/kept-note.js';
import { clip } from '../../untrusted/text/clip.js';
import { counted, grouped, plural } from '../frame/quantity.js';
import { moment } from '../frame/times.js';
import { entriesView, entryCounts } from './consolidated-entries.js';
import { listOf, type RunTexts, SHOWN, type Texts } from './consolidated-list.js';

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
    did: didText(run),
    progress:
      state === 'running' ? `This run is in progress, in phase ${phaseText(run)}. The page updates itself.` : null,
    failure: failure === null ? null : `The run failed: ${failure}`,
    note: undoneAt
      ? `This run was undone ${moment(undoneAt, now).says}. Later runs leave the restored lessons alone.`
      : dryRun && report
        ? 'A dry run: nothing was changed. This is what a run would do.'
        : null,
    undo:
      canUndo && undoUntil
        ? `Ends what the run wrote and restores what it ended. Possible until ${moment(undoUntil, now).exact}.`
        : null,
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

function howText({ trigger, dryRun }: ConsolidationRun): string {
  return dryRun ? `${trigger}, dry run` : trigger;
}

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

const inventoryText = ({ lessons, lines, bytes }: ConsolidationReport['orient']): string =>
  `${counted(lessons, 'lesson')}, ${counted(lines, 'line')}, ${grouped(bytes)} bytes always loaded`;

function reportView(report: ConsolidationReport, lessons: Texts, now: Date) {
  const { orient, gather, consolidate, prune, after, skipped } = report;
  const textOf = (id: string): string => lessons.get(id) ?? 'a deleted lesson';
  const since = gather.since === null ? [] : [`since ${moment(gather.since, now).exact}`];
  const written = ({ into, from, why, witnesses }: Written) => ({
    says: textOf(into),
    from: from.map(textOf),
    why,
    witnesses: counted(witnesses, 'witness', 'witnesses'),
  });
  return {
    orient: inventoryText(orient),
    gather: [
      `${grouped(gather.sessions)} new ${plural(gather.sessions, 'session', 'sessions')}, ${grouped(gather.added)} new ${plural(gather.added, 'lesson', 'lessons')}`,
      ...since,
    ].join(' '),
    lists: [
      listOf('Merged', consolidate.merges, written),
      listOf('General lessons above their cases', consolidate.generalised, written),
      listOf('Exact dates', consolidate.dates, ({ into, replaced }) => ({
        says: textOf(into),
        from: [],
        witnesses: null,
        why: replaced.map(({ from, to }) => `“${from}” became “${to}”`).join(', '),
      })),
      listOf('Contradictions', consolidate.contradictions, ({ lessons: ids, kept, ended, askOwner, why }) => ({
        says: askOwner ? 'Question to the owner' : textOf(kept ?? ids[0] ?? ''),
        from: ids.filter((id) => askOwner || id !== kept).map((id) => withEnd(textOf(id), id === ended)),
        why,
        witnesses: null,
      })),
    ].filter(({ total }) => total > 0),
    prune: listOf('Ended', prune, ({ id, why }) => ({ says: textOf(id), from: [], why, witnesses: null })),
    after: inventoryText(after),
    skipped:
      skipped > 0
        ? `${counted(skipped, 'change was', 'changes were')} left out, because a lesson changed meanwhile.`
        : null,
  };
}

type Written = ConsolidationReport['consolidate']['merges']['items'][number];

const withEnd = (text: string, hasEnded: boolean): string => (hasEnded ? `${text} (ended)` : text);
