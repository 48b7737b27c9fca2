import type { Proportion } from '../statistics/wilson.js';

/** What the activation condition of a proposal would have done in executions that did not make it. */
export interface BacktestResult {
  verdict: 'tested' | 'not_enough_evidence';
  /** Executions that it was tested on, of all that were read. */
  tested: number;
  read: number;
  /** The condition fired, and the failure came. */
  supporting: number;
  /** The condition fired, and the advice was not needed: nothing of the kind happened, or doing the same again worked. */
  nearMisses: number;
  /** The remedy overcame this error after another action, where the condition did not fire. */
  missed: number;
  /** Supporting, of all in which it fired. */
  precision: Proportion | undefined;
  /** Supporting, of all in which the lesson was of use. */
  recall: Proportion | undefined;
}
