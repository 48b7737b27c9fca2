import { type ExecutionObservations, observe, type StoredExecution } from '../src/capture/observations/observation.js';
import { type Arm, type ArmKind, type Verdict } from '../src/evidence/predicate/check.schema.js';
import { CYCLE_DEFAULTS, type CycleOutcome, runCycle } from '../src/evolve/cycle/cycle.js';
import type { Draft } from '../src/evolve/drafts/draft.js';
import { armsOf } from '../src/evolve/evidence/arms.js';
import { covers } from '../src/evolve/evidence/check.js';
import { entrantsOf, figuresOf } from '../src/evolve/evidence/comparison.js';
import { type RecordedExecution, recordedExecution } from '../src/evolve/evidence/recorded-execution.js';
import { type Proportion, wilson } from '../src/evolve/statistics/wilson.js';

/** How a draft did in the sessions after it was made. */
export interface LaterOutcome {
  readonly title: string;
  readonly verdict: Verdict;
  /** In the earlier sessions: executions that followed it and those that did not, and those in which it worked. */
  readonly before: Pair;
  /** The later errors that it covers. */
  readonly covers: number;
  /** The same in the later sessions, by the comparison that decided before. */
  readonly later: Pair;
  /** Followed later, with success in more than half of the executions and more often than without it. */
  readonly confirmed: boolean;
}

export interface Pair {
  readonly with: Arm;
  readonly without: Arm;
}

export interface LearningFigures {
  readonly sessions: { readonly before: number; readonly after: number };
  readonly errors: number;
  /** The share of later errors that the submitted drafts cover; and that those of them cover which are confirmed. */
  readonly coverage: Proportion;
  readonly coverageByConfirmed: Proportion;
  /** The share that families of enough agents hold, with or without a remedy. */
  readonly explained: Proportion;
  readonly proposals: readonly LaterOutcome[];
  readonly precision: Proportion;
  readonly untested: number;
  readonly outcome: CycleOutcome;
}

/** A later error: a failed call as a predicate sees it; undefined if an excused call, which no draft covers. */
type LaterError = RecordedExecution['calls'][number] | undefined;

/** Runs one cycle with default settings over the earlier sessions and compares its drafts with the later ones. */
export function measureLearning(
  before: readonly StoredExecution[],
  after: readonly StoredExecution[],
): LearningFigures {
  const outcome = runDefaultCycle(before);
  const later = after.map(recorded);
  const errors = after.flatMap((execution, at) => errorsOf(execution, later[at]));
  const proposals = outcome.drafts.map((draft) => laterOutcomeOf(draft, later, errors));
  const confirmed = outcome.drafts.filter(({ evidence }) => evidence.check.verdict === 'confirmed');
  const known = new Set(outcome.examination.examined.flatMap(({ family }) => family.fingerprints));
  return {
    sessions: { before: before.length, after: after.length },
    errors: errors.length,
    coverage: share(errors, coveredBy(outcome.drafts)),
    coverageByConfirmed: share(errors, coveredBy(confirmed)),
    explained: share(errors, (call) => known.has(call.failure?.fingerprint ?? '')),
    proposals,
    precision: wilson(proposals.filter((one) => one.confirmed).length, proposals.length),
    untested: proposals.filter((one) => one.later.with.n === 0).length,
    outcome,
  };
}

/** Runs a cycle with default settings. */
export function runDefaultCycle(executions: readonly StoredExecution[]): CycleOutcome {
  return runCycle({
    executions,
    orgEntries: [],
    pendingProposals: [],
    rejectedFingerprints: [],
    settings: CYCLE_DEFAULTS,
  });
}

function recorded(execution: StoredExecution): RecordedExecution {
  const observed: ExecutionObservations = observe(execution);
  return recordedExecution({ observed, report: execution.report });
}

/** Every failed call, also those that teach nothing. */
function errorsOf({ report }: StoredExecution, table: RecordedExecution | undefined): LaterError[] {
  const calls = new Map(table?.calls.map((call) => [call.index, call]));
  return report.toolCalls.flatMap(({ ok }, at) => {
    const call = calls.get(at);
    return ok ? [] : [call?.ok === false ? call : undefined];
  });
}

function coveredBy(drafts: readonly Draft[]): (call: NonNullable<LaterError>) => boolean {
  const tests = drafts.map(({ evidence }) => covers(evidence.predicate));
  return (call) => tests.some((test) => test(call));
}

function share(errors: readonly LaterError[], isCovered: (call: NonNullable<LaterError>) => boolean): Proportion {
  return wilson(errors.filter((call) => call !== undefined && isCovered(call)).length, errors.length);
}

function laterOutcomeOf(
  { text, evidence: { check, predicate } }: Draft,
  executions: readonly RecordedExecution[],
  errors: readonly LaterError[],
): LaterOutcome {
  const later = pairOf(predicate, check.by, executions);
  const rate = ({ worked, n }: Arm): number => (n === 0 ? 0 : worked / n);
  return {
    title: text.title,
    verdict: check.verdict,
    before: check.seen,
    covers: share(errors, covers(predicate)).successes,
    later,
    confirmed: rate(later.with) > 0.5 && rate(later.with) > rate(later.without),
  };
}

/** The arms of a predicate in later executions: of the comparison that decided before, else of the first with tries. */
function pairOf(
  predicate: Draft['evidence']['predicate'],
  by: ArmKind | null,
  executions: readonly RecordedExecution[],
): Pair {
  const figures = armsOf(predicate, executions).map((arms) => figuresOf(arms.kind, entrantsOf(arms.over, executions)));
  const [first] = figures.filter((one) => one.with.n > 0);
  const found = figures.find(({ kind }) => kind === by) ?? first;
  return { with: found?.with ?? NO_TRY, without: found?.without ?? NO_TRY };
}

const NO_TRY: Arm = { worked: 0, n: 0 };
