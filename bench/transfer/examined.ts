import type { Verdict } from '../../src/evidence/predicate/check.schema.js';
import { type Halves, halfOf } from '../../src/evolve/evidence/halves.js';
import type { RecordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import type { ExaminedCandidate, FamilyFindings } from '../../src/evolve/examination/family-examination.js';

/** A family with what the product found out about it, from the executions that it read. */
export interface ExaminedFamily extends FamilyFindings {
  readonly halves: Halves<RecordedExecution>;
}

/** Returns whether the candidate was learned without the execution. */
export function isHeldOut(
  { heldOut }: Pick<ExaminedCandidate, 'heldOut'>,
  { halves, split }: ExaminedFamily,
  { id, origin }: Pick<RecordedExecution, 'id' | 'origin'>,
): boolean {
  if (heldOut === undefined) return false;
  return split === 'time' ? halves[heldOut].some((one) => one.id === id) : halfOf(origin) === heldOut;
}

/** Candidates with one key are one lesson. */
export interface ExaminedLesson {
  readonly key: string;
  /** The strongest of its candidates. */
  readonly verdict: Verdict;
  readonly candidates: readonly { readonly candidate: ExaminedCandidate; readonly of: ExaminedFamily }[];
}

/** The strongest first. */
const STRENGTH: readonly Verdict[] = ['confirmed', 'observed', 'undecided', 'refuted'];

/** Returns the strongest verdict; a lesson without a candidate is undecided. */
export function strongest(verdicts: readonly Verdict[]): Verdict {
  return STRENGTH.find((one) => verdicts.includes(one)) ?? 'undecided';
}

/** The lessons of a set, in the order in which their keys are first met. */
export function lessonsOf(families: readonly ExaminedFamily[]): ExaminedLesson[] {
  const byKey = new Map<string, { candidate: ExaminedCandidate; of: ExaminedFamily }[]>();
  for (const of of families)
    for (const candidate of of.candidates) {
      const known = byKey.get(candidate.key);
      if (known === undefined) byKey.set(candidate.key, [{ candidate, of }]);
      else known.push({ candidate, of });
    }
  return [...byKey].map(([key, candidates]) => ({
    key,
    candidates,
    verdict: strongest(candidates.map(({ candidate }) => candidate.check.verdict)),
  }));
}
