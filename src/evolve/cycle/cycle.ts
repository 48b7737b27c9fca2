import type { Attribution } from '../../capture/errors/attribution.js';
import { type ExecutionObservations, observe, type StoredExecution } from '../../capture/observations/observation.js';
import { compareText } from '../../platform/base/compare-text.js';
import { type CaseSource, type Reading, readFromMemory, readFromSource } from '../cases/reading.js';
import type { KnownClaimsInput } from '../drafts/known-claims.js';
import { FamilyIndex } from '../evidence/family-index.js';
import type { ReportedExecution } from '../evidence/recorded-execution.js';
import { evidenceLeft } from '../examination/evidence-left.js';
import { type FamilyFindings, SKIPPING_AGENTS } from '../examination/family-examination.js';
import type { KnownFindings } from '../examination/window-examination.js';
import type { Proportion } from '../statistics/wilson.js';
import { Counts } from '../support/counts.js';
import { impactOf } from '../support/impact.js';
import type { EvidenceCounts } from '../support/pattern-evidence.js';
import { TaskOutcomes, type TaskProblem } from '../support/task-outcomes.js';
import type { FamilyCounts } from '../wording/family-counts.schema.js';
import { familyCounts } from '../wording/family-tally.js';
import type { Examination } from './candidate-outcome.js';
import { draftsOf } from './cycle-drafts.js';
import { type CycleSettings, type CycleWindow, examineWindow, isTransient } from './cycle-window.js';
import type { ClassifiedDrafts } from './draft-classifier.js';
import { examinationOf } from './examination-outcome.js';

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
  /** Families of failures, of whatever number of agents. */
  readonly patterns: number;
  /** Families of enough agents. */
  readonly kept: number;
  readonly belowThreshold: number;
  readonly excludedFailures: Readonly<Partial<Record<Attribution, number>>>;
  /** Families that repeating the same call overcomes. */
  readonly passing: number;
  readonly unsolved: readonly UnsolvedProblem[];
  /** Only overcome by skipping a check, which is no remedy. */
  readonly onlySkipped: readonly UnsolvedProblem[];
  /** Checks of single tasks that enough agents failed. They are reported and never proposed. */
  readonly tasks: readonly TaskProblem[];
  readonly examination: Examination;
  /** What a model answered about the examined families. */
  readonly written: Pick<FamilyCounts, 'lessons' | 'declined' | 'rejected'>;
}

export interface UnsolvedProblem {
  readonly tool: string;
  readonly action: string;
  readonly errorClass: string;
  readonly fingerprint: string;
  readonly counts: EvidenceCounts;
  /** What was tried most; none was good enough. */
  readonly tried: readonly { readonly label: string; readonly outcome: Pick<Proportion, 'successes' | 'n'> }[];
}

/**
 * Reads executions one at a time and keeps only aggregates, so that a window can be streamed from a database cursor.
 * Takes stored observations as they are, so that no execution is parsed twice.
 */
export class CycleReader {
  readonly index = new FamilyIndex();
  /** What earlier cycles of this process found, by family. */
  readonly known: KnownFindings = new Map();
  readonly tasks = new TaskOutcomes();
  /** Numbers of the executions whose outcome something other than the agent reported. */
  readonly judged = new Counts();
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
    const isNew = this.index.add(observed);
    if (isNew && observed.judged) this.judged.set(this.index.ledger.numberOf(observed.executionId) ?? 0, 1);
    if (isNew && 'report' in execution) this.reported.set(observed.executionId, { observed, report: execution.report });
    if (isNew) this.countExcused(observed, 1);
    if (isNew) this.tasks.add(observed);
    return isNew;
  }

  has(executionId: string): boolean {
    return this.index.ledger.numberOf(executionId) !== undefined;
  }

  /** Moves an execution under another root, because its parent was reported later. */
  reparent({ executionId, support }: ExecutionObservations): void {
    if (this.index.ledger.setRoot(executionId, support.root)) this.index.recount();
  }

  renameAgent(agentId: string, name: string, owner: string): void {
    if (!this.index.ledger.renameAgent(agentId, name, owner)) return;
    this.index.recount();
    this.tasks.setOwner(agentId, owner);
  }

  /** Takes an execution out that left the window. Ignores executions that {@link add} has not counted. */
  remove(observed: ExecutionObservations): void {
    const number = this.index.ledger.numberOf(observed.executionId);
    if (number !== undefined) this.judged.set(number, 0);
    if (!this.index.remove(observed)) return;
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
 * The second half of {@link runCycle}: turns the aggregates into drafts, from executions that were added with their
 * reports.
 */
export function finishCycle(reader: CycleReader, known: KnownClaimsInput, settings: CycleSettings): CycleOutcome {
  return readFromMemory(cycleReading(reader, known, settings), (id) => reader.reportOf(id));
}

/**
 * {@link finishCycle} for a reader of observations alone: reads the reports of the examined executions from a source.
 * `examined`: the window, if it is examined already.
 */
export function finishCycleFrom(
  source: CaseSource,
  reader: CycleReader,
  known: KnownClaimsInput,
  settings: CycleSettings,
  examined?: CycleWindow,
): Promise<CycleOutcome> {
  return readFromSource(cycleReading(reader, known, settings, examined), source);
}

function* cycleReading(
  reader: CycleReader,
  known: KnownClaimsInput,
  settings: CycleSettings,
  examined?: CycleWindow,
): Reading<CycleOutcome> {
  const window = examined ?? (yield* examineWindow(reader, settings));
  const { families, enough } = window;
  const { findings, lessons, refused, struck, classified } = yield* draftsOf(reader.index, window, known, settings);
  const solved = new Set(
    lessons.flatMap(({ main, families: of }) => (main.skipsCheck ? [] : of.map(({ fingerprint }) => fingerprint))),
  );
  // A value is a part of its family, which is listed with what is left of it.
  const open = findings
    .filter(
      ({ family, dossier }) =>
        dossier.kind === 'failure' && family.value === undefined && !solved.has(family.fingerprint),
    )
    .map((one) => ({
      ...one,
      family: { ...one.family, evidence: evidenceLeft(one.family, findings, solved, reader.index.ledger) },
    }))
    .filter(({ family }) => family.evidence.hasAtLeast(settings.minAgentsForPattern, settings.minOwnersForPattern));
  const isSkipped = ({ skippedBy }: FamilyFindings): boolean => skippedBy >= SKIPPING_AGENTS;
  const unsolved = open.filter((one) => !isSkipped(one) && !isTransient(one));
  return {
    executionsRead: reader.index.executions,
    patterns: families.length,
    kept: enough.length,
    belowThreshold: families.length - enough.length,
    excludedFailures: { ...reader.excludedFailures },
    ...classified,
    passing: open.filter((one) => !isSkipped(one) && isTransient(one)).length,
    unsolved: unsolved.map(problemOf).sort(byImpact),
    onlySkipped: open.filter(isSkipped).map(problemOf).sort(byImpact),
    tasks: reader.tasks.problems(settings),
    examination: examinationOf(families, findings, lessons, refused),
    written: familyCounts(findings, struck),
  };
}

function problemOf({ family, candidates }: FamilyFindings): UnsolvedProblem {
  return {
    tool: family.tools[0] ?? 'shell',
    action: family.actions[0] ?? '',
    errorClass: family.errorClasses[0] ?? '',
    fingerprint: family.fingerprint,
    counts: family.evidence.counts(),
    tried: candidates
      .map(({ label, check: { seen } }) => ({ label, outcome: { successes: seen.with.worked, n: seen.with.n } }))
      .sort((a, b) => b.outcome.n - a.outcome.n || compareText(a.label, b.label))
      .slice(0, 3),
  };
}

const byImpact = (a: UnsolvedProblem, b: UnsolvedProblem): number =>
  impactOf(b.counts) - impactOf(a.counts) || compareText(a.fingerprint, b.fingerprint);

/** Limits the drafts to the free places of the queue, strongest first. The others wait for a later cycle. */
export function limitToQueueRoom(outcome: CycleOutcome, room: number): CycleOutcome {
  const { drafts, heldBack } = outcome;
  return { ...outcome, drafts: drafts.slice(0, room), heldBack: [...drafts.slice(room), ...heldBack] };
}
