import type { Attribution } from '../../capture/errors/attribution.js';
import { type ExecutionObservations, observe, type StoredExecution } from '../../capture/observations/observation.js';
import type { ReportedExecution } from '../cases/case.js';
import { type CaseSource, readFromMemory, readFromSource } from '../cases/case-collection.js';

import { KnownClaims, type KnownClaimsInput } from '../drafts/known-claims.js';
import type { EvidenceCounts } from '../evidence/pattern-evidence.js';
import { betterThanRepeatingEstimator, type ConfidenceEstimator } from '../patterns/confidence.js';
import type { Alternative } from '../patterns/contrast.js';
import { type Pattern, PatternMiner } from '../patterns/pattern.js';
import { selectCandidates } from '../patterns/selection.js';
import { TaskOutcomes, type TaskProblem } from '../patterns/task-outcomes.js';
import type { Proportion } from '../statistics/wilson.js';
import { type ClassifiedDrafts, type ClassifierSettings, DraftClassifier } from './draft-classifier.js';
import { newSuccesses, type PlannedDraft, plannedDrafts } from './planned-draft.js';

export interface CycleSettings extends ClassifierSettings {
  readonly minAgentsForPattern: number;
  readonly minOwnersForPattern: number;
  /** Also propose what only skipped a check. */
  readonly proposeSkippedChecks?: boolean;
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
  /** Only overcome by skipping a check, which is no remedy. */
  readonly onlySkipped: readonly UnsolvedProblem[];
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
  /** Executions that were added with their reports, which the drafts show. */
  private readonly reported = new Map<string, ReportedExecution>();

  /** Returns an execution that was added with its report. */
  reportOf(executionId: string): ReportedExecution | undefined {
    return this.reported.get(executionId);
  }

  /** Returns false, without counting, if the execution is already counted. */
  add(execution: StoredExecution | ExecutionObservations): boolean {
    const observed = 'episodes' in execution ? execution : observe(execution);
    const isNew = this.miner.add(observed);
    if (isNew && 'report' in execution) this.reported.set(observed.executionId, { observed, report: execution.report });
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
    this.reported.delete(observed.executionId);
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

/**
 * The second half of {@link runCycle}: turns the aggregates into drafts, which show calls of the executions that were
 * added with their reports.
 */
export function finishCycle(reader: CycleReader, knownInput: KnownClaimsInput, settings: CycleSettings): CycleOutcome {
  const plan = planCycle(reader, knownInput, settings);
  for (const { identity, reading } of plan.drafts)
    plan.classifier.add(identity, () => readFromMemory(reading(), (id) => reader.reportOf(id))(plan.names));
  return plan.outcome();
}

/** {@link finishCycle} for a reader of observations alone: reads the reports of the drafts from a source. */
export async function finishCycleFrom(
  source: CaseSource,
  reader: CycleReader,
  knownInput: KnownClaimsInput,
  settings: CycleSettings,
): Promise<CycleOutcome> {
  const plan = planCycle(reader, knownInput, settings);
  for (const { identity, reading } of plan.drafts) {
    const word = plan.classifier.needsWords(identity) ? await readFromSource(reading(), source) : undefined;
    plan.classifier.add(identity, () => word?.(plan.names));
  }
  return plan.outcome();
}

interface CyclePlan {
  /** The greatest impact first. */
  readonly drafts: readonly PlannedDraft[];
  readonly classifier: DraftClassifier;
  /** The names taken in this cycle. */
  readonly names: Set<string>;
  readonly outcome: () => CycleOutcome;
}

function planCycle(reader: CycleReader, knownInput: KnownClaimsInput, settings: CycleSettings): CyclePlan {
  const estimator = settings.estimator ?? betterThanRepeatingEstimator;
  const patterns = reader.miner.patterns(settings.minOwnersForPattern, settings.proposeSkippedChecks);
  const selection = selectCandidates(patterns, { ...settings, estimator });
  const successes = newSuccesses(reader.miner.successes.patterns(settings), selection.candidates);
  const classifier = new DraftClassifier(new KnownClaims(knownInput), settings);
  return {
    drafts: plannedDrafts(reader.miner.ledger, selection.candidates, successes, estimator),
    classifier,
    names: new Set(),
    outcome: () => ({
      executionsRead: reader.miner.executions,
      patterns: selection.patterns + successes.length,
      kept: selection.kept + successes.length,
      belowThreshold: selection.belowThreshold,
      excludedFailures: { ...reader.excludedFailures },
      ...classifier.result(),
      passing: selection.passing,
      unsolved: selection.unsolved.map(unsolvedProblemOf),
      onlySkipped: selection.onlySkipped.map(unsolvedProblemOf),
      tasks: reader.tasks.problems(settings),
    }),
  };
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
