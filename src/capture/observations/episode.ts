/** A later call for the same goal, as the learning core reads it. */
export interface Trial {
  worked: boolean;
  /** Indexes into the report's calls: of the failed call and of this one. */
  from: number;
  at: number;
  /** The keys of what is different about it and of the steps before it, as `featureKey` returns them. */
  features: string[];
  /** Set if it passed only because a check was skipped or its result thrown away. It is no remedy. */
  skipsCheck?: true;
}

/** All failures of one execution that are alike, by action, error class and template, with the remedies that were tried. */
export interface Episode {
  tool: string;
  coarse: string;
  errorClass: string;
  template: string;
  failures: number;
  trials: Trial[];
}

/** The limits of what is kept. `trials`: that do the same, `variants`: of one action and error class. */
export const OBSERVATION_SETTINGS = { trials: 3, episodes: 250, variants: 80 } as const;
