import type { Call } from '../../learning/calls/call.js';
import { appliesTo, firstCallsOf, triesOf } from '../../learning/lessons/claim.js';
import type { LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import type { RecordedCall } from './recorded-execution.js';
import { type Arms, type ArmsOfExecution, sides } from './tried.js';

/**
 * The comparisons of what the learning core found. `after`: after the first failure that it is about, the first try that
 * follows and the first before it that follows nothing. `form`: the first calls in either form.
 */
export function learnedArms(claim: LearnedClaim): Arms[] {
  const firstCalls = firstCallsOf(claim);
  return [
    {
      kind: 'after',
      over({ calls }) {
        const read = calls.map((call) => call.read);
        const failed = read.find((call) => appliesTo(claim, call));
        if (failed === undefined) return undefined;
        const { taught, other } = triesOf(claim, read, failed);
        return tried(calls, taught?.call, other?.call);
      },
    },
    ...(firstCalls
      ? [
          {
            kind: 'form' as const,
            over({ calls }: { readonly calls: readonly RecordedCall[] }) {
              const { taught, other } = firstCalls(calls.map((call) => call.read));
              return tried(calls, taught, other);
            },
          },
        ]
      : []),
  ];
}

/** The places of the two calls do not depend on the outcomes, which may be those of others. */
function tried(
  calls: readonly RecordedCall[],
  taught: Call | undefined,
  other: Call | undefined,
): ArmsOfExecution | undefined {
  if (taught === undefined && other === undefined) return undefined;
  return (outcomes) => {
    const worked = (call: Call | undefined): boolean | undefined => call && calls[outcomes[call.at] ?? call.at]?.ok;
    return sides(worked(taught), worked(other));
  };
}
