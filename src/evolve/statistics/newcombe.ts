import { type Proportion, wilson } from './wilson.js';

/** A difference of two shares, -1..1, with its 95 % interval. */
export interface Difference {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Tries, and those that worked. */
export interface Tries {
  readonly worked: number;
  readonly n: number;
}

/**
 * Returns the difference of two independent shares, `a` less `b`, with the interval that combines their Wilson
 * intervals (R. G. Newcombe 1998, method 10). Null without tries on both sides.
 */
export function newcombe(a: Tries, b: Tries): Difference | null {
  if (a.n === 0 || b.n === 0) return null;
  const [first, second] = [wilson(a.worked, a.n), wilson(b.worked, b.n)];
  const value = first.rate - second.rate;
  return {
    value,
    low: value - Math.hypot(below(first), above(second)),
    high: value + Math.hypot(above(first), below(second)),
  };
}

const below = ({ rate, lower }: Proportion): number => rate - lower;
const above = ({ rate, upper }: Proportion): number => upper - rate;
