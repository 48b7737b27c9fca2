import type { WriterList } from '../../approvals/queue/writer-record.schema.js';
import { VERDICTS, type Verdict } from '../../evidence/predicate/check.schema.js';
import type { CandidateRow } from '../../evolve/cycle/candidates.schema.js';
import type { Cycle, CycleReport } from '../../evolve/cycle/cycles.schema.js';
import { waysText } from '../../evolve/examination/family-outcomes.js';
import { percentText } from '../../platform/base/percent.js';
import { counted, grouped, moment, plural } from '../frame/in-words.js';
import { KIND_TEXTS, loweredTexts, REASON_TEXTS } from '../frame/proposal-texts.js';
import { cycleCounts } from '../today/dashboard.js';
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
    ['seen by enough agents', enough],
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
    counts: cycleCounts(cycle, { dropped: true }),
    proposals: report.proposals.map((proposal) => ({
      ...proposal,
      kind: KIND_TEXTS[proposal.kind],
      lowered: loweredTexts(proposal.lowered),
    })),
    candidates: candidateLists(report.candidateList),
    failures: [
      failureList('unsolved', report.unsolved),
      failureList('overcome', report.overcome),
      failureList('skipped', report.onlySkipped),
      failureList('few', report.tooFew),
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
  confirmed: ['Confirmed, but not proposed', 'with enough figures that another rule stopped'],
  observed: ['Observed, but not proposed', 'that worked, with too few tries for more'],
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

const DROPPED: Readonly<Record<NonNullable<CandidateRow['because']>, string>> = {
  refuted: 'It works no better than something else.',
  too_few_tries: 'Too few executions tried it, or something else.',
  no_clear_difference: 'The difference may be chance.',
  managed: 'The error says it, and every execution did it at once.',
  too_few_agents: 'It worked for too few agents or owners.',
  no_words: 'No call that may be shown teaches it.',
  scope: 'Its condition matches mostly other failures.',
  gate: 'A check of its text refused it.',
  merged: 'Another candidate teaches the same.',
  other_writer: 'What another writer wrote about these failures won.',
};

function candidateView({ action, family, words, with: followed, without, because, findings, examined }: CandidateRow) {
  return {
    action,
    signature: family.signature,
    words,
    findings,
    pair: `With it ${grouped(followed.worked)} of ${counted(followed.n, 'try', 'tries')} worked, without it ${grouped(without.worked)} of ${counted(without.n, 'try', 'tries')}.`,
    why: because === null ? '' : DROPPED[because],
    examined: `Examined with ${counted(examined, 'execution')}, and again when the evidence about these failures grows.`,
  };
}

type Problem = CycleReport['unsolved'][number] & Partial<CycleReport['overcome'][number]>;

const FAILURES = {
  unsolved: ['Unsolved failures', 'that enough agents met and no execution got past, most agents first'],
  overcome: [
    'Overcome, without a lesson',
    'that agents got past in ways that became no lesson, each with the number of executions',
  ],
  skipped: [
    'Only overcome by skipping a check',
    'that agents got past only by skipping a check, which is no remedy and was not proposed',
  ],
  few: ['Seen by too few agents', 'that too few agents met to be examined, the most frequent ones first'],
} as const;

const OVERCOME: Readonly<Record<CycleReport['overcome'][number]['because'], string>> = {
  no_proven_remedy: 'no way is proven to help',
  not_advisable: 'only in ways that may not be advised',
  too_few_agents: 'by one agent',
  normal_work: 'by correcting what was worked on, or it was not needed',
  passing: 'by repeating the same call',
  managed: 'the error says how, and every execution did it at once',
  waiting: 'one way worked for several agents and waits for more tries',
};

/** Failures that no proposal overcomes, those of the most agents first. */
export function failureList(name: keyof typeof FAILURES, problems: readonly Problem[]) {
  const texts = problems.map(({ because, ways = [], ...problem }) =>
    [failuresText(problem), ...(because ? [OVERCOME[because]] : []), ...(ways.length > 0 ? [waysText(ways)] : [])].join(
      '; ',
    ),
  );
  const more = texts.slice(SHOWN_ROWS);
  const [title, lead] = FAILURES[name];
  return {
    name,
    title,
    lead: `${counted(texts.length, 'problem')} ${lead}.`,
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
