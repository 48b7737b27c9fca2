import type { Danger } from '../../untrusted/danger/danger.js';
import type { ActionShape } from '../actions/action-shape.js';
import type { Attribution } from '../errors/attribution.js';

/** A dangerous form that a remedy used, with the redacted call as it was reported. */
export interface UsedDanger extends Danger {
  call: string;
}

/** One parsed call of an execution. */
export interface ParsedCall {
  index: number;
  ok: boolean;
  shape: ActionShape;
  /** The normalised action text. It distinguishes two calls of one shape (another path of the same file). */
  text: string;
  /** Set if it counts in another session. */
  copied?: true;
}

export interface FailedCall extends ParsedCall {
  failing: ActionShape;
  errorClass: string;
  template: string;
}

export type Call = ParsedCall | FailedCall | ExcusedCall;
/**
 * A call that failed for a reason that is not the procedure's, or that never ran: neither a failure of the action nor a
 * trial of a remedy. `failure`: of one that ran and failed.
 */
interface ExcusedCall extends ParsedCall {
  excused: true;
  failure?: FailedCall;
  /** Why the failure is not the procedure's. */
  cause?: Attribution;
}

/** The failure of a call that ran and failed, whatever the reason. */
export const failureOf = (call: Call): FailedCall | undefined =>
  isFailed(call) ? call : 'excused' in call ? call.failure : undefined;

/** Identifies an episode: coarse action and error class. */
export function failureKey({ failing, errorClass }: FailedCall): string {
  return JSON.stringify([failing.tool, failing.coarse, errorClass]);
}

export function isFailed(call: ParsedCall): call is FailedCall {
  return 'failing' in call;
}
