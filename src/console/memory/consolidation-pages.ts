import {
  CONSOLIDATION_PHASES,
  type ConsolidationReport,
  type ConsolidationRun,
} from '../../consolidate/runs/consolidation-run.schema.js';
import type { NoteQuestion } from '../../memory/lessons/kept-note.js';
import { clip } from '../../untrusted/text/clip.js';
import { say } from '../texts/texts.js';
import { moment } from '../texts/times.js';
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

/** The phases, for a page without runs. */
export const phaseTexts = () =>
  CONSOLIDATION_PHASES.map((phase) => ({
    name: say(`consolidation.phase.${phase}`),
    says: say(`consolidation.phase.${phase}-says`),
  }));

/** The view of a run by phase. */
export function consolidationView(run: ConsolidationRun, texts: RunTexts, now: Date, isAdmin: boolean) {
  const { id, state, failure, dryRun, undoneAt, undoUntil, report, agentId } = run;
  const canUndo = isAdmin && undoUntil !== null && new Date(undoUntil) >= now;
  return {
    id,
    state: stateText(run),
    how: howText(run),
    took: tookText(run),
    title: say('consolidation.run-title', { whose: whoseText(run), when: moment(run.startedAt, now).exact }),
    did: didText(run),
    progress: state === 'running' ? say('consolidation.progress', { phase: phaseText(run) }) : null,
    failure: failure === null ? null : say('consolidation.failed-says', { reason: failure }),
    note: undoneAt
      ? say('consolidation.undone-says', { when: moment(undoneAt, now).says })
      : dryRun && report
        ? say('consolidation.dry-says')
        : null,
    undo: canUndo && undoUntil ? say('consolidation.undo-says', { until: moment(undoUntil, now).exact }) : null,
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
  project === null ? (agent ?? say('consolidation.deleted')) : say('consolidation.project', { name: project });

function howText({ trigger, dryRun }: ConsolidationRun): string {
  const how = say(`consolidation.by.${trigger}`);
  return dryRun ? say('consolidation.dry', { how }) : how;
}

const stateText = ({ state, undoneAt }: ConsolidationRun): string =>
  say(`consolidation.state.${undoneAt === null ? state : 'undone'}`);

const phaseText = ({ phase }: ConsolidationRun): string =>
  phase === null ? say('consolidation.starting') : say(`consolidation.phase.${phase}`);

function tookText({ startedAt, finishedAt }: ConsolidationRun): string | null {
  if (finishedAt === null) return null;
  const seconds = Math.round((Date.parse(finishedAt) - Date.parse(startedAt)) / 100) / 10;
  return say('consolidation.seconds', { n: String(seconds) });
}

/** What a run did, or would do, in a line. */
function didText(run: ConsolidationRun): string {
  const { state, failure, report } = run;
  if (state === 'running') return say('consolidation.in-phase', { phase: phaseText(run) });
  if (failure !== null) return failure;
  if (!report) return '';
  const { merges, generalised, dates, contradictions } = report.consolidate;
  const asked = contradictions.items.filter(({ askOwner }) => askOwner).length;
  const counts = {
    merges: merges.total,
    generalised: generalised.total,
    dates: dates.total,
    settled: contradictions.total - asked,
    asked,
    pruned: report.prune.total,
    ...entryCounts(report.entries),
  };
  const parts = Object.entries(counts).flatMap(([name, n]) =>
    n > 0 ? [say(`consolidation.count.${name}`, { n })] : [],
  );
  return parts.length === 0 ? say('consolidation.unchanged') : parts.join(', ');
}

function reportView(report: ConsolidationReport, lessons: Texts, now: Date) {
  const { orient, gather, consolidate, prune, after, skipped } = report;
  const textOf = (id: string): string => lessons.get(id) ?? say('consolidation.gone');
  const since = gather.since === null ? [] : [say('consolidation.since', { when: moment(gather.since, now).exact })];
  const written = ({ into, from, why, witnesses }: Written) => ({
    says: textOf(into),
    from: from.map(textOf),
    why,
    witnesses: say('consolidation.witnesses', { n: witnesses }),
  });
  return {
    orient: say('consolidation.inventory', { ...orient }),
    gather: [say('consolidation.gathered', { sessions: gather.sessions, added: gather.added }), ...since].join(' '),
    lists: [
      listOf('merges', consolidate.merges, written),
      listOf('generalised', consolidate.generalised, written),
      listOf('dates', consolidate.dates, ({ into, replaced }) => ({
        says: textOf(into),
        from: [],
        witnesses: null,
        why: replaced.map(({ from, to }) => say('consolidation.replaced', { from, to })).join(', '),
      })),
      listOf('contradictions', consolidate.contradictions, ({ lessons: ids, kept, ended, askOwner, why }) => ({
        says: askOwner ? say('consolidation.ask') : textOf(kept ?? ids[0] ?? ''),
        from: ids.filter((id) => askOwner || id !== kept).map((id) => withEnd(textOf(id), id === ended)),
        why,
        witnesses: null,
      })),
    ].filter(({ total }) => total > 0),
    prune: listOf('pruned', prune, ({ id, why }) => ({ says: textOf(id), from: [], why, witnesses: null })),
    after: say('consolidation.inventory', { ...after }),
    skipped: skipped > 0 ? say('consolidation.skipped', { n: skipped }) : null,
  };
}

type Written = ConsolidationReport['consolidate']['merges']['items'][number];

const withEnd = (text: string, hasEnded: boolean): string =>
  hasEnded ? `${text} (${say('consolidation.ended')})` : text;
