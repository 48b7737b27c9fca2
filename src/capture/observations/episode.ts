import type { ErrorKind } from '../errors/error-kind.js';
import type { Approach } from './trial.js';
import type { UsedDanger } from './trial-dangers.js';

/** A later call with the same goal, and whether it overcame the failure. */
export interface Trial extends Approach {
  worked: boolean;
  /** Indexes into the report's calls: of the failed call, of this one, and of those between that prepared it. */
  from: number;
  at: number;
  via?: number[];
  /** Set if it passed only because a check was skipped or its result thrown away. It is no remedy. */
  skipsCheck?: true;
  /** For the same action again: the steps in between, as {@link stepsBetween} returns them. */
  after?: string;
  /** Set if it skipped a check, turned a protection off or changed a source. */
  dangers?: UsedDanger[];
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
 * How many calls after a failure a remedy may come, how many calls after it the failure must not recur, and the limits
 * of what is kept. `variants`: of one action and error class at one granularity, and `forms`: of one action of a tool,
 * since each statement of a generated list can have another table.
 */
export const OBSERVATION_SETTINGS = {
  remedyWithin: 5,
  quietFor: 5,
  trialsPerApproach: 3,
  episodes: 500,
  variants: 80,
  forms: 200,
} as const;
