import type { Proportion } from '../statistics/wilson.js';

/** What the activation condition of a proposal would have done in executions that did not make it. */
export interface BacktestResult {
  readonly verdict: 'tested' | 'not_enough_evidence';
  /** Executions that it was tested on, of all that were read. */
  readonly tested: number;
  readonly read: number;
  /** The condition fired, and the failure came. */
  readonly supporting: number;
  /** The condition fired, and the advice was not needed: nothing of the kind happened, or doing the same again worked. */
  readonly nearMisses: number;
  /** The remedy overcame this error after another action, where the condition did not fire. */
  readonly missed: number;
  /** Supporting, of all in which it fired. */
  readonly precision: Proportion | undefined;
  /** Supporting, of all in which the lesson was of use. */
  readonly recall: Proportion | undefined;
}
