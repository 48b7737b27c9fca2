import type { Check, Verdict } from '../../src/evidence/predicate/check.schema.js';
import { type RecordedExecution, recordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { type ObservedExecution, observeStored } from '../fidelity/product-lessons.js';
import type { ReadSet } from '../sets/set-reader.js';
import { type HeldCandidate, heldCandidates } from './calibration.js';
import { coverageOf, shareOf } from './coverage.js';
import { type ExaminedFamily, type ExaminedLesson, lessonsOf } from './examined.js';
import { minedNull, type Proposed, proposalsOf } from './mined-null.js';
import { type OvercomeFailure, overcomeFailures } from './overcome-failures.js';
import { shuffledNull } from './shuffled-null.js';
import { skippedCheckOf } from './skips-check.js';

/** How many lessons stay confirmed whichever agent, or harness, is left out; `of`: those with more than one. */
export interface LeftOut {
  readonly confirmed: number;
  readonly of: number;
}

/** What whole cycles propose: of the set as it is, and in the mean of cycles over shuffled outcomes. */
export interface MinedFigures {
  readonly proposed: Proposed;
  readonly nullConfirmed: number;
  readonly nullConfirmedInterval: readonly [low: number, high: number];
  readonly nullObserved: number;
  readonly nullObservedInterval: readonly [low: number, high: number];
}

/** The figures of one set; shares are between 0 and 1. Those of whole cycles are missing without any. */
export interface SetFigures extends Partial<MinedFigures> {
  readonly families: number;
  /** All failures of the set, and those that are recoverable. */
  readonly errors: number;
  readonly recoverable: number;
  readonly confirmed: number;
  readonly observed: number;
  readonly undecided: number;
  readonly refuted: number;
  /** Of the failures on the held-out half, by confirmed lessons. */
  readonly covered: number;
  readonly coveredRecoverable: number;
  /** The same, by confirmed and observed lessons. */
  readonly observedCovered: number;
  readonly observedCoveredRecoverable: number;
  /** Failures that their runs overcame, as the learning core sees it. */
  readonly overcome: number;
  /** Of these, those that a confirmed lesson matches; and those of which it also says what overcame them. */
  readonly strictCovered: number;
  readonly strictRecoverable: number;
  /** The same, by confirmed or observed lessons. */
  readonly observedStrictRecoverable: number;
  /** Lessons confirmed per cycle over shuffled outcomes, with candidates fixed. */
  readonly null: number;
  readonly nullInterval: readonly [low: number, high: number];
  readonly withoutOneAgent: LeftOut;
  readonly withoutOneHarness: LeftOut;
  readonly seconds: number;
}

export interface MeasuredSet {
  readonly figures: SetFigures;
  readonly lessons: readonly ExaminedLesson[];
  /** Lessons that reach the queue although they only skip a check: the key, and what skips it. */
  readonly bypasses: readonly { readonly key: string; readonly skips: string }[];
  readonly executions: readonly ObservedExecution[];
  /** The same with the calls as the product examines them, and the families that it found. */
  readonly measured: readonly { readonly read: ObservedExecution; readonly recorded: RecordedExecution }[];
  readonly families: readonly ExaminedFamily[];
  readonly overcome: readonly OvercomeFailure[];
  /** What candidates of other halves of the origins state, and how they do on the rest. */
  readonly calibration: readonly HeldCandidate[];
}

export interface MeasureOptions {
  readonly draws: number;
  /** Draws of halves for the calibration of confidence. */
  readonly calibrationDraws: number;
  /** Cycles over shuffled outcomes that choose their candidates. */
  readonly nullCycles: number;
  /** 0: the halves of the product. Any other number draws other halves of the origins. */
  readonly seed: number;
  readonly examine: (executions: readonly RecordedExecution[]) => readonly ExaminedFamily[];
  readonly progress: (text: string) => void;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Lets the product learn from one half of a set, and measures on the other half. */
export function measureSet(
  set: ReadSet,
  { draws, calibrationDraws, nullCycles, seed, examine, progress, now }: MeasureOptions,
): MeasuredSet {
  const started = now();
  const executions = set.executions.map((one) => withSeed(observeStored(one), seed));
  const measured = executions.map((read) => ({
    read,
    recorded: recordedExecution({ observed: read.observed, report: read.report }),
  }));
  progress(`${executions.length} executions, ${set.unknownResults} calls without a result`);
  const families = examine(measured.map(({ recorded }) => recorded));
  const lessons = lessonsOf(families);
  const count = (verdict: Verdict): number => lessons.filter((one) => one.verdict === verdict).length;
  progress(`${families.length} families, ${lessons.length} candidates, ${count('confirmed')} confirmed`);
  const confirmed = lessons.filter(({ verdict }) => verdict === 'confirmed');
  const queued = lessons.filter(({ verdict }) => verdict === 'confirmed' || verdict === 'observed');
  const all = coverageOf(measured, []);
  const by = coverageOf(measured, onlyOf(confirmed, ['confirmed']));
  const byQueued = coverageOf(measured, onlyOf(queued, ['confirmed', 'observed']));
  const chance = shuffledNull(lessons, draws, seed + 1);
  progress(`null over ${draws} shuffles: ${chance.mean.toFixed(3)} confirmed`);
  const recorded = measured.map((one) => one.recorded);
  const overcome = overcomeFailures(recorded, lessons);
  const strict = (isCounted: (one: OvercomeFailure) => boolean): number =>
    shareOf(overcome.filter(isCounted).length, overcome.length);
  const mined = minedFigures(executions, recorded, nullCycles, seed);
  return {
    executions,
    measured,
    families,
    overcome,
    lessons,
    calibration: Array.from({ length: calibrationDraws }, (_, n) =>
      heldCandidates(recorded, seed + n + 1, examine),
    ).flat(),
    bypasses: queued.flatMap((lesson) => bypassesOf(lesson)),
    figures: {
      families: families.length,
      errors: all.errors,
      recoverable: all.recoverable,
      confirmed: confirmed.length,
      observed: count('observed'),
      undecided: count('undecided'),
      refuted: count('refuted'),
      covered: shareOf(by.covered, by.errors),
      coveredRecoverable: shareOf(by.coveredRecoverable, by.recoverable),
      observedCovered: shareOf(byQueued.covered, byQueued.errors),
      observedCoveredRecoverable: shareOf(byQueued.coveredRecoverable, byQueued.recoverable),
      overcome: overcome.length,
      strictCovered: strict(({ matchedBy }) => matchedBy.has('confirmed')),
      strictRecoverable: strict(({ saidBy }) => saidBy.has('confirmed')),
      observedStrictRecoverable: strict(({ saidBy }) => saidBy.size > 0),
      null: chance.mean,
      nullInterval: chance.interval,
      ...mined,
      withoutOneAgent: leftOutOf(confirmed, ({ withoutOneAgent }) => withoutOneAgent),
      withoutOneHarness: leftOutOf(confirmed, ({ withoutOneHarness }) => withoutOneHarness),
      seconds: Math.round((now() - started) / 100) / 10,
    },
  };
}

function minedFigures(
  executions: readonly ObservedExecution[],
  recorded: readonly RecordedExecution[],
  cycles: number,
  seed: number,
): MinedFigures | undefined {
  if (cycles === 0) return undefined;
  const stored = executions.map(({ execution }) => execution);
  const { confirmed, observed } = minedNull(stored, recorded, { cycles, seed: seed + 1 });
  return {
    proposed: proposalsOf(stored),
    nullConfirmed: confirmed.mean,
    nullConfirmedInterval: confirmed.interval,
    nullObserved: observed.mean,
    nullObservedInterval: observed.interval,
  };
}

/** Another origin for the same task: the product splits executions by a hash of the origin. */
function withSeed(one: ObservedExecution, seed: number): ObservedExecution {
  if (seed === 0) return one;
  const { support } = one.observed;
  const origin = sha256(`${seed}\n${support.origin}`);
  return {
    ...one,
    execution: { ...one.execution, origin },
    observed: { ...one.observed, support: { ...support, origin } },
  };
}

/** A lesson covers what those of its candidates cover that have such a verdict. */
export const onlyOf = (lessons: readonly ExaminedLesson[], verdicts: readonly Verdict[]): ExaminedLesson[] =>
  lessons.map((lesson) => ({
    ...lesson,
    candidates: lesson.candidates.filter(({ candidate }) => verdicts.includes(candidate.check.verdict)),
  }));

function bypassesOf({ key, candidates }: ExaminedLesson): { key: string; skips: string }[] {
  const skips = candidates.flatMap(({ candidate }) => skippedCheckOf(candidate) ?? [])[0];
  return skips === undefined ? [] : [{ key, skips }];
}

function leftOutOf(lessons: readonly ExaminedLesson[], part: (check: Check) => Check['withoutOneAgent']): LeftOut {
  const found = lessons.flatMap(({ candidates }) => {
    const own = candidates
      .flatMap(({ candidate: { check } }) => (check.verdict === 'confirmed' ? (part(check) ?? []) : []))
      .filter(({ of }) => of > 0);
    return own.length === 0 ? [] : [own.some(({ confirmed, of }) => confirmed === of)];
  });
  return { confirmed: found.filter(Boolean).length, of: found.length };
}
