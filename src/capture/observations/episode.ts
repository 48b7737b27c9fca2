import type { ErrorKind } from '../errors/error-kind.js';

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
 * How precisely failures are distinguished: by the kind of error alone, for any action (`kind`); by action and error
 * class (`class`); or also by the error's template (`template`). Every failure is observed at each granularity that
 * applies. Families are built from templates; private lessons and the effect use classes, the backtest kinds as well.
 */
export type Granularity = 'kind' | 'class' | 'template';
export const GRANULARITIES: readonly Granularity[] = ['kind', 'class', 'template'];

/** All failures of one kind in one execution, with the remedies that were tried. */
export interface Episode {
  granularity: Granularity;
  tool: string;
  purpose: string;
  coarse: string;
  errorClass: string;
  template: string;
  /** The kind of the error if it has a name. */
  kind?: ErrorKind;
  failures: number;
  /** Index of the first failed call in the report. */
  at: number;
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
