import type { ErrorKind } from '../../capture/errors/error-kind.js';
import { type Proportion, wilson } from '../statistics/wilson.js';
import type { Pattern } from './pattern.js';

interface RepeatTally {
  successes: number;
  n: number;
}

/**
 * How often repeating the same action works in a window, by kind of error. Gives the expectation for failures that were
 * hardly ever repeated: a wrong path stays wrong in any tool, a failed test may pass.
 */
export class RepeatRates {
  private readonly all: RepeatTally = { successes: 0, n: 0 };
  private readonly byKind = new Map<ErrorKind, RepeatTally>();

  /**
   * Every failure is in exactly one pattern by action and error class; the other granularities contain the same
   * failures.
   */
  constructor(patterns: readonly Pattern[]) {
    for (const { granularity, kind, contrast } of patterns) {
      if (granularity !== 'class') continue;
      add(this.all, contrast.repeat, 1);
      if (kind === undefined) continue;
      const known = this.byKind.get(kind) ?? { successes: 0, n: 0 };
      this.byKind.set(kind, known);
      add(known, contrast.repeat, 1);
    }
  }

  /**
   * Returns the rate after other failures of the same kind, or after all others if there is no kind. Excludes what the
   * pattern itself saw.
   */
  excluding({ kind, contrast }: Pick<Pattern, 'kind' | 'contrast'>): Proportion {
    const rest = { ...(kind === undefined ? this.all : (this.byKind.get(kind) ?? this.all)) };
    add(rest, contrast.repeat, -1);
    const n = Math.max(0, rest.n);
    return wilson(Math.min(n, Math.max(0, rest.successes)), n);
  }
}

function add(tally: RepeatTally, { successes, n }: Proportion, times: 1 | -1): void {
  tally.successes += times * successes;
  tally.n += times * n;
}
