import type { HookFacts } from '../capture/hook-events/hook-event.js';
import { failureShape, type RecordedCall, reportedCalls } from '../evolve/evidence/recorded-execution.js';

/** A call that failed, as predicates see it, and the shape of its error: one error in two calls has one shape. */
export interface FailedCall {
  readonly call: RecordedCall;
  readonly shape: string;
}

/**
 * The failed call of an event, from what may be stored of it. Undefined if the call did not fail, or for a reason that
 * is not its own: the environment, a refusal, an interruption.
 */
export function failedCallOf({ tool, ok, interrupted, ...facts }: HookFacts): FailedCall | undefined {
  if (tool === undefined || ok !== false || interrupted === true) return undefined;
  const { errorCategory, errorMessage, errorLine, ran } = facts;
  const reported = {
    ...tool,
    ok: false,
    ...(errorCategory === undefined ? {} : { errorCategory }),
    ...(errorMessage === undefined ? {} : { errorMessage }),
    ...(errorLine === undefined ? {} : { errorLine }),
    ...(ran === undefined ? {} : { ran }),
  };
  const [call] = reportedCalls({ toolCalls: [reported] });
  const shape = call && failureShape(call);
  return call && shape !== undefined ? { call, shape } : undefined;
}
