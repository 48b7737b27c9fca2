import { redactDeep, type Sanitized } from '../../untrusted/redaction/redact-deep.js';
import { type ExecutionObservations, observe, type StoredExecution } from '../observations/observation.js';

/** The stored part of an execution's observations; the rest is in the execution's row. */
export type StoredObservations = Omit<ExecutionObservations, 'executionId' | 'agentName' | 'support'>;

/** Observes an execution and redacts the part that is stored. */
export function observeForStorage(execution: StoredExecution): Sanitized<StoredObservations> {
  const { executionId: _id, agentName: _name, support: _support, ...body } = observe(execution);
  return redactDeep<StoredObservations>(body).value;
}
