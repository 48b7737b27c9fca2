import { type Binding, type Check, pairOf } from '../../evidence/predicate/check.schema.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';

/** A live skill, or a verified lesson of the agent, that can answer a failed call. */
export interface Advisable {
  /** Id of the memory. */
  readonly id: string;
  readonly predicate: Predicate;
  readonly binding?: Binding | undefined;
  /** Orders those that match one call: the lower end of the difference that was counted, between -1 and 1. */
  readonly strength: number;
}

/** What was counted for a lesson says how strongly it is advised; without a comparison the weakest. */
export function strengthOf(check: Check): number {
  const deciding = check.comparisons.find(({ kind }) => kind === check.by);
  if (deciding?.difference) return deciding.difference.low;
  const { with: tried } = pairOf(check);
  return tried.n === 0 ? -1 : 0;
}
