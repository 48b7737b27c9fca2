import { type Attribution, attribute, teaches } from '../errors/attribution.js';
import type { ExecutionObservations } from '../observations/observation.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';

export interface CaptureFacts {
  readonly report: ExecutionReport;
  readonly observations: Pick<ExecutionObservations, 'episodes' | 'notTeaching'>;
  /** Quality scores of the agent's recent completed executions, this one included. */
  readonly recentQuality: readonly number[];
}

export interface CaptureSettings {
  readonly minQualityScore: number;
  readonly successQualityPercentile: number;
}

export type CaptureVerdict =
  | { readonly teaches: true; readonly kind: 'failure' | 'success' }
  | { readonly teaches: false; readonly reason: string };

/** Decides, before any model is asked, whether a finished execution may teach (spec L4). */
export interface CaptureStrategy {
  readonly type: 'failure' | 'success' | 'hybrid';
  consider(facts: CaptureFacts): CaptureVerdict;
}

/** With fewer scores than this a percentile says nothing, and the score alone decides (spec L4). */
const ENOUGH_SCORES = 20;

const no = (reason: string): CaptureVerdict => ({ teaches: false, reason });

/** A plan that never began: no calls and no turns, both known (spec L1). */
const neverBegan = ({ toolCalls, turnCount }: ExecutionReport): boolean => toolCalls.length === 0 && turnCount === 0;

export class FailureCapture implements CaptureStrategy {
  readonly type = 'failure';

  consider({ report, observations }: CaptureFacts): CaptureVerdict {
    if (neverBegan(report)) return no('never began');
    const ended = report.status !== 'completed';
    if (!ended && !recovered(observations)) return no('nothing failed that was overcome');
    if (observations.episodes.length > 0) return { teaches: true, kind: 'failure' };
    const cause = causeOf(report, observations);
    return teaches(cause) ? { teaches: true, kind: 'failure' } : no(`attributed to ${cause}`);
  }
}

export class SuccessCapture implements CaptureStrategy {
  readonly type = 'success';

  constructor(private readonly settings: CaptureSettings) {}

  consider({ report, recentQuality }: CaptureFacts): CaptureVerdict {
    const { verification, qualityScore } = report;
    if (neverBegan(report)) return no('never began');
    if (report.status !== 'completed') return no('did not complete');
    if (verification.outcome !== 'succeeded' || verification.source === 'self') return no('success is not verified');
    if (qualityScore === undefined) return no('has no quality score');
    if (qualityScore < this.settings.minQualityScore) return no('quality is below the minimum');
    if (
      recentQuality.length >= ENOUGH_SCORES &&
      qualityScore < percentile(recentQuality, this.settings.successQualityPercentile)
    )
      return no("quality is below the agent's percentile");
    return { teaches: true, kind: 'success' };
  }
}

/** By outcome: a verified success as a success, what failed or recovered as a failure. */
export class HybridCapture implements CaptureStrategy {
  readonly type = 'hybrid';
  private readonly failure = new FailureCapture();
  private readonly success: SuccessCapture;

  constructor(settings: CaptureSettings) {
    this.success = new SuccessCapture(settings);
  }

  consider(facts: CaptureFacts): CaptureVerdict {
    const asFailure = this.failure.consider(facts);
    if (asFailure.teaches) return asFailure;
    const asSuccess = this.success.consider(facts);
    return asSuccess.teaches ? asSuccess : asFailure;
  }
}

export function captureStrategy(type: CaptureStrategy['type'], settings: CaptureSettings): CaptureStrategy {
  if (type === 'failure') return new FailureCapture();
  return type === 'success' ? new SuccessCapture(settings) : new HybridCapture(settings);
}

function recovered({ episodes }: CaptureFacts['observations']): boolean {
  return episodes.some(({ trials }) => trials.some(({ worked, how }) => worked && how !== 'repeat'));
}

/** What an execution without a teaching failure of a call failed of: its own error, or what all its calls failed of. */
function causeOf(report: ExecutionReport, { notTeaching }: CaptureFacts['observations']): Attribution {
  const { errorMessage: message, errorCategory: category, missingCapability, retryCount, maxRetries } = report;
  const ended = { reason: report.terminationReason, retriesUsedUp: maxRetries > 0 && retryCount >= maxRetries };
  if (message !== undefined || category !== undefined || missingCapability !== undefined)
    return attribute({ message, category, missingCapability, ended });
  const [most] = [...notTeaching].sort((a, b) => b.calls - a.calls);
  return most?.cause ?? attribute({ ended });
}

/** The value at `share` per cent of the sorted values (nearest rank). */
function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil((share / 100) * sorted.length));
  return sorted[rank - 1] ?? 0;
}
