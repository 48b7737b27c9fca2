import { learningCalls } from '../../src/capture/observations/learning-calls.js';
import { parsedCalls } from '../../src/capture/observations/observation.js';
import type { Verdict } from '../../src/evidence/predicate/check.schema.js';
import type { RecordedCall, RecordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { seededRandom, shuffle } from '../../src/evolve/statistics/seeded-random.js';
import { follows } from '../../src/learning/lessons/claim.js';
import { casesOf } from '../../src/learning/recoveries/case.js';
import { outcomeOf } from '../../src/learning/recoveries/own-remedy.js';
import { clip } from '../../src/untrusted/text/clip.js';
import { escapeInvisible } from '../../src/untrusted/text/escape-invisible.js';
import { conditionsOf } from './coverage.js';
import type { ExaminedLesson } from './examined.js';

/** A failure that its run overcame as the learning core sees it, and what lessons learned without it say about it. */
export interface OvercomeFailure {
  readonly executionId: string;
  readonly failed: RecordedCall;
  /** As the report has it, also where the failure is not learnable. */
  readonly error: string;
  /** The steps, then the call that worked. */
  readonly taken: readonly RecordedCall[];
  /** Verdicts of the candidates that match the failed call, and of those that also say what overcame it. */
  readonly matchedBy: ReadonlySet<Verdict>;
  readonly saidBy: ReadonlySet<Verdict>;
}

/** The failures that {@link outcomeOf} calls overcome, in order, against the confirmed and observed candidates of lessons. */
export function overcomeFailures(
  executions: readonly RecordedExecution[],
  lessons: readonly ExaminedLesson[],
): OvercomeFailure[] {
  const known = lessons
    .flatMap(({ candidates }) => candidates)
    .filter(({ candidate: { check } }) => check.verdict === 'confirmed' || check.verdict === 'observed')
    .flatMap(({ candidate, of }) => conditionsOf(candidate, of).map((one) => ({ ...one, candidate })))
    .map((one) => ({ ...one, verdict: one.candidate.check.verdict, learned: one.predicate.learned }));
  return executions.flatMap((execution) => {
    const { toolCalls } = execution.source.report;
    const { calls } = execution;
    const own = known.filter(({ isHeldOut }) => isHeldOut(execution));
    return casesOf(learningCalls(toolCalls, parsedCalls({ toolCalls }))).flatMap((one) => {
      const outcome = outcomeOf(one);
      const failed = calls[one.failed.at];
      if (outcome.kind !== 'overcome' || failed === undefined) return [];
      const places = [...outcome.steps, outcome.taken.call.at];
      const matched = own.filter(({ isCovered }) => isCovered(failed));
      const { errorLine, errorMessage = '' } = toolCalls[failed.index] ?? {};
      return {
        executionId: execution.id,
        failed,
        error: errorLine ?? errorMessage,
        taken: places.flatMap((at) => calls[at] ?? []),
        matchedBy: new Set(matched.map(({ verdict }) => verdict)),
        saidBy: new Set(
          matched
            .filter(({ learned }) => learned && follows(learned.follow, outcome.taken))
            .map(({ verdict }) => verdict),
        ),
      };
    });
  });
}

const LONGEST_TEXT = 1_000;

/**
 * At most `most` of the failures of which no confirmed lesson says what overcame them, as text: drawn with `seed`, in
 * the order of the set.
 */
export function uncoveredText(name: string, all: readonly OvercomeFailure[], most: number, seed: number): string {
  const uncovered = all.filter(({ saidBy }) => !saidBy.has('confirmed'));
  const places = [...uncovered.keys()];
  shuffle(places, seededRandom(seed + 1));
  const drawn = places.slice(0, most).sort((a, b) => a - b);
  const parts = drawn.flatMap((at, number) => {
    const one = uncovered[at];
    return one === undefined ? [] : [`## ${name} ${number + 1}: ${failureText(one)}`];
  });
  return [`# ${name}: ${drawn.length} of ${uncovered.length} uncovered failures`, ...parts, ''].join('\n\n');
}

function failureText({ executionId, failed, error, taken, matchedBy, saidBy }: OvercomeFailure): string {
  const standing = saidBy.has('observed')
    ? 'an observed lesson says it'
    : matchedBy.size > 0
      ? 'lessons match and say something else'
      : 'no lesson matches';
  const line = (label: string, text: string): string =>
    `${label}: ${escapeInvisible(clip(text, LONGEST_TEXT)).replaceAll('\n', '\n  ')}`;
  const call = (label: string, { index, tool, text }: RecordedCall): string =>
    line(`${label} (call ${index}, ${tool})`, text);
  return [
    standing,
    `execution: ${executionId}`,
    call('failed', failed),
    line('error', error),
    ...taken.slice(0, -1).map((one) => call('step', one)),
    ...taken.slice(-1).map((one) => call('worked', one)),
  ].join('\n');
}
