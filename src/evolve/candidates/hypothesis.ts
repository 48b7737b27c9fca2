import type { Matcher, Predicate } from '../../evidence/predicate/predicate.schema.js';
import type { Candidate } from '../evidence/candidate.js';
import type { Firing } from './firing.js';

/** A candidate before anything was counted. */
export interface Hypothesis {
  /** What it changes: the words of a call, a step before it, or the whole action. */
  readonly kind: 'form' | 'step' | 'action' | 'value';
  /** How the observations name the approach, unless the tries say more. */
  readonly how: Candidate['how'];
  readonly action: string;
  readonly taught: readonly string[];
  readonly avoided: readonly string[];
  readonly predicate: Predicate;
  /** What it means apart from the failure: part of the key, if the words alone are ambiguous. */
  readonly context: string;
  /** What it teaches, if its words do not say it: several steps that stand for each other. */
  readonly teaching?: string;
}

/** What all sources of hypotheses read. */
export interface Sample {
  readonly firings: readonly Firing[];
  /** One of each execution. */
  readonly first: readonly Firing[];
  readonly when: readonly Matcher[];
  /** The condition of a part of the failures. */
  readonly conditionOf: (firings: readonly Firing[]) => readonly Matcher[];
  /** Origins that a word must be seen in. */
  readonly minOrigins: number;
  readonly countSkippedChecks: boolean;
}

/** The goal that most failures have. */
export const IS_SAME: Matcher = { sameAction: true };
