import type { HookFacts } from '../../capture/hook-events/hook-event.js';
import { type RecordedCall, reportedCalls } from '../../evolve/evidence/recorded-execution.js';

/** The call of an event that comes before it, as predicates see it. Undefined for every other event. */
export function comingCallOf({ event, tool }: Pick<HookFacts, 'event' | 'tool'>): RecordedCall | undefined {
  if (event !== 'PreToolUse' || tool === undefined) return undefined;
  // A gate asks nothing about the result, which a report needs.
  const [call] = reportedCalls({ toolCalls: [{ ...tool, ok: true }] });
  return call;
}
