import type { ExecutionReport } from './execution-report.schema.js';

/**
 * Whether an execution failed, wherever executions are counted: as something other than the agent judged it, and without
 * a judgement as the agent says. An agent that says it failed is believed.
 */
export function hasFailed({ status, verification }: Pick<ExecutionReport, 'status' | 'verification'>): boolean {
  const { outcome, source } = verification;
  if (outcome === 'failed') return true;
  return outcome === 'succeeded' && source !== 'self' ? false : status !== 'completed';
}
