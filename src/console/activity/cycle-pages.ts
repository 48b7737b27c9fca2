import type { WriterList } from '../../approvals/queue/writer-record.schema.js';
import { VERDICTS, type Verdict } from '../../evidence/predicate/check.schema.js';
import type { CandidateRow } from '../../evolve/cycle/candidates.schema.js';
import type { Cycle, CycleReport } from '../../evolve/cycle/cycles.schema.js';
import { DROP_TEXTS, leftOut, notProposedText } from '../../evolve/cycle/not-proposed.schema.js';
import { waysText } from '../../evolve/examination/family-outcomes.js';
import {
  enoughSupport,
  type SupportLevel,
  supportReached,
  tooLittleSupport,
} from '../../evolve/support/support.schema.js';
import { percentText } from '../../platform/base/percent.js';
import { counted, grouped, moment, plural } from '../frame/in-words.js';
import { KIND_TEXTS, loweredTexts, REASON_TEXTS } from '../frame/proposal-texts.js';
import { failuresText } from './fleet.js';

/** Rows of a list that are shown at once; the others follow when it is opened. */
const SHOWN_ROWS = 20;

export function cycleRow(cycle: Cycle, now: Date) {
  const { id, trigger, dryRun, state, startedAt, report } = cycle;
  return {
    id,
    when: moment(startedAt, now),
    isFailed: state === 'failed',
    how: `on ${trigger}${dryRun ? ', dry run' : ''}`,
    state,
    read: report?.executionsRead ?? 0,
    patterns: report?.patterns ?? 0,
    proposed: report ? (dryRun ? report.proposals.length : report.emitted) : 0,
  };
}

/** The report of a cycle as a funnel: each step counts what is left of the previous one. */
export function cycleView(cycle: Cycle, approved: ReadonlySet<string>, now: Date) {
  const { report, error } = cycle;
  const row = cycleRow(cycle, now);
  if (!report) return { ...row, error, steps: [], counts: [], proposals: [], candidates: [], failures: [], report };
  const { byModel, kept, reasons } = report.wording;
  const enough = report.patterns - report.belowThreshold;
  const isOpen = report.unsolved.length + report.overcome.length + report.onlySkipped.length + report.passing;
  const solved = Math.max(row.proposed, enough - isOpen);
  const isKnown = report.alreadyPending + report.alreadyApproved + report.rememberedRejections + report.subsumed;
  const steps = [
    ['executions read', report.executionsRead],
    ['problems', report.patterns],
    [enoughSupport(report.support), enough],
    ['with a remedy', solved],
    ['not yet proposed or approved', Math.max(row.proposed, solved - isKnown - report.lowConfidence)],
    ['proposed', row.proposed],
    ['approved so far', approved.size],
  ] as const;
  // Executions and patterns are counted in different units: the bars compare patterns, whose number is the second.
  const most = Math.max(1, report.patterns);
  return {
    ...row,
    error,
    steps: steps.map(([says, n], index) => ({
      n,
      says,
      bar: index === 0 ? 300 : Math.max(n > 0 ? 3 : 0, Math.round((Math.min(n, most) / most) * 300)),
      isUnit: index === 0,
    })),
    counts: leftOut(report),
    proposals: report.proposals.map((proposal) => ({
      ...proposal,
      kind: KIND_TEXTS[proposal.kind],
      lowered: loweredTexts(proposal.lowered),
    })),
    nothing: report.proposals.length > 0 ? null : report.executionsRead === 0 ? 'unread' : 'waits',
    candidates: candidateLists(report.candidateList),
    failures: [
      failureList('unsolved', report.unsolved, report.support),
      failureList('overcome', report.overcome, report.support),
      failureList('skipped', report.onlySkipped, report.support),
      failureList('few', report.tooFew, report.support),
    ].filter(({ rows }) => rows.length > 0),
    report,
    from: report.window.from.slice(0, 10),
    to: report.window.to.slice(0, 10),
    usd: report.usd.toFixed(4),
    // Not if no model was configured to word proposals.
    isWorded: byModel + kept + Object.keys(reasons).length > 0,
  };
}

const CANDIDATES: Readonly<Record<Verdict, readonly [title: string, lead: string, ofMany?: string]>> = {
  confirmed: ['Tested on other runs, but not proposed', 'with enough figures that another rule stopped'],
  observed: ['Not tested yet, and not proposed', 'that worked, with too few tries for more'],
  undecided: ['Undecided candidates', 'whose figures decide nothing yet'],
  refuted: ['Refuted candidates', 'that does not help', 'that do not help'],
};

/** The candidates that became no draft, in one list for each verdict. */
export function candidateLists(candidates: readonly CandidateRow[]) {
  const dropped = candidates.filter(({ because }) => because !== null);
  return VERDICTS.flatMap((verdict) => {
    const rows = dropped.filter((row) => row.verdict === verdict).map(candidateView);
    const more = rows.slice(SHOWN_ROWS);
    if (rows.length === 0) return [];
    const [title, lead, ofMany = lead] = CANDIDATES[verdict];
    return {
      verdict,
      title,
      lead: `${counted(rows.length, 'candidate')} ${plural(rows.length, lead, ofMany)}.`,
      rows: rows.slice(0, SHOWN_ROWS),
      more,
      opens: `${grouped(more.length)} more`,
    };
  });
}

function candidateView({ action, family, words, with: followed, without, because, findings, examined }: CandidateRow) {
  return {
    action,
    signature: family.signature,
    words,
    findings,
    pair: `With it ${grouped(followed.worked)} of ${counted(followed.n, 'try', 'tries')} worked, without it ${grouped(without.worked)} of ${counted(without.n, 'try', 'tries')}.`,
    why: because === null ? '' : sentence(DROP_TEXTS[because]),
    examined: `Examined with ${counted(examined, 'execution')}, and again when the evidence about these failures grows.`,
  };
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

type Problem = CycleReport['unsolved'][number] &
  Partial<CycleReport['overcome'][number]> &
  Partial<CycleReport['tooFew'][number]>;

const FAILURES = {
  unsolved: ['Unsolved failures', 'with enough evidence, which no execution got past'],
  overcome: [
    'Overcome, without a lesson',
    'that executions got past in ways that became no lesson, each with the number of executions',
  ],
  skipped: [
    'Only overcome by skipping a check',
    'that executions got past only by skipping a check, which is no remedy and was not proposed',
  ],
  few: ['Waiting for more evidence', ''],
} as const;

/** Failures that no proposal overcomes, those with the most support first. */
export function failureList(name: keyof typeof FAILURES, problems: readonly Problem[], support?: SupportLevel) {
  const texts = problems.map(({ because, ways = [], supported, ...problem }) =>
    [
      failuresText(problem),
      ...(supported === undefined || support === undefined ? [] : [supportReached(supported, support)]),
      ...(because ? [notProposedText(because, support)] : []),
      ...(ways.length > 0 ? [waysText(ways)] : []),
    ].join('; '),
  );
  const more = texts.slice(SHOWN_ROWS);
  const [title, lead] = FAILURES[name];
  const says = name === 'few' ? `${tooLittleSupport(support)}, the most frequent ones first` : lead;
  return {
    name,
    title,
    lead: `${counted(texts.length, 'problem')} ${says}.`,
    rows: texts.slice(0, SHOWN_ROWS),
    more,
    opens: `${grouped(more.length)} more`,
  };
}

/** The writers of lessons with how reviewers decided on them; `rows` is empty without a proposal. */
export function writersView({ window, items }: WriterList) {
  return {
    lead: `What reviewers decided on proposals from ${window.from.slice(0, 10)} to ${window.to.slice(0, 10)}; shares of what was approved or rejected`,
    rows: items.map(({ writer, submitted, approved, edited, rejected, shares, reasons }) => ({
      name: writer === 'external' ? 'edits outside Guildbook' : writer,
      submitted,
      approved: shareText(approved, shares?.approved),
      edited: shareText(edited, shares?.edited),
      rejected: shareText(rejected, shares?.rejected),
      why: reasons.map(({ reason, n }) => `${REASON_TEXTS[reason]} (${grouped(n)})`).join(', '),
    })),
  };
}

const shareText = (n: number, share: number | undefined): string =>
  share === undefined ? String(n) : `${n} (${percentText(share)})`;
