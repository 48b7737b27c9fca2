import type { ArmKind } from '../../evidence/predicate/check.schema.js';
import type { RecordedExecution } from './recorded-execution.js';

/** For each call of an execution the place of the call whose outcome it has: its own, unless outcomes are shuffled. */
export type OutcomeOrder = Readonly<Uint32Array>;

/** Whether the first try on either side worked; a side without a try whose result is known is missing. */
export interface Tried {
  readonly with?: boolean | undefined;
  readonly without?: boolean | undefined;
}

/** A comparison, ready for executions. */
export interface Arms {
  readonly kind: ArmKind;
  /** Searches the texts of an execution once. Undefined if it can enter no arm, whatever its outcomes. */
  over(execution: RecordedExecution): ArmsOfExecution | undefined;
}

/** The places of the first tries among the calls. They do not depend on the outcomes, which may be those of others. */
export interface ArmsOfExecution {
  readonly with: number | undefined;
  readonly without: number | undefined;
  /** By call, whether it worked; undefined: its outcome stays where it is. */
  readonly known: readonly (boolean | undefined)[];
  /** By call, what its outcome says about a try. */
  readonly results: readonly (boolean | undefined)[];
}

/** What the tries say, with the outcomes in their own order or in another one. */
export function triedBy(arms: ArmsOfExecution, order?: OutcomeOrder): Tried {
  const result = (at: number | undefined) => (at === undefined ? undefined : arms.results[order?.[at] ?? at]);
  return { with: result(arms.with), without: result(arms.without) };
}
