import type { Binding } from '../../evidence/predicate/check.schema.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';

/** A live skill as far as it can say the same as another one. */
export interface ApprovedSkill {
  /** The id of the live version in org memory. */
  readonly memoryId: string;
  readonly skillName: string;
  readonly version: number;
  readonly title: string;
  /** The families of failures that it is about. */
  readonly fingerprints: readonly string[];
  /** Tool, action and error that it is about. */
  readonly applicability: string;
  readonly condition: string;
  readonly action: string;
  readonly steps: readonly string[];
  readonly binding?: Binding | undefined;
  readonly predicate?: Predicate | undefined;
  readonly isGate: boolean;
  /** Rules wrote condition, action and steps, so that the predicate says all that they say. */
  readonly isByRules: boolean;
  /** The groups of agents that it was learned from; empty: the whole organisation. */
  readonly audience: readonly { readonly department: string | null; readonly role: string | null }[];
  readonly isConfirmed: boolean;
  readonly agents: number;
  readonly executions: number;
}
