import type { RecordedCall, RecordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { callOf } from '../../src/learning/calls/call.js';

/** A call of a recorded execution, in short: `ok` undefined is an unknown result. */
export interface ShortCall {
  readonly text: string;
  readonly ok?: boolean | undefined;
  readonly error?: string;
  readonly tool?: string;
  readonly goal?: string;
}

export const worked = (text: string): ShortCall => ({ text, ok: true });
export const failed = (text: string, error = 'boom'): ShortCall => ({ text, ok: false, error });
export const unknown = (text: string): ShortCall => ({ text });

/** A recorded shell call; its goal is its first word, its actions are its words. */
export function recordedCall({ text, ok, error = '', tool = 'shell', goal }: ShortCall, index = 0): RecordedCall {
  const words = text.split(' ');
  const [action = ''] = words;
  return {
    index,
    tool,
    text,
    ok,
    error,
    goal: goal ?? action,
    actions: new Set(words),
    read: callOf({ tool, action: text, ok, errorLine: error }, index),
    ...(ok === false ? { failure: { template: error, errorClass: 'unknown', fingerprint: error, action } } : {}),
  };
}

/** A recorded execution with an origin of its own, unless `over` says otherwise. Its report is empty. */
export function recordedRun(
  id: string,
  calls: readonly ShortCall[],
  over: Partial<Omit<RecordedExecution, 'calls'>> = {},
): RecordedExecution {
  const support = { agentId: 'agent', owner: 'owner', origin: `origin of ${id}` };
  const finishedAt = '2026-01-01T00:00:00.000Z';
  return {
    id,
    ...support,
    party: over.agentId ?? support.agentId,
    finishedAt,
    environment: {},
    outcomes: new Map(),
    source: {
      observed: {
        executionId: id,
        agentName: 'agent',
        model: undefined,
        finishedAt,
        support: { ...support, root: id },
        checks: [],
        episodes: [],
        excludedFailures: [],
        used: [],
      },
      report: { toolCalls: [], verification: { outcome: 'none' }, status: 'completed', tags: [] },
    },
    ...over,
    calls: calls.map(recordedCall),
  };
}
