import type { Verdict } from '../../src/evidence/predicate/check.schema.js';
import { CYCLE_DEFAULTS } from '../../src/evolve/cycle/cycle.js';
import { halfOf } from '../../src/evolve/evidence/halves.js';
import type { RecordedCall, RecordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { bestOfEach, type ExaminedCandidate, RULES } from '../../src/evolve/examination/examined-candidate.js';
import { withWinners } from '../../src/evolve/examination/writer-competition.js';
import { type CoverageRules, coverageOf, type MeasuredExecution, shareOf } from '../transfer/coverage.js';
import { type ExaminedFamily, type ExaminedLesson, isHeldOut, lessonsOf } from '../transfer/examined.js';
import { onlyOf } from '../transfer/measure-set.js';
import { shuffledNull } from '../transfer/shuffled-null.js';

/** Figures of the lessons of one writer, or of two; shares are between 0 and 1. */
export interface WriterFigures {
  readonly confirmed: number;
  readonly observed: number;
  readonly undecided: number;
  readonly refuted: number;
  /** Of the failures that count, by confirmed lessons. */
  readonly covered: number;
  readonly coveredRecoverable: number;
  /** Lessons confirmed per cycle over shuffled outcomes, with the 95 % interval. */
  readonly null: number;
  readonly nullInterval: readonly [low: number, high: number];
}

/** What a model wrote about a family, after the check. */
export interface WrittenFamily {
  readonly of: ExaminedFamily;
  readonly learnedFrom: 'a' | 'b';
  readonly candidates: readonly ExaminedCandidate[];
}

export interface WrittenSet {
  readonly measured: readonly MeasuredExecution[];
  readonly families: readonly ExaminedFamily[];
  readonly written: readonly WrittenFamily[];
  /** The dossiers were built from all executions of the set, so that no half is unseen. */
  readonly inSample: boolean;
  readonly draws: number;
  readonly seed: number;
}

/** The figures of what the model wrote, of the rules, and of both together, on the same failures. */
export interface WrittenFigures {
  readonly written: WriterFigures;
  readonly both: WriterFigures;
  readonly rulesThere: WriterFigures;
  /** Failures that count, and those of them that are recoverable. */
  readonly errors: number;
  readonly recoverable: number;
}

/**
 * Measures what a model wrote. In sample all failures count for it. Otherwise those count that no answer about their family
 * was learned from; failures of no family count in the half that most answers are checked on. Both: of every family the
 * candidates of both writers as the product merges them.
 */
export function measureWritten(set: WrittenSet): WrittenFigures {
  const { measured, families, written, inSample } = set;
  const rules: CoverageRules = inSample
    ? { isInSample: ({ by }) => by !== RULES }
    : { counts: unseen(families, written) };
  const ofModel = byFamily(families, written, []);
  const ofBoth = byFamily(families, written, families);
  const all = coverageOf(measured, [], rules);
  return {
    written: figuresOf(lessonsOf(ofModel), set, rules),
    both: figuresOf(lessonsOf(ofBoth), set, rules),
    rulesThere: figuresOf(lessonsOf(families), set, rules),
    errors: all.errors,
    recoverable: all.recoverable,
  };
}

/** Each family with the candidates of the model, beside its own in `withRules`. */
function byFamily(
  families: readonly ExaminedFamily[],
  written: readonly WrittenFamily[],
  withRules: readonly ExaminedFamily[],
): ExaminedFamily[] {
  return families.map((of) => {
    const ofModel = written.filter((one) => one.of === of).flatMap(({ candidates }) => candidates);
    const ofRules = withRules.includes(of) ? of.candidates : [];
    if (ofModel.length === 0) return { ...of, candidates: ofRules };
    const best = withWinners(bestOfEach([...ofModel, ...ofRules]), CYCLE_DEFAULTS.minOwnersForPattern);
    return { ...of, candidates: best.filter(({ lostTo }) => lostTo === undefined) };
  });
}

function figuresOf(
  lessons: readonly ExaminedLesson[],
  { measured, draws, seed }: WrittenSet,
  rules: CoverageRules,
): WriterFigures {
  const count = (verdict: Verdict): number => lessons.filter((one) => one.verdict === verdict).length;
  const confirmed = lessons.filter(({ verdict }) => verdict === 'confirmed');
  const by = coverageOf(measured, onlyOf(confirmed, ['confirmed']), rules);
  const chance = shuffledNull(lessons, draws, seed + 1);
  return {
    confirmed: confirmed.length,
    observed: count('observed'),
    undecided: count('undecided'),
    refuted: count('refuted'),
    covered: shareOf(by.covered, by.errors),
    coveredRecoverable: shareOf(by.coveredRecoverable, by.recoverable),
    null: chance.mean,
    nullInterval: chance.interval,
  };
}

/** Returns whether a failure is in the half that the answer about its family was not learned from. */
function unseen(
  families: readonly ExaminedFamily[],
  written: readonly WrittenFamily[],
): (execution: RecordedExecution, call: RecordedCall | undefined) => boolean {
  const halves = new Map(written.map(({ of, learnedFrom }) => [of, learnedFrom]));
  const fromB = written.filter(({ learnedFrom }) => learnedFrom === 'b').length;
  const usual = fromB * 2 > written.length ? 'b' : 'a';
  return (execution, call) => {
    const of = call && families.find((one) => one.isMember(call));
    const learnedFrom = (of && halves.get(of)) ?? usual;
    if (of === undefined) return halfOf(execution.origin) !== learnedFrom;
    // the candidates of a family are held out in one half each
    return isHeldOut({ heldOut: learnedFrom === 'a' ? 'b' : 'a' }, of, execution);
  };
}
