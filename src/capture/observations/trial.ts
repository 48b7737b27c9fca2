import type { ActionShape } from '../actions/action.js';
import { errorKind, failedLater, failureStage } from '../errors/error-kind.js';

/** One parsed call of an execution. */
export interface ParsedCall {
  index: number;
  ok: boolean;
  shape: ActionShape;
  /** The normalised action text. It distinguishes two calls of one shape (another path of the same file). */
  text: string;
}

export interface FailedCall extends ParsedCall {
  failing: ActionShape;
  errorClass: string;
  template: string;
  /** The path that was not found, if the arguments or the error name it. */
  path: string;
}

export type Call = ParsedCall | FailedCall | ExcusedCall;
/** A call that failed for a reason that is not learnable: neither a failure of the action nor a trial of a remedy. */
export interface ExcusedCall extends ParsedCall {
  excused: true;
}

/**
 * How a later call tries to reach the goal of the failed one. `replace`: another action. `omit`: the same without the
 * failing step. `prepare`: a preparing call in between, then the action. `relocate`: the same goal at another path or
 * from another folder. Edits in between are not distinguished, because they accompany repeats and alternatives alike.
 */
export type ApproachKind = 'repeat' | 'replace' | 'omit' | 'prepare' | 'relocate';

export interface Approach {
  how: ApproachKind;
  /**
   * Grouping keys of the alternative, coarse and fine: `python3`, `python3 [file:.py]`; for `prepare`, those of the
   * preparing call.
   */
  coarse: string;
  fine: string;
  /** The program that was used, for patterns of a whole program. */
  program: string;
}

/** Purposes that say what is done but not to what. For these the subject must be the same too. */
const GENERIC_PURPOSE = /^(?:shell:|file:|list$|tool:|mcp:|web:|version:)/;
const SEARCH = /^file:(?:search|find)$/;
/** Calls that look for a location. They are interchangeable in a lesson such as "look it up first". */
const LOOK_UP = /^(?:file:find|file:search|list|shell:pwd)$/;

/** True for the same tool and purpose, and for a generic purpose also the same subject. */
export function sameGoal(failed: FailedCall, later: ParsedCall): boolean {
  if (failed.shape.tool !== later.shape.tool || failed.shape.purpose !== later.shape.purpose) return false;
  return (
    !GENERIC_PURPOSE.test(failed.shape.purpose) || continuesSearch(failed) || sharesSubject(failed.shape, later.shape)
  );
}

/**
 * True if the next search with the same tool counts as the same search elsewhere: search patterns are never stored, so
 * they cannot be compared.
 */
function continuesSearch(failed: FailedCall): boolean {
  return failed.shape.tool !== 'shell' && SEARCH.test(failed.shape.purpose) && isWrongPath(failed);
}

function isWrongPath({ errorClass, template }: FailedCall): boolean {
  return errorKind(errorClass, template) === 'wrong-path';
}

/** True if the later failure is a recurrence of the first. */
export function isRecurrence(failed: FailedCall, later: FailedCall): boolean {
  return (
    failureKey(failed) === failureKey(later) &&
    (failed.shape.tool === 'shell' || sharesSubject(failed.shape, later.shape))
  );
}

/** Identifies an episode: coarse action and error class. */
export function failureKey({ failing, errorClass }: FailedCall): string {
  return JSON.stringify([failing.tool, failing.coarse, errorClass]);
}

/**
 * The approach of `later`, which has the same goal as `failed`; `between` are the calls from one to the other. If
 * `later` also failed for its path, its `path` is the one that its error names.
 */
export function approachOf(
  failed: FailedCall,
  later: ParsedCall & { path?: string },
  between: readonly ParsedCall[],
): Approach {
  const { program } = later.shape;
  const succeeded = between.filter((call) => call.ok);
  if (isWrongPath(failed)) {
    const { coarse, fine, program: blamed } = failed.failing;
    if ((later.path ?? later.shape.path) !== failed.path) return relocation(later, succeeded);
    if (blamesEarlierStep(failed)) return { how: 'repeat', coarse, fine, program: blamed };
  }
  if (failed.shape.tool !== 'shell') return toolApproach(failed, later, succeeded);
  const install = succeeded.findLast((call) => call.shape.purpose.startsWith('install:'));
  if (install && !failed.shape.purpose.startsWith('install:')) {
    return { how: 'prepare', coarse: install.shape.coarse, fine: install.shape.fine, program: install.shape.program };
  }
  if (blamesEarlierStep(failed)) return stepApproach(failed, later);
  const fine = withEnvironment(later.shape);
  const how = fine === withEnvironment(failed.shape) ? 'repeat' : 'replace';
  return { how, coarse: later.shape.coarse, fine, program };
}

/** An approach at another path, with the look-up before it, which shows the reader how the path was found. */
function relocation({ shape: { tool, program } }: ParsedCall, succeeded: readonly ParsedCall[]): Approach {
  const lookUp = succeeded.findLast((call) => LOOK_UP.test(call.shape.purpose));
  return { how: 'relocate', coarse: tool, fine: lookUp ? lookUp.shape.coarse : '', program };
}

function toolApproach(failed: FailedCall, later: ParsedCall, succeeded: readonly ParsedCall[]): Approach {
  const { coarse, program } = later.shape;
  if (later.shape.path !== failed.shape.path) return relocation(later, succeeded);
  // An edit requires that the file was read: the reading makes the difference, not the repetition.
  const read = succeeded.findLast(
    (call) => call.shape.purpose === 'file:read' && sharesSubject(call.shape, later.shape),
  );
  return read && read.shape.tool !== later.shape.tool
    ? { how: 'prepare', coarse: read.shape.coarse, fine: read.shape.coarse, program: read.shape.program }
    : { how: 'repeat', coarse, fine: coarse, program };
}

/** True if the error blames a step before the main program, such as the cd in `cd x && pytest`. */
function blamesEarlierStep({ failing, shape }: FailedCall): boolean {
  return failing.coarse !== shape.coarse;
}

function stepApproach({ failing }: FailedCall, { shape }: ParsedCall): Approach {
  const { program } = failing;
  const keptStep = [...shape.before, shape.fine].find(
    (step) => step === failing.coarse || step.startsWith(`${failing.coarse} `),
  );
  if (keptStep === undefined) return { how: 'omit', coarse: failing.coarse, fine: failing.fine, program };
  return keptStep === failing.fine
    ? { how: 'repeat', coarse: failing.coarse, fine: failing.fine, program }
    : { how: 'replace', coarse: failing.coarse, fine: keptStep, program };
}

/**
 * The fine key with the set-up steps that change what is run, such as assignments and virtual environments. A `cd`
 * usually does not.
 */
function withEnvironment(shape: ActionShape): string {
  const setup = shape.before.filter((step) => step.endsWith('=') || /^(?:sudo|source|\.|conda)\b/.test(step));
  return [...setup, shape.fine].join(' ');
}

function sharesSubject(a: ActionShape, b: ActionShape): boolean {
  return a.subjects.some((subject) => b.subjects.includes(subject));
}

export function isFailed(call: ParsedCall): call is FailedCall {
  return 'failing' in call;
}

/**
 * False for later calls that prove nothing: `pytest | head` succeeds even if pytest fails, `cd nowhere && pytest` never
 * runs pytest, and a call that fails at a later stage passed the failure without reaching the goal.
 */
export function isConclusive(failed: FailedCall, later: ParsedCall): boolean {
  if (later.ok) return !later.shape.masksExit;
  if (!isFailed(later)) return true;
  if (failedLater(failureStage(failed.errorClass, failed.template), failureStage(later.errorClass, later.template)))
    return false;
  if (later.failing.coarse === later.shape.coarse) return true;
  return later.failing.coarse === failed.failing.coarse;
}

/** Limits the trials per approach: fifty tries in one execution must not outweigh fifty executions. */
export function limitTrials<T extends Pick<Approach, 'how' | 'coarse'>>(
  trials: readonly T[],
  perApproach: number,
): T[] {
  const seen = new Map<string, number>();
  return trials.filter((trial) => {
    const key = JSON.stringify([trial.how, trial.coarse]);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count <= perApproach;
  });
}
