import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { namedIn } from '../../learning/calls/error-tokens.js';
import { SETS_UP } from '../../learning/calls/shell-line.js';
import type { Outcome } from '../../learning/recoveries/own-remedy.js';
import { isStep, SKIPS_CHECK } from '../../learning/recoveries/refused-remedy.js';
import { failureStage } from '../errors/error-kind.js';
import type { ToolCall } from '../report/execution-report.schema.js';
import { episodeFingerprint, remedyFingerprint } from './fingerprint.js';
import type { Obstacle } from './obstacle.schema.js';
import { privateCall, privateErrorLine, privateLine } from './private-call.js';
import { type ResolvedFailure, resolvedFailures } from './resolved-failures.js';

const MAX_OBSTACLES = 10;
const MAX_CALLS = 3;
const LONGEST_ACTION = 100;

/** What became of the failure, best first: a lesson is about the first obstacle. */
const ORDER: readonly Obstacle['outcome'][] = ['overcome', 'check_skipped', 'open', 'passed', 'repeated'];

/** The failures of an execution as obstacles: those that were overcome first, then the most frequent ones. */
export function obstaclesOf(calls: readonly ToolCall[]): Obstacle[] {
  return [...resolvedFailures(calls).values()]
    .filter((failures) => !failures.some((one) => isHidden(calls, one)))
    .filter((failures) => !failures.every(isManaged))
    .map((failures) => obstacleOf(calls, failures))
    .sort((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome) || b.failures - a.failures)
    .slice(0, MAX_OBSTACLES);
}

function obstacleOf(calls: readonly ToolCall[], failures: readonly ResolvedFailure[]): Obstacle {
  const [best] = failures.toSorted((a, b) => ORDER.indexOf(namedOutcome(a)) - ORDER.indexOf(namedOutcome(b)));
  if (best === undefined) throw new Error('an obstacle without a failure');
  const { call, outcome } = best;
  const remedy = outcome.kind === 'overcome' ? outcome : undefined;
  const name = namedOutcome(best);
  const failed = shownAt(calls, call.index);
  const worked = name === 'overcome' || name === 'check_skipped' ? takenOf(outcome)?.at : undefined;
  const shownWorked = shownAt(calls, worked);
  return {
    outcome: name,
    failureKey: episodeFingerprint({ ...call.failing, errorClass: call.errorClass, template: call.template }),
    remedyKey: remedy === undefined ? null : remedyFingerprint(remedy.key),
    tool: call.failing.tool,
    action: privateLine(call.failing.coarse, LONGEST_ACTION),
    purpose: call.failing.purpose,
    errorClass: privateLine(call.errorClass, LONGEST_ACTION),
    stage: failureStage(call.errorClass, call.template),
    failures: failures.length,
    ...(failed ? { failed } : {}),
    errorLine: errorLineAt(calls, call.index) ?? privateLine(call.errorClass, LONGEST_ACTION),
    between: remedy === undefined ? [] : remedy.steps.flatMap((at) => shownAt(calls, at) ?? []),
    ...(shownWorked ? { worked: shownWorked } : {}),
    attempts: attemptsOf(calls, failures, failed),
  };
}

/** A line that its `cd` ended has run no check that could be skipped. */
function namedOutcome({ of, outcome }: ResolvedFailure): Obstacle['outcome'] {
  const isSkipped = outcome.kind === 'passed' && outcome.because === SKIPS_CHECK;
  return isSkipped && !SETS_UP.test(of.failed.program) ? 'check_skipped' : outcome.kind;
}

/**
 * A call that worked, and that differs in what no lesson shows as well: another folder, other code. What is shown is the
 * remedy only if the error names it.
 */
function isHidden(calls: readonly ToolCall[], { of, outcome }: ResolvedFailure): boolean {
  if (outcome.kind !== 'overcome') return false;
  const [failed, worked] = [wordsAt(calls, of.failed.at), wordsAt(calls, outcome.taken.call.at)];
  const isNamed = namedIn(of.failed.error);
  if (outcome.steps.length > 0)
    return worked.hasCode && !outcome.steps.some((at) => [...wordsAt(calls, at).shown].some(isNamed));
  const isShown = (word: string): boolean => failed.shown.has(word) || worked.shown.has(word);
  const changed = outcome.key.split(' ').map((feature) => feature.slice(1).replace(/=$/, ''));
  const isOther = failed.hidden !== worked.hidden || worked.hasCode;
  return isOther && !changed.some((word) => isShown(word) && isNamed(word));
}

/**
 * The first try did what the error names, or had another tool take up what the call was about: any run manages that
 * without a lesson.
 */
function isManaged({ of: { failed, tries }, outcome }: ResolvedFailure): boolean {
  if (outcome.kind !== 'overcome' || outcome.taken !== tries[0]) return false;
  const { taken, key } = outcome;
  const isNamed = namedIn(failed.error);
  if (!isStep(key)) {
    const added = key.split(' ').filter((feature) => /^\+[^⟨]+$/.test(feature));
    // A name that the call had, with another folder, is no answer of the error.
    return added.length > 0 && !/⟨a⟩|\+[^⟨ ]+⟨r⟩/.test(key) && added.every((feature) => isNamed(feature.slice(1)));
  }
  const words = taken.steps.get(key)?.tokens ?? [];
  if (words[1]?.endsWith('=') !== true) return words.every(isNamed);
  const own = new Set(failed.tokens);
  return words.some((word) => own.has(word)) && words.slice(1).every((word) => own.has(word) || /=$|^\d/.test(word));
}

interface CallWords {
  readonly shown: ReadonlySet<string>;
  readonly hidden: string;
  /** Code that no report holds may be other code. */
  readonly hasCode: boolean;
}

/** The words of a call that a lesson shows, and those that none shows. */
function wordsAt(calls: readonly ToolCall[], at: number): CallWords {
  const call = calls[at];
  const line = shownAt(calls, at)?.call ?? '';
  const shown = new Set(wordsOf(line));
  const values = call?.arguments?.map(({ value = '' }) => value) ?? [];
  const own = (values.length > 0 ? values : [call?.action ?? '']).flatMap(wordsOf);
  const hidden = [...new Set(own)].filter((word) => !shown.has(word)).sort();
  return { shown, hidden: hidden.join(' '), hasCode: /<(?:code|script)>/.test(line) };
}

const wordsOf = (text: string): string[] => text.match(/[\w./@:-]+/g) ?? [];

const takenOf = (outcome: Outcome) => (outcome.kind === 'open' ? undefined : outcome.taken.call);

/** The other calls that failed: those with the same failure, and tries with another one. Each once. */
function attemptsOf(
  calls: readonly ToolCall[],
  failures: readonly ResolvedFailure[],
  failed: ShownCall | undefined,
): ShownCall[] {
  const seen = new Set([failed?.call]);
  const tried = failures.flatMap(({ of }) => of.tries.filter(({ call }) => call.failed).map(({ call }) => call.at));
  return [...new Set([...failures.map(({ call }) => call.index), ...tried])]
    .sort((a, b) => a - b)
    .flatMap((at) => shownAt(calls, at) ?? [])
    .filter(({ call }) => !seen.has(call) && seen.add(call))
    .slice(0, MAX_CALLS);
}

function shownAt(calls: readonly ToolCall[], at: number | undefined): ShownCall | undefined {
  const call = at === undefined ? undefined : calls[at];
  return call === undefined ? undefined : privateCall(call);
}

function errorLineAt(calls: readonly ToolCall[], at: number): string | undefined {
  const call = calls[at];
  const line = call === undefined ? undefined : privateErrorLine(call);
  return line === '' ? undefined : line;
}
