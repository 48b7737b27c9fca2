import { redactDeep, type Sanitized } from '../../untrusted/redaction/redact-deep.js';
import { type ExecutionObservations, observe, type StoredExecution } from '../observations/observation.js';

/** The stored part of an execution's observations; the rest stands in the execution's row. */
export type ObservedBody = Omit<ExecutionObservations, 'executionId' | 'agentName' | 'support'>;

/** Observes an execution and redacts what is stored of it. */
export function bodyOf(execution: StoredExecution): Sanitized<ObservedBody> {
  const { executionId: _id, agentName: _name, support: _support, ...body } = observe(execution);
  return redactDeep<ObservedBody>(body).value;
}
