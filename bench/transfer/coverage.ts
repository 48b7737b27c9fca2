import type { Predicate } from '../../src/evidence/predicate/predicate.schema.js';
import { covers } from '../../src/evolve/evidence/check.js';
import { halfOf } from '../../src/evolve/evidence/halves.js';
import type { RecordedCall, RecordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { candidatesOf } from '../../src/evolve/examination/candidates.js';
import type { ExaminedCandidate } from '../../src/evolve/examination/family-examination.js';
import type { SetExecution } from '../sets/set-reader.js';
import { type ExaminedFamily, type ExaminedLesson, isHeldOut } from './examined.js';
import { type FailureOutcome, failuresOf } from './recoverable.js';

/** An execution of a set with what the product made of it. */
export interface MeasuredExecution {
  readonly read: Pick<SetExecution, 'row'>;
  readonly recorded: RecordedExecution;
}

/** Failures of executions, and how many of them lessons cover. */
export interface Coverage {
  readonly errors: number;
  readonly recoverable: number;
  readonly covered: number;
  readonly coveredRecoverable: number;
}

/** Which failures count. */
export interface CoverageRules {
  /** A candidate that was learned from all executions counts on all of them. By default none does. */
  readonly isInSample?: (candidate: ExaminedCandidate) => boolean;
  /** Only these failures; `call` is undefined if the report does not hold it. By default all. */
  readonly counts?: (execution: RecordedExecution, call: RecordedCall | undefined) => boolean;
}

/**
 * Counts the failures of executions, those that are recoverable, and those that a lesson covers: the failed call matches
 * the condition of one of its candidates, which was not learned from this execution. A failure that the report of an
 * execution does not hold is covered by no lesson.
 */
export function coverageOf(
  executions: readonly MeasuredExecution[],
  lessons: readonly ExaminedLesson[],
  { isInSample = () => false, counts = () => true }: CoverageRules = {},
): Coverage {
  const conditions = lessons.flatMap(({ candidates }) =>
    candidates.flatMap(({ candidate, of }) =>
      isInSample(candidate) ? inSample(candidate) : conditionsOf(candidate, of),
    ),
  );
  const count = { errors: 0, recoverable: 0, covered: 0, coveredRecoverable: 0 };
  for (const { read, recorded } of executions) {
    const own = conditions.filter((condition) => condition.isHeldOut(recorded));
    const calls = new Map(recorded.calls.map((call) => [call.index, call]));
    for (const { at, by } of failuresInReport(read)) {
      const call = calls.get(at);
      if (!counts(recorded, call)) continue;
      const isCovered = call !== undefined && own.some((condition) => condition.isCovered(call));
      count.errors += 1;
      count.recoverable += Number(by !== undefined);
      count.covered += Number(isCovered);
      count.coveredRecoverable += Number(isCovered && by !== undefined);
    }
  }
  return count;
}

/** What a lesson says, for the executions that it was not learned from. */
export interface Condition {
  readonly predicate: Predicate;
  readonly isCovered: (call: RecordedCall) => boolean;
  readonly isHeldOut: (execution: RecordedExecution) => boolean;
}

const inSample = ({ predicate }: ExaminedCandidate): Condition[] => [conditionOf(predicate, () => true)];

const conditionOf = (predicate: Predicate, isHeldOut: Condition['isHeldOut']): Condition => ({
  predicate,
  isCovered: covers(predicate),
  isHeldOut,
});

/**
 * The condition of a candidate for the half that it was not learned from, and for the other half the condition of the
 * candidate that the product learns from the first one, if it teaches the same.
 */
export function conditionsOf(candidate: ExaminedCandidate, of: ExaminedFamily): Condition[] {
  const own = conditionOf(candidate.predicate, (one) => isHeldOut(candidate, of, one));
  const { heldOut } = candidate;
  if (heldOut === undefined || of.split === 'time') return [own];
  const { isMember, halves } = of;
  const learned = candidatesOf({ isMember, executions: halves[heldOut] });
  const twin = learned.find(({ key }) => key === candidate.key);
  if (twin === undefined) return [own];
  return [own, conditionOf(twin.predicate, ({ origin }) => halfOf(origin) !== heldOut)];
}

/** The failures with the places of their calls in the report, which holds no call without a result. */
export function failuresInReport({ row: { calls } }: MeasuredExecution['read']): FailureOutcome[] {
  let unknown = 0;
  const inReport = calls.map(({ ok }, at) => {
    unknown += Number(ok === undefined);
    return at - unknown;
  });
  return failuresOf(calls).map((one) => ({ ...one, at: inReport[one.at] ?? one.at }));
}

/** A share of nothing is 0. */
export const shareOf = (part: number, all: number): number => (all === 0 ? 0 : part / all);
