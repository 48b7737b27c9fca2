import type { EvidenceCounts } from './pattern-evidence.js';

/** Calls that a number of executions lost to a failure. */
export interface LostCalls {
  readonly calls: number;
  readonly executions: number;
}

/** The mean of each execution. */
export const meanLost = ({ calls, executions }: LostCalls): number => (executions === 0 ? 0 : calls / executions);

/**
 * Returns the calls lost to a failure in the window times distinct agents, which orders the queue. Where the executions
 * were not read, each failure is one lost call.
 */
export function impactOf({ failures, executions, distinctAgents }: EvidenceCounts, lost: LostCalls): number {
  const calls = lost.executions === 0 ? failures : meanLost(lost) * executions;
  return Math.round(calls * distinctAgents);
}
