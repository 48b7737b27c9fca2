import { type Call, callOf } from '../../learning/calls/call.js';
import { errorLineOf } from '../errors/decisive-line.js';
import type { ToolCall } from '../report/execution-report.schema.js';
import type { Call as ParsedCall } from './trial.js';

/**
 * The calls of a report as the learning core reads them. A call that the harness never ran says nothing. `parsed`: the
 * same calls, parsed.
 */
export const learningCalls = (calls: readonly ToolCall[], parsed: readonly ParsedCall[]): Call[] =>
  calls.map((call, at) => learningCall(call, parsed[at], at));

/** One of them, at its place `at`. */
export function learningCall(call: ToolCall, parsed: ParsedCall | undefined, at: number): Call {
  const neverRan = parsed !== undefined && 'excused' in parsed && parsed.failure === undefined;
  return callOf(
    {
      tool: call.name,
      action: call.action,
      arguments: call.arguments,
      ok: neverRan ? undefined : call.ok,
      errorLine: call.ok ? undefined : (errorLineOf(call) ?? call.errorMessage),
      errorText: call.errorMessage,
      afterHole: call.afterHole,
    },
    at,
  );
}
