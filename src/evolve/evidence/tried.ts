import type { ArmKind } from '../../evidence/predicate/check.schema.js';
import type { RecordedExecution } from './recorded-execution.js';

/** For each call of an execution the place of the call whose outcome it has: its own, unless outcomes are shuffled. */
export type OutcomeOrder = Readonly<Uint32Array>;

/** Whether the first try on either side worked; a side without a try whose result is known is missing. */
export interface Tried {
  readonly with?: boolean;
  readonly without?: boolean;
}

/** A comparison, ready for executions. */
export interface Arms {
  readonly kind: ArmKind;
  /** Searches the texts of an execution once. Undefined if it can enter no arm, whatever its outcomes. */
  over(execution: RecordedExecution): ArmsOfExecution | undefined;
}

export type ArmsOfExecution = (outcomes: OutcomeOrder) => Tried;

/** Names the sides that have a try. */
export const sides = (following: boolean | undefined, other: boolean | undefined): Tried => ({
  ...(following === undefined ? {} : { with: following }),
  ...(other === undefined ? {} : { without: other }),
});
