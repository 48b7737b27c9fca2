import type { ActionShape } from '../actions/action.js';
import { errorKind } from '../errors/error-kind.js';

/** One call of an execution, read. `failing` is the part of a compound command that the error blames. */
export interface ParsedCall {
  index: number;
  ok: boolean;
  shape: ActionShape;
  /** The normalised action text: tells two calls of one shape apart (another path of the same file). */
  text: string;
}

export interface FailedCall extends ParsedCall {
  failing: ActionShape;
  errorClass: string;
  template: string;
  /** The path that it was looked for at in vain, where the arguments or the error name it. */
  path: string;
}

/**
 * How a later call tries to reach what the failed one was for. `replace`: another action. `omit`: the same without the
 * failing step. `prepare`: a preparing call in between, then the action. `relocate`: the same goal at another path, or from
 * another folder. Edits in between are not told apart: they accompany repeats and alternatives alike.
 */
export type ApproachKind = 'repeat' | 'replace' | 'omit' | 'prepare' | 'relocate';

export interface Approach {
  how: ApproachKind;
  /** Grouping key of the alternative, coarse and fine granularity: `python3`, `python3 [file:.py]`; the preparing call's. */
  coarse: string;
  fine: string;
  /** The program that was used, for patterns of a whole program. */
  program: string;
}

/** Purposes that say what kind of thing is done but not to what; there the subject must be the same, too. */
const GENERIC_PURPOSE = /^(?:shell:|file:|list$|tool:|mcp:|web:|version:)/;
const SEARCH = /^file:(?:search|find)$/;
/** Looking for where something is: interchangeable for the lesson "look it up first". */
const LOOK_UP = /^(?:file:find|file:search|list|shell:pwd)$/;

/** Same tool and same purpose (spec E1.4); where the purpose is generic, about the same thing as well. */
export function sameGoal(failed: FailedCall, later: ParsedCall): boolean {
  if (failed.shape.tool !== later.shape.tool || failed.shape.purpose !== later.shape.purpose) return false;
  return !GENERIC_PURPOSE.test(failed.shape.purpose) || searchesOn(failed) || sharesSubject(failed.shape, later.shape);
}

/** What is searched for is never stored: the next search with the same tool is taken for the same one, elsewhere. */
function searchesOn(failed: FailedCall): boolean {
  return failed.shape.tool !== 'shell' && SEARCH.test(failed.shape.purpose) && isWrongPath(failed);
}

function isWrongPath({ errorClass, template }: FailedCall): boolean {
  return errorKind(errorClass, template) === 'wrong-path';
}

/** Whether a later failure is the same failure coming back. */
export function isRecurrence(failed: FailedCall, later: FailedCall): boolean {
  return (
    failureKey(failed) === failureKey(later) &&
    (failed.shape.tool === 'shell' || sharesSubject(failed.shape, later.shape))
  );
}

/** Same coarse action and same error class: what one episode is about. */
export function failureKey({ failing, errorClass }: FailedCall): string {
  return JSON.stringify([failing.tool, failing.coarse, errorClass]);
}

/**
 * How `later`, which has the same goal as `failed`, goes about it; `between` are the calls from one to the other. Of a
 * later call that failed for its path too, `place` is what its error names.
 */
export function approachOf(
  failed: FailedCall,
  later: ParsedCall & { path?: string },
  between: readonly ParsedCall[],
): Approach {
  const { program } = later.shape;
  const done = between.filter((call) => call.ok);
  if (isWrongPath(failed)) {
    const { coarse, fine, program: blamed } = failed.failing;
    if ((later.path ?? later.shape.path) !== failed.path) return relocation(later, done);
    if (blamesEarlierStep(failed)) return { how: 'repeat', coarse, fine, program: blamed };
  }
  if (failed.shape.tool !== 'shell') return toolApproach(failed, later, done);
  const install = done.findLast((call) => call.shape.purpose.startsWith('install:'));
  if (install && !failed.shape.purpose.startsWith('install:')) {
    return { how: 'prepare', coarse: install.shape.coarse, fine: install.shape.fine, program: install.shape.program };
  }
  if (blamesEarlierStep(failed)) return stepApproach(failed, later);
  const fine = withEnvironment(later.shape);
  const how = fine === withEnvironment(failed.shape) ? 'repeat' : 'replace';
  return { how, coarse: later.shape.coarse, fine, program };
}

/** With what was looked at before, by which a reader learns how the place was found. */
function relocation({ shape: { tool, program } }: ParsedCall, done: readonly ParsedCall[]): Approach {
  const lookUp = done.findLast((call) => LOOK_UP.test(call.shape.purpose));
  return { how: 'relocate', coarse: tool, fine: lookUp ? lookUp.shape.coarse : '', program };
}

function toolApproach(failed: FailedCall, later: ParsedCall, done: readonly ParsedCall[]): Approach {
  const { coarse, program } = later.shape;
  if (later.shape.path !== failed.shape.path) return relocation(later, done);
  // An edit wants the file to be read first: the reading makes the difference, not the repetition.
  const read = done.findLast((call) => call.shape.purpose === 'file:read' && sharesSubject(call.shape, later.shape));
  return read && read.shape.tool !== later.shape.tool
    ? { how: 'prepare', coarse: read.shape.coarse, fine: read.shape.coarse, program: read.shape.program }
    : { how: 'repeat', coarse, fine: coarse, program };
}

/** The error blames a step before the program that the command is about, as the cd in `cd x && pytest`. */
function blamesEarlierStep({ failing, shape }: FailedCall): boolean {
  return failing.coarse !== shape.coarse;
}

function stepApproach({ failing }: FailedCall, { shape }: ParsedCall): Approach {
  const { program } = failing;
  const kept = [...shape.before, shape.fine].find(
    (step) => step === failing.coarse || step.startsWith(`${failing.coarse} `),
  );
  if (kept === undefined) return { how: 'omit', coarse: failing.coarse, fine: failing.fine, program };
  return kept === failing.fine
    ? { how: 'repeat', coarse: failing.coarse, fine: failing.fine, program }
    : { how: 'replace', coarse: failing.coarse, fine: kept, program };
}

/** Assignments and interpreters of an environment change what is run; a `cd` before it usually does not. */
function withEnvironment(shape: ActionShape): string {
  const setting = shape.before.filter((step) => step.endsWith('=') || /^(?:sudo|source|\.|conda)\b/.test(step));
  return [...setting, shape.fine].join(' ');
}

function sharesSubject(a: ActionShape, b: ActionShape): boolean {
  return a.subjects.some((subject) => b.subjects.includes(subject));
}
