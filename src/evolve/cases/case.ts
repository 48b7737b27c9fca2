import type { ProjectKind } from '../../capture/observations/project-kind.js';
import type { ExecutionEnvironment } from '../../capture/report/execution-report.schema.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import type { RecordedExecution } from '../evidence/recorded-execution.js';

/** The execution that a case is of, and where it ran. */
interface CasePlace {
  readonly executionId: string;
  readonly agentId: string;
  readonly party: string;
  readonly owner: string;
  readonly origin: string;
  readonly environment: ExecutionEnvironment;
  readonly projectKind?: ProjectKind;
}

export const placeOf = (execution: RecordedExecution): CasePlace => ({
  executionId: execution.id,
  agentId: execution.agentId,
  party: execution.party,
  owner: execution.owner,
  origin: execution.origin,
  environment: execution.environment,
  ...(execution.projectKind ? { projectKind: execution.projectKind } : {}),
});

/** One failure and what the execution did about it, in calls that may be shown. */
export interface Case extends CasePlace {
  readonly failed: ShownCall;
  /** The decisive line of the error; empty if it may not be shown. */
  readonly error: string;
  /** The successful calls in between that prepared the remedy. */
  readonly between: readonly ShownCall[];
  /** The call that worked; undefined if the remedy was not tried, or failed. */
  readonly worked?: ShownCall;
  /** What the lesson teaches: words, flags, keys or values that the calls which worked have. */
  readonly changed: readonly string[];
}
