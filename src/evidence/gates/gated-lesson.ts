/** A lesson as the gates read it, of a person, a rule or a model. */
export interface GatedLesson {
  readonly title: string;
  readonly condition: string;
  readonly cause?: string;
  /** Why it helps. */
  readonly rationale?: string;
  readonly steps: readonly string[];
  readonly gotchas: readonly string[];
  readonly tags?: readonly string[];
  readonly action?: string;
  /** The call that failed, and the call that the lesson recommends. */
  readonly example?: { readonly before: string; readonly after: string };
}

/** Why a gate stops a lesson, or what the lesson must say besides. */
export interface GateFinding {
  readonly gate: 'grounding' | 'lint';
  /** Dotted path of the text, such as `steps.1`. */
  readonly part: string;
  /** The words that the gate objects to. */
  readonly text: string;
  readonly reason: string;
  /** `refuse`: the lesson must not be proposed. `limit`: it must say where it holds, and a reviewer sees why. */
  readonly severity: 'refuse' | 'limit';
}
