import { areSame, type Call } from '../calls/call.js';
import { SETS_UP } from '../calls/shell-line.js';
import { TEXT } from '../calls/tokens.js';
import { changeOf } from './change.js';
import { commandsOf, isLook } from './goal.js';
import { stepFeatures } from './step.js';

/** A later call for the same goal as a failed one, and what is different about it. */
export interface Try {
  readonly call: Call;
  /** Undefined if nothing says it, or if code was changed in between: then nothing says what helped. */
  readonly worked: boolean | undefined;
  /** It worked after code was changed. */
  readonly afterEdit?: true;
  /** The change of the call, and the steps before it. Empty for a plain repeat. */
  readonly features: ReadonlySet<string>;
  /** By feature: the step, with its place in the run if it is a call of its own. */
  readonly steps: ReadonlyMap<string, Step>;
}

export interface Step {
  readonly tokens: readonly string[];
  /** The place of the call. */
  readonly at: number;
}

/** A failed call and what the run did about it. */
export interface Case {
  readonly failed: Call;
  readonly tries: readonly Try[];
}

/** How many calls after a failure a try may come. */
export const WITHIN = 8;
/** Calls that do nothing outside of the agent. */
const NO_WORK = /^(?:todowrite|todoread|think|task|submit|finish|update_plan)$/;
/** Files that say how tools work, not what the code does: changing one is a step. */
const SETTINGS =
  /^\.\w|\.(?:json|jsonc|toml|ya?ml|ini|cfg|conf|env|properties|txt|lock|gradle|xml)$|\.config\.\w{1,4}$|^(?:Dockerfile|Makefile|Gemfile|Procfile|go\.mod)$/;

/**
 * The failed calls of a run with the tries after each. This is the one definition of a recovery: a later call that
 * serves the same goal and worked, or the same call again after something in between. Linear in the number of calls.
 */
export function casesOf(calls: readonly Call[]): Case[] {
  return calls
    .filter(({ failed, error }) => failed && error.length > 0)
    .map((failed) => ({ failed, tries: triesAfter(calls, failed) }))
    .filter(({ failed, tries }) => tries.some(({ worked }) => worked === true) || !isCut(calls, failed));
}

/** The calls after a failure, so many in which a try may be: up to the first that follows a hole in the record. */
export function callsAfter(calls: readonly Call[], { at }: Pick<Call, 'at'>, within = WITHIN): readonly Call[] {
  const later = calls.slice(at + 1, at + 1 + within);
  const hole = later.findIndex(({ afterHole }) => afterHole === true);
  return hole < 0 ? later : later.slice(0, hole);
}

/** What overcame the failure may have been lost. */
const isCut = (calls: readonly Call[], failed: Call): boolean =>
  calls[failed.at + 1 + callsAfter(calls, failed).length]?.afterHole === true;

/**
 * Whether a call for the same goal worked. What sets up a line stops it before its pipe, so that a line that ended well
 * has got past it; one that another command ended says neither.
 */
function resultOf({ ok, ended, program }: Call, failed: Call): boolean | undefined {
  if (failed.tool !== 'shell' || !SETS_UP.test(failed.program)) return ok;
  return ended === false && program !== failed.program ? undefined : ended;
}

/** The same tries are asked for by every lesson that is looked for in a run. */
const known = new WeakMap<readonly Call[], Map<Call, readonly Try[]>>();

/** The tries after a failed call of a run, in their order. Remembered as long as `calls` lives. */
export function triesAfter(calls: readonly Call[], failed: Call): readonly Try[] {
  const own = known.get(calls) ?? new Map<Call, readonly Try[]>();
  known.set(calls, own);
  const tries = own.get(failed) ?? findTries(calls, failed);
  own.set(failed, tries);
  return tries;
}

function findTries(calls: readonly Call[], failed: Call): Try[] {
  const tries: Try[] = [];
  const steps = new Map<string, Step>();
  const addSteps = (to: Map<string, Step>, tokens: readonly string[], at: number): void => {
    for (const feature of stepFeatures(tokens, failed)) to.set(feature, { tokens, at });
  };
  let isEdited = false;
  const later = callsAfter(calls, failed);
  const edited = later.findIndex((call) => call.isEdit && call.ok !== false);
  const again = later
    .slice(0, edited < 0 || failed.isEdit ? undefined : edited)
    .find((call) => areSame(call, failed) && resultOf(call, failed) === true);
  let isDone: boolean | undefined;
  const isDoneLater = (): boolean => {
    isDone ??= later.some((call) => resultOf(call, failed) === true && !isLook(call) && changeOf(failed, call));
    return isDone;
  };
  for (const call of later) {
    if (NO_WORK.test(call.tool)) continue;
    const change = changeOf(failed, call);
    // What worked before the failed call itself did was not in its place: a pull before a push, `make all` before `make test`.
    const isBefore = again !== undefined && call.at < again.at && resultOf(call, failed) === true;
    // `head` of a script that another interpreter ran afterwards.
    const isOnlyLook = change !== undefined && isLook(call) && !isLook(failed) && isDoneLater();
    if (change && !isBefore && !isOnlyLook) {
      const own = new Map(failed.ofFilter ? [] : steps);
      for (const command of change.before) addSteps(own, command, call.at);
      const result = resultOf(call, failed);
      const features = new Set([...change.features, ...own.keys()]);
      // An edit that is a try of a failed edit hides nothing.
      const isHidden = isEdited && !failed.isEdit;
      const afterEdit = isHidden && result === true ? { afterEdit: true as const } : {};
      tries.push({ call, worked: isHidden ? undefined : result, ...afterEdit, features, steps: own });
    } else if (call.isEdit && call.ok === true && call.edits !== undefined && SETTINGS.test(call.edits) && !isEdited) {
      addSteps(steps, ['edit', call.edits], call.at);
      // A command line shows what was written, unless that is a text.
      if (call.tool === 'shell' && !call.tokens.includes(TEXT))
        for (const command of commandsOf(call)) addSteps(steps, command, call.at);
    } else if (call.isEdit) isEdited ||= call.ok !== false;
    // The call that worked afterwards shows whether a step did: `pip install tables | tail -5` may be one.
    else if ((call.ok ?? call.ended) === true)
      for (const command of commandsOf(call)) addSteps(steps, command, call.at);
  }
  return tries;
}
