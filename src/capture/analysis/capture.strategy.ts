import { type Attribution, attribute, isLearnable } from '../errors/attribution.js';
import type { ExecutionObservations } from '../observations/observation.js';
import type { Obstacle } from '../observations/obstacle.schema.js';
import { countedCalls } from '../report/call-lineage.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';

export interface CaptureFacts {
  readonly report: ExecutionReport;
  readonly observations: Pick<ExecutionObservations, 'episodes' | 'excludedFailures'>;
  readonly obstacles: readonly Obstacle[];
  /** Quality scores of the agent's recent completed executions, including this one. */
  readonly recentQuality: readonly number[];
}

/** What a verified success needs. */
export interface SuccessQuality {
  /** 0 to 10. */
  readonly minScore: number;
  /** Of the agent's recent completed executions; 0 to 100, with fractions. */
  readonly percentile: number;
}

export type CaptureDecision =
  | { readonly learnable: true; readonly kind: 'failure' | 'success' }
  | { readonly learnable: false; readonly reason: string };

/** Decides by rules, before any model call, whether an execution is learnable. */
export interface CaptureStrategy {
  readonly type: 'failure' | 'success' | 'hybrid';
  decide(facts: CaptureFacts): CaptureDecision;
}

/** With fewer scores a percentile means little; then the minimum score alone decides. */
const MIN_SCORES = 20;

const skip = (reason: string): CaptureDecision => ({ learnable: false, reason });

/** End reasons by which a person stopped an execution: they say nothing about the procedure. */
const CANCELLED = /interrupt|cancel|user.?abort|(?:abort|stopp)ed.?by.?(?:the.?)?user/i;

/** Why an execution teaches nothing, however it ended; undefined if it may teach. */
function unusable({ toolCalls, turnCount, status, terminationReason }: ExecutionReport): string | undefined {
  if (countedCalls(toolCalls).length === 0) return turnCount === 0 ? 'never started' : 'made no call';
  if (status !== 'completed' && CANCELLED.test(terminationReason)) return 'cancelled by the user';
  return undefined;
}

function decideFailure({ report, observations, obstacles }: CaptureFacts): CaptureDecision {
  const reason = unusable(report);
  if (reason !== undefined) return skip(reason);
  if (obstacles.some(({ outcome }) => outcome === 'overcome')) return { learnable: true, kind: 'failure' };
  if (report.status === 'completed') return skip('no failure with a recovery');
  const cause = observations.episodes.length > 0 ? undefined : causeOf(report, observations);
  return cause === undefined || isLearnable(cause)
    ? { learnable: true, kind: 'failure' }
    : skip(`attributed to ${cause}`);
}

function decideSuccess({ report, recentQuality }: CaptureFacts, needed: SuccessQuality): CaptureDecision {
  const { verification, qualityScore } = report;
  const reason = unusable(report);
  if (reason !== undefined) return skip(reason);
  if (report.status !== 'completed') return skip('did not complete');
  if (!isVerified(verification)) return skip('success is not verified');
  if (qualityScore === undefined) return skip('has no quality score');
  if (qualityScore < needed.minScore) return skip('quality is below the minimum');
  if (recentQuality.length >= MIN_SCORES && qualityScore < percentile(recentQuality, needed.percentile))
    return skip("quality is below the agent's percentile");
  return { learnable: true, kind: 'success' };
}

/** The agent's word alone is no verification; checks that it ran are one for its own lessons. */
const isVerified = ({ outcome, source, checks = [] }: ExecutionReport['verification']): boolean =>
  outcome === 'succeeded' && (source !== 'self' || (checks.length > 0 && checks.every(({ ok }) => ok)));

/** `hybrid` captures failures and recoveries as failures, and verified successes as successes. */
export const captureStrategy = (type: CaptureStrategy['type'], needed: SuccessQuality): CaptureStrategy => ({
  type,
  decide(facts) {
    const [failure, success] = [decideFailure(facts), decideSuccess(facts, needed)];
    if (type !== 'hybrid') return type === 'failure' ? failure : success;
    // The reason of the strategy that applies to how it ended.
    const { status, verification } = facts.report;
    const isSuccess = status === 'completed' && verification.outcome !== 'failed';
    return !failure.learnable && (success.learnable || isSuccess) ? success : failure;
  },
});

/**
 * The cause of an execution without a learnable failed call: its own error, or the most frequent cause of its failed
 * calls.
 */
function causeOf(report: ExecutionReport, { excludedFailures }: CaptureFacts['observations']): Attribution {
  const { errorMessage: message, errorCategory: category, missingCapability, retryCount, maxRetries } = report;
  const ended = { reason: report.terminationReason, retriesUsedUp: maxRetries > 0 && retryCount >= maxRetries };
  if (message !== undefined || category !== undefined || missingCapability !== undefined)
    return attribute({ message, category, missingCapability, ended });
  const [mostFrequent] = [...excludedFailures].sort((a, b) => b.calls - a.calls);
  return mostFrequent?.cause ?? attribute({ ended });
}

/** The `share`th percentile of the values, by nearest rank; `share` from 0 to 100, with fractions. */
function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  // Rounded, or an error in the last digit would move a whole rank: 0.55 × 20 is more than 11.
  const rank = Math.max(1, Math.ceil(Math.round(share * sorted.length * 1e6) / 1e8));
  return sorted[rank - 1] ?? 0;
}
