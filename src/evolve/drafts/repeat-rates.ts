import { type ErrorKind, errorKind } from '../../capture/errors/error-kind.js';
import type { FamilyFindings } from '../examination/family-examination.js';
import type { FamilyOutcomes } from '../examination/family-outcomes.js';
import type { Proportion } from '../statistics/wilson.js';

interface RepeatTally {
  worked: number;
  n: number;
}

/**
 * How often repeating the same call works in a window, by kind of error. Gives the expectation for failures that were
 * hardly ever repeated: a wrong path stays wrong in any tool, a failed test may pass.
 */
export class RepeatRates {
  private readonly all: RepeatTally = { worked: 0, n: 0 };
  private readonly byKind = new Map<ErrorKind, RepeatTally>();

  constructor(findings: readonly FamilyFindings[]) {
    for (const one of findings) {
      add(this.all, one.outcomes.repeats, 1);
      const kind = kindOf(one);
      if (kind === undefined) continue;
      const known = this.byKind.get(kind) ?? { worked: 0, n: 0 };
      this.byKind.set(kind, known);
      add(known, one.outcomes.repeats, 1);
    }
  }

  /**
   * Returns the rate after other failures of the same kind, or after all others if there is no kind. Excludes what the
   * family itself saw.
   */
  excluding(findings: FamilyFindings): Pick<Proportion, 'successes' | 'n'> {
    const kind = kindOf(findings);
    const rest = { ...(kind === undefined ? this.all : (this.byKind.get(kind) ?? this.all)) };
    add(rest, findings.outcomes.repeats, -1);
    const n = Math.max(0, rest.n);
    return { successes: Math.min(n, Math.max(0, rest.worked)), n };
  }
}

function kindOf({ family: { errorClasses, signature } }: FamilyFindings): ErrorKind | undefined {
  return errorKind(errorClasses[0] ?? '', signature);
}

function add(tally: RepeatTally, { worked, n }: FamilyOutcomes['repeats'], times: 1 | -1): void {
  tally.worked += times * worked;
  tally.n += times * n;
}
