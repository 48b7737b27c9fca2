import type { ActionShape } from '../actions/action.js';
import type { Attribution } from '../errors/attribution.js';
import { errorKind, failedLater, failureStage } from '../errors/error-kind.js';
import type { TrialChange } from './trial-change.js';

/** One parsed call of an execution. */
export interface ParsedCall {
  index: number;
  ok: boolean;
  shape: ActionShape;
  /** The normalised action text. It distinguishes two calls of one shape (another path of the same file). */
  text: string;
}

export interface FailedCall extends ParsedCall {
  failing: ActionShape;
  errorClass: string;
  template: string;
  /** The path that was not found, if the arguments or the error name it. */
  path: string;
}

export type Call = ParsedCall | FailedCall | ExcusedCall;
/**
 * A call that failed for a reason that is not the procedure's, or that never ran: neither a failure of the action nor a
 * trial of a remedy. `failure`: of one that ran and failed.
 */
export interface ExcusedCall extends ParsedCall {
  excused: true;
  failure?: FailedCall;
  /** Why the failure is not the procedure's. */
  cause?: Attribution;
}

/** The failure of a call that ran and failed, whatever the reason. */
export const failureOf = (call: Call): FailedCall | undefined =>
  isFailed(call) ? call : 'excused' in call ? call.failure : undefined;

/**
 * How a later call tries to reach the goal of the failed one. `replace`: another action. `omit`: the same without the
 * failing step. `prepare`: a preparing call in between, then the action. `relocate`: the same goal at another path or
 * from another folder. `repeat`: the same words; other files of the same kind count as the same.
 */
export type ApproachKind = 'repeat' | 'replace' | 'omit' | 'prepare' | 'relocate';

export interface Approach {
  how: ApproachKind;
  /**
   * Grouping keys of the alternative, coarse and fine: `python3`, `python3 [file:.py]`; for `prepare`, those of the
   * preparing call.
   */
  coarse: string;
  fine: string;
  /** The tool, if it is not the one that failed. */
  tool?: string;
  /** What differs from the failed call, if it is the same action or the same tool. */
  change?: TrialChange[];
  /** Indexes of the calls in between that prepared it. */
  via?: number[];
}

/** True if the error says that a path does not exist. */
export function isWrongPath({ errorClass, template }: FailedCall): boolean {
  return errorKind(errorClass, template) === 'wrong-path';
}

/** True if the later failure is a recurrence of the first. */
export function isRecurrence(failed: FailedCall, later: FailedCall): boolean {
  return (
    failureKey(failed) === failureKey(later) &&
    (failed.shape.tool === 'shell' || sharesSubject(failed.shape, later.shape))
  );
}

/** Identifies an episode: coarse action and error class. */
export function failureKey({ failing, errorClass }: FailedCall): string {
  return JSON.stringify([failing.tool, failing.coarse, errorClass]);
}

/** True if both name one file, folder or package. */
export function sharesSubject(a: ActionShape, b: ActionShape): boolean {
  return a.subjects.some((subject) => b.subjects.includes(subject));
}

export function isFailed(call: ParsedCall): call is FailedCall {
  return 'failing' in call;
}

/**
 * False for later calls that prove nothing: `pytest | head` succeeds even if pytest fails, `cd nowhere && pytest` never
 * runs pytest, and a call that fails at a later stage passed the failure without reaching the goal.
 */
export function isConclusive(failed: FailedCall, later: ParsedCall): boolean {
  if (later.ok) return !later.shape.masksExit;
  if (!isFailed(later)) return true;
  if (failedLater(failureStage(failed.errorClass, failed.template), failureStage(later.errorClass, later.template)))
    return false;
  if (later.failing.coarse === later.shape.coarse) return true;
  return later.failing.coarse === failed.failing.coarse;
}

/** Limits the trials per approach: fifty tries in one execution must not outweigh fifty executions. */
export function limitTrials<T extends Pick<Approach, 'how' | 'coarse'>>(
  trials: readonly T[],
  perApproach: number,
): T[] {
  const seen = new Map<string, number>();
  return trials.filter((trial) => {
    const key = JSON.stringify([trial.how, trial.coarse]);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count <= perApproach;
  });
}
