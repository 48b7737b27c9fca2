import { sumBy } from '../../platform/base/sum.js';
import { generalise } from '../../untrusted/text/generalise.js';
import { type ComparedDraft, type Draft, draftKey } from '../drafts/draft.js';
import { waysText } from '../examination/family-outcomes.js';
import { meanLost } from '../support/pattern-evidence.js';
import type { TaskProblem } from '../support/task-outcomes.js';
import type { CycleOutcome, OpenProblem, RareProblem } from './cycle.js';
import { type CycleReport, type CycleResult, LISTED_ROWS } from './cycles.schema.js';

/** What became of a draft: a proposal, or the reason why there is none. */
interface DraftOutcome {
  readonly outcome: CycleResult['outcome'];
  readonly proposalId: string | null;
  readonly reason: string | null;
}

/** The facts of a cycle that the report contains besides its results. */
export interface CycleMetadata {
  readonly from: Date;
  readonly to: Date;
  readonly seconds: number;
  readonly wording: CycleReport['wording'];
  /** Tokens of models. */
  readonly tokens: number;
  readonly usd: number;
}

export function cycleResultOf(draft: ComparedDraft, placement: DraftOutcome): CycleResult {
  const { counts, chosen } = draft.evidence;
  return {
    title: draft.text.title,
    action: draft.text.action,
    kind: draft.kind,
    confidence: draft.evidence.confidence,
    agents: counts.agents,
    owners: counts.owners,
    origins: counts.tasks,
    executions: counts.executions,
    failures: counts.failures,
    worked: chosen.outcome.successes,
    tried: chosen.outcome.n,
    ...placement,
    ...(draft.lowered ? { lowered: [...draft.lowered] } : {}),
  };
}

/** Returns the report of a finished cycle. Families of too few agents are counted; each draft is in exactly one list. */
export function reportOf(
  outcome: CycleOutcome,
  results: readonly CycleResult[],
  { from, to, ...facts }: CycleMetadata,
): CycleReport {
  const tasks = tasksOf(outcome);
  const dropped = notProposed(outcome, results);
  const { families, examined, candidates, rows } = outcome.examination;
  return {
    window: { from: from.toISOString(), to: to.toISOString() },
    executionsRead: outcome.executionsRead,
    patterns: outcome.patterns,
    families,
    examined,
    candidates,
    kept: outcome.kept,
    belowThreshold: outcome.belowThreshold,
    support: outcome.support,
    lowConfidence: outcome.lowConfidence.length,
    alreadyPending: outcome.alreadyPending.length + outcome.subsumedByPending.length,
    subsumed: outcome.subsumedByDraft.length,
    alreadyApproved: outcome.alreadyApproved.length,
    rememberedRejections: outcome.rememberedRejections.length,
    conflicts: outcome.conflicts,
    supersessions: outcome.supersessions,
    passing: outcome.overcome.filter(({ standing }) => standing === 'passing').length,
    places: { ...outcome.places },
    unwordable: outcome.unwordable,
    emitted: results.filter(({ outcome: result }) => result === 'submitted').length,
    heldBack: outcome.heldBack.length,
    excludedFailures: outcome.excludedFailures,
    proposals: [...results],
    unsolved: outcome.unsolved.map(problemOf),
    overcome: outcome.overcome.map((one) => ({
      ...problemOf(one),
      because: one.standing,
      ways: one.ways.map((way) => ({ ...way, calls: [...way.calls] })),
    })),
    onlySkipped: outcome.onlySkipped.map(problemOf),
    tooFew: outcome.tooFew.map((one) => ({ ...rowOf(one), supported: one.supported })),
    notProposed: dropped,
    candidateList: [...rows],
    totals: {
      proposals: results.length,
      notProposed: dropped.length,
      unsolved: outcome.unsolved.length,
      problems: tasks.problems.length,
      candidates: sumBy(Object.values(candidates), (count) => count),
    },
    tasks,
    ...facts,
  };
}

/** The first rows of each list, for a list of reports. `totals` says how many there are. */
export function shortened(report: CycleReport): CycleReport {
  const { proposals, notProposed: dropped, unsolved, overcome, onlySkipped, tooFew, candidateList, tasks } = report;
  return {
    ...report,
    proposals: proposals.slice(0, LISTED_ROWS),
    notProposed: dropped.slice(0, LISTED_ROWS),
    unsolved: unsolved.slice(0, LISTED_ROWS),
    overcome: overcome.slice(0, LISTED_ROWS),
    onlySkipped: onlySkipped.slice(0, LISTED_ROWS),
    tooFew: tooFew.slice(0, LISTED_ROWS),
    candidateList: candidateList.slice(0, LISTED_ROWS),
    tasks: { ...tasks, problems: tasks.problems.slice(0, LISTED_ROWS) },
  };
}

function rowOf({ action, errorClass, counts }: Omit<RareProblem, 'supported'>): CycleReport['unsolved'][number] {
  const { agents, executions, failures } = counts;
  return { action, errorClass, agents, executions, failures };
}

const problemOf = (one: OpenProblem): CycleReport['unsolved'][number] => ({
  ...rowOf(one),
  callsLost: Math.round(10 * meanLost(one.lost)) / 10,
});

/** Names of checks come from outside and appear in a report that people read, so they are generalised. */
function tasksOf({ tasks }: CycleOutcome): CycleReport['tasks'] {
  const count = (verdict: TaskProblem['verdict']): number => tasks.filter((task) => task.verdict === verdict).length;
  // Unsolved problems first: other agents have already overcome the rest.
  const order = { unsolved: 0, open: 1, overcome: 2 } as const;
  const sorted = [...tasks].sort((a, b) => order[a.verdict] - order[b.verdict]);
  return {
    overcome: count('overcome'),
    open: count('open'),
    unsolved: count('unsolved'),
    problems: sorted.map(({ origin, check, verdict, failedBy, passedBy, executions }) => ({
      origin,
      check: generalise(check),
      verdict,
      failedBy,
      passedBy,
      executions,
    })),
  };
}

type NotProposed = CycleReport['notProposed'][number];
/** A draft, or the evidence of one that needs no words because it is not proposed. */
type Candidate = Pick<Draft, 'evidence'> & Partial<Pick<ComparedDraft, 'text' | 'lowered'>>;

/** Returns a row for each candidate that is not among the results of its cycle, with the reason. */
export function notProposed(outcome: CycleOutcome, results: readonly CycleResult[]): NotProposed[] {
  const reported = new Set(results.map(({ proposalId }) => proposalId));
  const pending = [
    ...outcome.alreadyPending.filter(({ proposalId }) => !reported.has(proposalId)),
    ...outcome.subsumedByPending,
  ];
  const titles = new Map([...outcome.drafts, ...outcome.heldBack].map((one) => [draftKey(one), one.text.title]));
  return [
    ...pending.map(({ proposalId, draft }) => notProposedRow(draft, 'already_pending', { proposalId })),
    ...outcome.heldBack.map((draft) => notProposedRow(draft, 'over_limit')),
    ...outcome.subsumedByDraft.map(({ by, draft }) =>
      notProposedRow(draft, 'subsumed', { reason: titles.get(by) ?? null }),
    ),
    ...outcome.alreadyApproved.map(({ draft }) => notProposedRow(draft, 'already_approved')),
    ...outcome.rememberedRejections.map(({ draft, reason }) => notProposedRow(draft, 'rejected_before', { reason })),
    ...outcome.lowConfidence.map((draft) => notProposedRow(draft, 'low_confidence')),
    ...[...outcome.overcome, ...outcome.onlySkipped, ...outcome.unsolved].map(problemRow),
  ];
}

function notProposedRow(
  { evidence, text, lowered }: Candidate,
  because: NotProposed['because'],
  { proposalId = null, reason = null }: Partial<Pick<NotProposed, 'proposalId' | 'reason'>> = {},
): NotProposed {
  const { failingAction, errorClasses, counts, chosen, confidence } = evidence;
  return {
    title: text?.title ?? `${failingAction}: ${errorClasses.join(', ')}`,
    because,
    reason,
    proposalId,
    agents: counts.agents,
    failures: counts.failures,
    worked: chosen.outcome.successes,
    tried: chosen.outcome.n,
    confidence,
    ...(lowered ? { lowered: [...lowered] } : {}),
  };
}

function problemRow({ action, errorClass, counts, tried, standing, ways, missing }: OpenProblem): NotProposed {
  return {
    title: `${action}: ${errorClass}`,
    because: standing,
    reason: missing ?? (waysText(ways) || null),
    proposalId: null,
    agents: counts.agents,
    failures: counts.failures,
    worked: tried.worked,
    tried: tried.n,
    confidence: null,
  };
}
