import type { Attribution } from '../../capture/errors/attribution.js';
import { type ExecutionObservations, observe, type StoredExecution } from '../../capture/observations/observation.js';
import { compareText } from '../../platform/base/compare-text.js';
import { type Draft, draftOf } from '../drafts/draft.js';
import { KnownClaims, type KnownClaimsInput } from '../drafts/known-claims.js';
import { draftOfSuccess, impactOfSuccess } from '../drafts/success-draft.js';
import type { EvidenceCounts } from '../evidence/pattern-evidence.js';
import { betterThanRepeatingEstimator, type ConfidenceEstimator } from '../patterns/confidence.js';
import type { Alternative } from '../patterns/contrast.js';
import { type Pattern, PatternMiner } from '../patterns/pattern.js';
import { type Candidate, selectCandidates } from '../patterns/selection.js';
import type { SuccessPattern } from '../patterns/success.js';
import { TaskOutcomes, type TaskProblem } from '../patterns/task-outcomes.js';
import type { Proportion } from '../statistics/wilson.js';
import { type ClassifiedDrafts, type ClassifierSettings, DraftClassifier } from './draft-classifier.js';

export interface CycleSettings extends ClassifierSettings {
  readonly minAgentsForPattern: number;
  readonly minOwnersForPattern: number;
  readonly estimator?: ConfidenceEstimator;
}

export const CYCLE_DEFAULTS = {
  minAgentsForPattern: 3,
  minOwnersForPattern: 1,
  minConfidence: 0.8,
  maxProposalsPerCycle: 10,
} as const;

export interface CycleInput extends KnownClaimsInput {
  executions: Iterable<StoredExecution | ExecutionObservations>;
  settings: CycleSettings;
}

/** The result of a cycle over its window. The cycle itself writes nothing. */
export interface CycleOutcome extends ClassifiedDrafts {
  readonly executionsRead: number;
  readonly patterns: number;
  readonly kept: number;
  readonly belowThreshold: number;
  readonly excludedFailures: Readonly<Partial<Record<Attribution, number>>>;
  /** Patterns that repeating the same action overcomes. */
  readonly passing: number;
  readonly unsolved: readonly UnsolvedProblem[];
  /** Checks of single tasks that enough agents failed. They are reported and never proposed. */
  readonly tasks: readonly TaskProblem[];
}

export interface UnsolvedProblem {
  tool: string;
  action: string;
  errorClass: string;
  fingerprint: string;
  counts: EvidenceCounts;
  repeat: Proportion;
  /** The alternatives tried most, with their rates; none was good enough. */
  tried: Alternative[];
}

/**
 * Reads executions one at a time and keeps only aggregates, so that a window can be streamed from a database cursor.
 * Takes stored observations as they are, so that no execution is parsed twice.
 */
export class CycleReader {
  readonly miner = new PatternMiner();
  readonly tasks = new TaskOutcomes();
  readonly excludedFailures: Partial<Record<Attribution, number>> = {};

  /** Returns false, without counting, if the execution is already counted. */
  add(execution: StoredExecution | ExecutionObservations): boolean {
    const observed = 'episodes' in execution ? execution : observe(execution);
    const isNew = this.miner.add(observed);
    if (isNew) this.countExcused(observed, 1);
    if (isNew) this.tasks.add(observed);
    return isNew;
  }

  has(executionId: string): boolean {
    return this.miner.ledger.numberOf(executionId) !== undefined;
  }

  /** Moves an execution under another root, because its parent was reported later. */
  reparent({ executionId, support }: ExecutionObservations): void {
    if (this.miner.ledger.setRoot(executionId, support.root)) this.miner.recount();
  }

  renameAgent(agentId: string, name: string, owner: string): void {
    if (!this.miner.ledger.renameAgent(agentId, name, owner)) return;
    this.miner.recount();
    this.tasks.setOwner(agentId, owner);
  }

  /** Takes an execution out that left the window. Ignores executions that {@link add} has not counted. */
  remove(observed: ExecutionObservations): void {
    if (!this.miner.remove(observed)) return;
    this.countExcused(observed, -1);
    this.tasks.add(observed, -1);
  }

  private countExcused({ excludedFailures }: ExecutionObservations, times: 1 | -1): void {
    for (const { cause, calls } of excludedFailures) {
      const now = (this.excludedFailures[cause] ?? 0) + times * calls;
      if (now > 0) this.excludedFailures[cause] = now;
      else delete this.excludedFailures[cause];
    }
  }
}

/**
 * Runs one cycle from executions to drafts, without clock, database or model: the same executions, in any order, give
 * the same drafts in the same order.
 */
export function runCycle(input: CycleInput): CycleOutcome {
  const reader = new CycleReader();
  for (const execution of input.executions) reader.add(execution);
  return finishCycle(reader, input, input.settings);
}

/** The second half of {@link runCycle}: turns the aggregates into drafts. */
export function finishCycle(reader: CycleReader, knownInput: KnownClaimsInput, settings: CycleSettings): CycleOutcome {
  const estimator = settings.estimator ?? betterThanRepeatingEstimator;
  const selection = selectCandidates(reader.miner.patterns(settings.minOwnersForPattern), { ...settings, estimator });
  const successes = newSuccesses(reader.miner.successes.patterns(settings), selection.candidates);
  const classifier = new DraftClassifier(new KnownClaims(knownInput), settings);
  const names = new Set<string>();
  for (const { make } of byImpact(selection.candidates, successes, estimator)) classifier.add(make(names));
  return {
    executionsRead: reader.miner.executions,
    patterns: selection.patterns + successes.length,
    kept: selection.kept + successes.length,
    belowThreshold: selection.belowThreshold,
    excludedFailures: { ...reader.excludedFailures },
    ...classifier.result(),
    passing: selection.passing,
    unsolved: selection.unsolved.map(unsolvedProblemOf),
    tasks: reader.tasks.problems(settings),
  };
}

/** Orders failure patterns and success patterns together, the greatest impact first. */
function byImpact(
  candidates: readonly Candidate[],
  successes: readonly SuccessPattern[],
  estimator: ConfidenceEstimator,
): { make: (names: Set<string>) => Draft | undefined }[] {
  const all = [
    ...candidates.map((candidate) => ({
      impact: candidate.impact,
      print: candidate.fingerprints[0] ?? '',
      make: (names: Set<string>) => draftOf(candidate, estimator.name, names),
    })),
    ...successes.map((pattern) => ({
      impact: impactOfSuccess(pattern),
      print: pattern.fingerprint,
      make: (names: Set<string>) => draftOfSuccess(pattern, estimator, names),
    })),
  ];
  return all.sort((a, b) => b.impact - a.impact || compareText(a.print, b.print));
}

/** Leaves out success patterns that a failure pattern already teaches, such as `npm install` before `node`. */
function newSuccesses(found: readonly SuccessPattern[], candidates: readonly Candidate[]): SuccessPattern[] {
  const isCovered = (pattern: SuccessPattern): boolean =>
    candidates.some(
      ({ pattern: { tool, coarse }, chosen }) =>
        tool === pattern.tool &&
        coarse === pattern.action &&
        chosen.how === 'prepare' &&
        pattern.before.split(' > ').includes(chosen.action),
    );
  return found.filter((pattern) => !isCovered(pattern));
}

function unsolvedProblemOf(pattern: Pattern): UnsolvedProblem {
  return {
    tool: pattern.tool,
    action: pattern.action,
    errorClass: pattern.errorClass,
    fingerprint: pattern.fingerprint,
    counts: pattern.counts,
    repeat: pattern.contrast.repeat,
    tried: [...pattern.contrast.alternatives].sort((a, b) => b.outcome.n - a.outcome.n).slice(0, 3),
  };
}

/** Limits the drafts to the free places of the queue, strongest first. The others wait for a later cycle. */
export function limitToQueueRoom(outcome: CycleOutcome, room: number): CycleOutcome {
  const { drafts, heldBack } = outcome;
  return { ...outcome, drafts: drafts.slice(0, room), heldBack: [...drafts.slice(room), ...heldBack] };
}
