import { VERDICTS } from '../../evidence/predicate/check.schema.js';
import type { CandidateRow } from '../../evolve/cycle/candidates.schema.js';
import type { Cycle, CycleReport } from '../../evolve/cycle/cycles.schema.js';
import { waysText } from '../../evolve/examination/family-outcomes.js';
import { loweredTexts } from '../texts/lowered-reasons.js';
import { say } from '../texts/texts.js';
import { moment } from '../texts/times.js';
import { cycleCounts } from '../today/dashboard.js';

/** Rows of a list that are shown at once; the others follow when it is opened. */
const SHOWN_ROWS = 20;

export function cycleRow(cycle: Cycle, now: Date) {
  const { id, trigger, dryRun, state, startedAt, report } = cycle;
  return {
    id,
    when: moment(startedAt, now),
    isFailed: state === 'failed',
    how: [say(`cycles.${trigger}`), ...(dryRun ? [say('cycles.dry')] : [])].join(', '),
    state: say(`cycle.${state}`),
    read: report?.executionsRead ?? 0,
    patterns: report?.patterns ?? 0,
    proposed: report ? (dryRun ? report.proposals.length : report.emitted) : 0,
  };
}

/** The report of a cycle as a funnel: each step counts what is left of the previous one. */
export function cycleView(cycle: Cycle, approved: ReadonlySet<string>, now: Date) {
  const { report, error } = cycle;
  const row = cycleRow(cycle, now);
  if (!report) return { ...row, error, steps: [], counts: [], proposals: [], candidates: [], failures: [], facts: '' };
  const enough = report.patterns - report.belowThreshold;
  const isOpen = report.unsolved.length + report.overcome.length + report.onlySkipped.length + report.passing;
  const solved = Math.max(row.proposed, enough - isOpen);
  const isKnown = report.alreadyPending + report.alreadyApproved + report.rememberedRejections + report.subsumed;
  const steps = [
    ['read', report.executionsRead],
    ['patterns', report.patterns],
    ['agents', enough],
    ['kept', solved],
    ['new', Math.max(row.proposed, solved - isKnown - report.lowConfidence)],
    ['proposed', row.proposed],
    ['approved', approved.size],
  ] as const;
  // Executions and patterns are counted in different units: the bars compare patterns, whose number is the second.
  const most = Math.max(1, report.patterns);
  return {
    ...row,
    error,
    steps: steps.map(([name, n], index) => ({
      n,
      says: say(`funnel.${name}`),
      bar: index === 0 ? 300 : Math.max(n > 0 ? 3 : 0, Math.round((Math.min(n, most) / most) * 300)),
      isUnit: index === 0,
    })),
    counts: cycleCounts(cycle, { dropped: true }),
    proposals: report.proposals.map((proposal) => ({
      title: proposal.title,
      proposalId: proposal.proposalId,
      reason: proposal.reason,
      outcome: say(`outcome.${proposal.outcome}`),
      says: say('cycle.outcome', { ...proposal, kind: say(`kind.${proposal.kind}`) }),
      lowered: loweredTexts(proposal.lowered),
    })),
    candidates: candidateLists(report.candidateList),
    failures: [
      failureList('unsolved', report.unsolved),
      failureList('overcome', report.overcome),
      failureList('skipped', report.onlySkipped),
      failureList('few', report.tooFew),
    ].filter(({ rows }) => rows.length > 0),
    facts: [
      say('cycle.seconds', {
        n: String(report.seconds),
        from: report.window.from.slice(0, 10),
        to: report.window.to.slice(0, 10),
      }),
      ...examinedFacts(report),
      ...wordingFacts(report),
    ].join(' · '),
  };
}

/** Empty for a cycle that examined no family. */
function examinedFacts({ families, examined, candidates }: CycleReport): string[] {
  return families === 0 ? [] : [say('cycle.families', { n: families, examined, ...candidates })];
}

/** Empty if no model was configured to word proposals. */
function wordingFacts({ wording, tokens, usd }: CycleReport): string[] {
  const { byModel: model, kept, byRules: rules, reasons } = wording;
  if (model + kept + Object.keys(reasons).length === 0) return [];
  const cost = tokens > 0 ? [say('cycle.cost', { tokens, usd: usd.toFixed(4) })] : [];
  return [say('cycle.wording', { model, kept, rules }), ...cost];
}

/** The candidates that became no draft, in one list for each verdict. */
export function candidateLists(candidates: readonly CandidateRow[]) {
  const dropped = candidates.filter(({ because }) => because !== null);
  return VERDICTS.flatMap((verdict) => {
    const rows = dropped.filter((row) => row.verdict === verdict).map(candidateView);
    const more = rows.slice(SHOWN_ROWS);
    if (rows.length === 0) return [];
    return {
      verdict,
      title: say(`candidates.${verdict}`),
      lead: say(`candidates.${verdict}-lead`, { n: rows.length }),
      rows: rows.slice(0, SHOWN_ROWS),
      more,
      opens: say('cycle.more', { n: more.length }),
    };
  });
}

function candidateView({ action, family, words, with: followed, without, because, findings, examined }: CandidateRow) {
  return {
    action,
    signature: family.signature,
    words,
    findings,
    pair: say('candidates.pair', {
      worked: followed.worked,
      n: followed.n,
      apart: without.worked,
      others: without.n,
    }),
    why: because === null ? '' : say(`candidates.because.${because}`),
    examined: say('candidates.examined', { n: examined }),
  };
}

type Problem = CycleReport['unsolved'][number] & Partial<CycleReport['overcome'][number]>;

/** Failures that no proposal overcomes, those of the most agents first. */
export function failureList(name: 'unsolved' | 'overcome' | 'skipped' | 'few', problems: readonly Problem[]) {
  const texts = problems.map(({ action, errorClass, failures, agents, because, ways = [] }) =>
    [
      say('fleet.unsolved-says', { action, error: errorClass, failures, agents }),
      ...(because ? [say(`cycle.overcome-${because}`)] : []),
      ...(ways.length > 0 ? [waysText(ways)] : []),
    ].join('; '),
  );
  const more = texts.slice(SHOWN_ROWS);
  return {
    name,
    title: say(`cycle.${name}`),
    lead: say(`cycle.${name}-lead`, { n: texts.length }),
    rows: texts.slice(0, SHOWN_ROWS),
    more,
    opens: say('cycle.more', { n: more.length }),
  };
}
