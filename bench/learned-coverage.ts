import { episodeFingerprints } from '../src/capture/observations/fingerprint.js';
import {
  type ExecutionObservations,
  observe,
  type StoredExecution,
  type Trial,
} from '../src/capture/observations/observation.js';
import { CYCLE_DEFAULTS, type CycleOutcome, runCycle } from '../src/evolve/cycle/cycle.js';
import type { Draft } from '../src/evolve/drafts/draft.js';
import { type ConfidenceEstimator, failureRateEstimator } from '../src/evolve/patterns/confidence.js';
import { isApproach } from '../src/evolve/patterns/contrast.js';
import { type Proportion, wilson } from '../src/evolve/statistics/wilson.js';

/** How a draft did in the sessions after it was made. */
export interface LaterOutcome {
  readonly title: string;
  readonly confidence: number;
  /** In the earlier sessions: how often the action worked, out of how often it was tried. */
  readonly before: string;
  /** The later errors that it covers. */
  readonly covers: number;
  readonly worked: Proportion;
  readonly repeated: Proportion;
  /** Tried later, better than repeating, and successful in more than half of the tries. */
  readonly confirmed: boolean;
}

export interface LearningFigures {
  readonly sessions: { readonly before: number; readonly after: number };
  readonly errors: number;
  /** The share of later errors that the submitted drafts cover. */
  readonly coverage: Proportion;
  /** The share that patterns of enough agents cover, with or without a remedy. */
  readonly explained: Proportion;
  readonly proposals: readonly LaterOutcome[];
  readonly precision: Proportion;
  readonly untested: number;
  readonly outcome: CycleOutcome;
  /** The same cycle with the confidence of the reference system, by failure rate alone. */
  readonly byFailureRate: { readonly coverage: Proportion; readonly proposals: number };
}

/** Runs one cycle with default settings over the earlier sessions and compares its drafts with the later ones. */
export function measureLearning(
  before: readonly StoredExecution[],
  after: readonly StoredExecution[],
): LearningFigures {
  const outcome = runDefaultCycle(before);
  const later = after.map((execution) => ({ observed: observe(execution), errors: errorsOf(execution) }));
  const errors = later.flatMap((one) => one.errors);
  const byRate = runDefaultCycle(before, failureRateEstimator);
  const proposed = outcome.drafts.map((draft) => laterOutcomeOf(draft, later, errors));
  const known = fingerprintsOf(outcome);
  const seen = new Set([...known, ...outcome.unsolved.map(({ fingerprint }) => fingerprint)]);
  for (const draft of [...outcome.heldBack, ...outcome.lowConfidence])
    for (const one of draft.fingerprints) seen.add(one);
  return {
    sessions: { before: before.length, after: after.length },
    errors: errors.length,
    coverage: share(errors, known),
    explained: share(errors, seen),
    proposals: proposed,
    precision: wilson(proposed.filter(({ confirmed }) => confirmed).length, proposed.length),
    untested: proposed.filter(({ worked }) => worked.n === 0).length,
    outcome,
    byFailureRate: { coverage: share(errors, fingerprintsOf(byRate)), proposals: byRate.drafts.length },
  };
}

/** Runs a cycle with default settings. `estimator` is used only for comparison. */
export function runDefaultCycle(executions: readonly StoredExecution[], estimator?: ConfidenceEstimator): CycleOutcome {
  const settings = { ...CYCLE_DEFAULTS, ...(estimator ? { estimator } : {}) };
  return runCycle({ executions, orgEntries: [], pendingProposals: [], rejectedFingerprints: [], settings });
}

function fingerprintsOf({ drafts }: CycleOutcome): Set<string> {
  return new Set(drafts.flatMap(({ fingerprints }) => fingerprints));
}

function share(errors: readonly (readonly string[])[], known: ReadonlySet<string>): Proportion {
  return wilson(errors.filter((keys) => keys.some((key) => known.has(key))).length, errors.length);
}

/**
 * Returns the fingerprints of every failed call, each call separately. An excused call, such as one in an outage, has
 * none.
 */
function errorsOf(execution: StoredExecution): string[][] {
  const { project } = observe(execution);
  return execution.report.toolCalls
    .filter(({ ok }) => !ok)
    .map((call) => observe({ ...execution, report: { ...execution.report, toolCalls: [call] } }))
    .map(({ episodes }) => episodes.flatMap((episode) => episodeFingerprints(episode, project)));
}

function laterOutcomeOf(
  draft: Draft,
  later: readonly { observed: ExecutionObservations }[],
  errors: readonly (readonly string[])[],
): LaterOutcome {
  const keys = new Set(draft.fingerprints);
  const { chosen } = draft.evidence;
  const isRepeat = (trial: Trial): boolean =>
    trial.how === 'repeat' ||
    (chosen.granularity === 'coarse' && trial.how === 'replace' && draft.evidence.failingAction === trial.coarse);
  const isRemedy = (trial: Trial): boolean => isApproach(trial, chosen);
  const trials = later.flatMap(({ observed }) =>
    observed.episodes
      .filter((episode) => episodeFingerprints(episode, observed.project).some((print) => keys.has(print)))
      .flatMap((episode) => episode.trials),
  );
  const rate = (matching: readonly Trial[]): Proportion =>
    wilson(matching.filter(({ worked }) => worked).length, matching.length);
  const worked = rate(trials.filter(isRemedy));
  const repeated = rate(trials.filter((trial) => isRepeat(trial) && !isRemedy(trial)));
  return {
    title: draft.text.title,
    confidence: draft.evidence.confidence.value,
    before: `${chosen.outcome.successes}/${chosen.outcome.n}`,
    covers: errors.filter((own) => own.some((key) => keys.has(key))).length,
    worked,
    repeated,
    confirmed: worked.rate > 0.5 && worked.rate > repeated.rate,
  };
}
