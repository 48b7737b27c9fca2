import type { ErrorKind } from '../../capture/errors/error-kind.js';
import { type Proportion, wilson } from '../statistics/wilson.js';
import type { Pattern } from './pattern.js';

interface RepeatTally {
  successes: number;
  n: number;
}

/**
 * How doing the same again goes in a window, by the kind of error: what to expect of it where hardly anybody tried. A
 * wrong path stays wrong, whichever tool it is given to; a test that failed may pass.
 */
export class RepeatRates {
  private readonly all: RepeatTally = { successes: 0, n: 0 };
  private readonly byKind = new Map<ErrorKind, RepeatTally>();

  /** Every failure is in one pattern by action and error class; the other granularities hold the same failures again. */
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

  /** After other failures of its kind; of no kind, after all others. What the pattern itself saw is not counted twice. */
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
