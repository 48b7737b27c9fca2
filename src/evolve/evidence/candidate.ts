import type { Binding, Check } from '../../evidence/predicate/check.schema.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import type { PatternEvidence } from '../support/pattern-evidence.js';

/** Failures that are one problem: their decisive error lines say the same, apart from values. */
export interface Family {
  /** `sha256:…`; stable over cycles as long as its most frequent error line is the same. */
  readonly fingerprint: string;
  /** The most frequent template of its error lines. */
  readonly signature: string;
  /** All templates of the family. */
  readonly templates: ReadonlySet<string>;
  /** The fingerprints of its failures, by which stored observations and private lessons name them. */
  readonly fingerprints: readonly string[];
  /** Tools, actions and error classes of the failures, the most frequent first. */
  readonly tools: readonly string[];
  readonly actions: readonly string[];
  readonly errorClasses: readonly string[];
  /** Set if all its executions are of one project. */
  readonly project?: string;
  /** Executions of the window with the failure, by their agents, owners and origins. */
  readonly evidence: PatternEvidence;
  /** The evidence by failing action, if it is counted so. */
  readonly evidenceByAction?: ReadonlyMap<string, PatternEvidence>;
}

/** A hypothesis of the rules writer: when this failure occurs, that call overcomes it. */
export interface Candidate {
  /** What it teaches, apart from the failure: candidates with one key are one lesson. */
  readonly key: string;
  readonly how: 'replace' | 'omit' | 'prepare';
  /** The taught action in the form of the observations: coarse, or fine if flags or operands make the difference. */
  readonly action: string;
  /** The action as shown in a table. */
  readonly label: string;
  /** The words, flags, keys or values that the calls which worked have, and those that only failed calls have. */
  readonly taught: readonly string[];
  readonly avoided: readonly string[];
  readonly predicate: Predicate;
  /** The one action that its failures have; undefined if they have several. */
  readonly failingAction?: string | undefined;
}

/** A candidate after its check. */
export interface CheckedCandidate extends Candidate {
  readonly check: Check;
  readonly binding: Binding;
}
