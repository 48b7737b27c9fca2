import type { Proportion } from '../statistics/wilson.js';

/** What the activation condition of a draft would have done in executions that the draft was not made from. */
export interface BacktestResult {
  readonly verdict: 'tested' | 'not_enough_evidence';
  /** Executions tested, out of all executions read. */
  readonly tested: number;
  readonly read: number;
  /** The condition fired, and the failure occurred. */
  readonly supporting: number;
  /** The condition fired, and the advice was not needed: no such failure occurred, or repeating worked. */
  readonly nearMisses: number;
  /** The condition did not fire, and the remedy overcame this error after another action. */
  readonly missed: number;
  /** Supporting executions, out of all in which it fired. */
  readonly precision: Proportion | undefined;
  /** Supporting executions, out of all in which the lesson would have helped. */
  readonly recall: Proportion | undefined;
}
