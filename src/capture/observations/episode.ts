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

/**
 * How precisely failures are distinguished: by action and error class (`class`), or also by the error's template
 * (`template`). Every failure is observed at both. Families are built from templates; private lessons, promotion and the
 * effect use classes.
 */
export type Granularity = 'class' | 'template';
export const GRANULARITIES: readonly Granularity[] = ['class', 'template'];

/** All failures of one execution that are alike, with the remedies that were tried. */
export interface Episode {
  granularity: Granularity;
  tool: string;
  coarse: string;
  errorClass: string;
  template: string;
  failures: number;
  trials: Trial[];
}

/**
 * The limits of what is kept. `trials`: that do the same, `variants`: of one action and error class at one granularity, and
 * `forms`: of one action of a tool, since each statement of a generated list can have another table.
 */
export const OBSERVATION_SETTINGS = {
  trials: 3,
  episodes: 500,
  variants: 80,
  forms: 200,
} as const;
