import {
  type ExecutionObservations,
  observe,
  type StoredExecution,
} from '../../src/capture/observations/observation.js';
import type { Reading } from '../../src/evolve/cases/table-cache.js';
import { type CycleOutcome, cycleReading } from '../../src/evolve/cycle/cycle.js';
import type { CycleSettings } from '../../src/evolve/cycle/cycle-drafts.js';
import type { KnownClaimsInput } from '../../src/evolve/drafts/known-claims.js';
import type { ReportedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { CycleReader } from '../../src/evolve/window/cycle-reader.js';

export const CYCLE_DEFAULTS = {
  minAgentsForPattern: 3,
  minOwnersForPattern: 1,
  minConfidenceForProposal: 0.8,
  maxProposalsPerCycle: 10,
} as const;

export interface CycleInput extends KnownClaimsInput {
  executions: Iterable<StoredExecution | ExecutionObservations>;
  settings: CycleSettings;
}

/** A reader of a window that also keeps the reports, in the place of the database. */
export class ReportedReader extends CycleReader {
  private readonly reported = new Map<string, ReportedExecution>();

  override add(execution: StoredExecution | ExecutionObservations): boolean {
    const observed = 'episodes' in execution ? execution : observe(execution);
    const isNew = super.add(observed);
    if (isNew && 'report' in execution) this.reported.set(observed.executionId, { observed, report: execution.report });
    return isNew;
  }

  /** Returns an execution that was added with its report. */
  reportOf(executionId: string): ReportedExecution | undefined {
    return this.reported.get(executionId);
  }
}

/** Runs a reading on executions in memory. */
export function readFromMemory<R>(reading: Reading<R>, execution: (id: string) => ReportedExecution | undefined): R {
  let step = reading.next();
  while (!step.done) step = reading.next(step.value.flatMap((id) => execution(id) ?? []));
  return step.value;
}

/** Runs one cycle from executions to drafts. */
export function runCycle(input: CycleInput): CycleOutcome {
  const reader = new ReportedReader();
  for (const execution of input.executions) reader.add(execution);
  return finishCycle(reader, input, input.settings);
}

/** The second half of {@link runCycle}, of executions that were added with their reports. */
export function finishCycle(reader: ReportedReader, known: KnownClaimsInput, settings: CycleSettings): CycleOutcome {
  return readFromMemory(cycleReading(reader, known, settings), (id) => reader.reportOf(id));
}
