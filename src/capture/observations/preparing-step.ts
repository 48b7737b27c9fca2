import type { ActionShape, StepShape } from '../actions/action-shape.js';
import { ROUTINE_ACTIONS } from './steps-between.js';
import type { FailedCall, ParsedCall } from './trial.js';

/** A step between a failure and the next try: its grouping keys, and the indexes of its calls, if it has its own. */
export interface PreparingStep {
  readonly coarse: string;
  readonly fine: string;
  readonly via: readonly number[];
}

const MAX_CALLS = 5;
/** Calls that look for a location. They are interchangeable in a lesson such as "look it up first". */
export const LOCATES = /^(?:file:find|file:search|list|shell:pwd)$/;
const LOOK_UP_PURPOSE = /^(?:file:(?:read|search|find)$|list$|web:|sql:(?:show\b|desc$|explain$|pragma\b))/;
const LOOK_UP_NAME =
  /^(?:get|list|search|find|describe|fetch|lookup)|(?:^|[_.-])(?:get|list|search|find|describe|show|read|view|fetch|lookup|look|query|schemas?|inspect|explain|help|docs?|discover|browse|open)(?=$|[_.-])/;
/** Tools that change nothing that another call depends on. */
const ROUTINE_TOOL =
  /^(?:plan$|agent\b|skill\b|shell:|tool:(?:think|thought|reflect|reflection|memory|sleep|wait|finish|submit|answer|respond)$)/;
const EDIT = /^file:(edit|write)$/;

/** True for a call that only looks something up: a schema, a list, a file. */
export function isLookUp({ purpose, tool }: ActionShape): boolean {
  return LOOK_UP_PURPOSE.test(purpose) || (tool !== 'shell' && LOOK_UP_NAME.test(ownName(tool)));
}

/** The name of an MCP tool without its server. */
const ownName = (tool: string): string => tool.replace(/^mcp__.{1,60}?__/, '').slice(0, 80);

/** The installation between the calls, or before the later one on its line. */
export function installationStep(
  failed: FailedCall,
  later: ParsedCall,
  succeeded: readonly ParsedCall[],
): PreparingStep | undefined {
  if (failed.shape.purpose.startsWith('install:')) return undefined;
  const isInstall = ({ purpose }: StepShape): boolean => purpose.startsWith('install:');
  const onLine = newSteps(failed, later).findLast(isInstall);
  if (onLine) return { ...keysOf(onLine), via: [] };
  const call = succeeded.findLast(({ shape }) => isInstall(shape));
  return call && { ...keysOf(call.shape), via: [call.index] };
}

/** What else prepared the same command: a step before it on its line, an edit, or a call of another tool. */
export function commandStep(
  failed: FailedCall,
  later: ParsedCall,
  succeeded: readonly ParsedCall[],
): PreparingStep | undefined {
  const onLine = newSteps(failed, later).findLast(({ purpose }) => !ROUTINE_ACTIONS.test(purpose));
  if (onLine) return { ...keysOf(onLine), via: [] };
  const isEdit = (step: StepShape): boolean => EDIT.test(step.purpose) && !makesTarget(step, failed, later);
  const edited = newSteps(failed, later).findLast(isEdit);
  if (edited) return { ...keysOfEdit(edited), via: [] };
  return editStep(succeeded.filter(({ shape }) => isEdit(shape))) ?? otherToolStep(failed, succeeded);
}

/** True for the writing of the very file that only the later command names: another target, no preparation. */
function makesTarget({ subjects }: StepShape, failed: FailedCall, later: ParsedCall): boolean {
  return subjects.some((name) => later.shape.subjects.includes(name) && !failed.shape.subjects.includes(name));
}

/** What prepared another call of a tool: a look-up by another tool, or, before the same call, any step. */
export function toolStep(
  failed: FailedCall,
  succeeded: readonly ParsedCall[],
  isSameCall: boolean,
): PreparingStep | undefined {
  const isOther = ({ shape }: ParsedCall): boolean => shape.coarse !== failed.shape.coarse && !isRoutine(shape);
  const others = succeeded.filter(isOther);
  const lookUp = others.findLast(({ shape }) => isLookUp(shape) && shape.tool !== 'shell');
  if (lookUp) return { ...keysOf(lookUp.shape), via: [lookUp.index] };
  if (!isSameCall) return undefined;
  const last = others.findLast(({ shape }) => !ROUTINE_ACTIONS.test(shape.purpose));
  return editStep(succeeded) ?? (last && { ...keysOf(last.shape), via: [last.index] });
}

function isRoutine({ purpose, masksExit }: ActionShape): boolean {
  return ROUTINE_TOOL.test(purpose) || masksExit;
}

/** The last kind of file that was edited or written. */
function editStep(succeeded: readonly ParsedCall[]): PreparingStep | undefined {
  const edits = succeeded.filter(({ shape }) => EDIT.test(shape.purpose));
  const last = edits.at(-1);
  if (!last) return undefined;
  const keys = keysOfEdit(last.shape);
  const via = edits.filter(({ shape }) => keysOfEdit(shape).coarse === keys.coarse).map(({ index }) => index);
  return { ...keys, via: via.slice(-MAX_CALLS) };
}

/** A call of a tool that acts, such as one that starts a service. */
function otherToolStep(failed: FailedCall, succeeded: readonly ParsedCall[]): PreparingStep | undefined {
  const call = succeeded.findLast(
    ({ shape }) =>
      shape.tool !== failed.shape.tool &&
      !isRoutine(shape) &&
      !isLookUp(shape) &&
      /^(?:tool|mcp|sql):/.test(shape.purpose),
  );
  return call && { ...keysOf(call.shape), via: [call.index] };
}

/** The steps of the later line that the failed one did not have. */
function newSteps(failed: FailedCall, later: ParsedCall): StepShape[] {
  const known = new Set(failed.shape.earlier.map(({ coarse }) => coarse));
  return later.shape.earlier.filter(({ coarse }) => !known.has(coarse) && coarse !== failed.shape.coarse);
}

const keysOf = ({ coarse, fine }: StepShape) => ({ coarse, fine });

/** `edit [file:.py]`: the kind of file, never its name or content. */
function keysOfEdit(shape: StepShape): Pick<PreparingStep, 'coarse' | 'fine'> {
  const verb = EDIT.exec(shape.purpose)?.[1] ?? 'edit';
  const extension = /\.([a-z][a-z0-9]{0,7})$/.exec(shape.subjects[0] ?? '')?.[1];
  const kind = extension
    ? `[file:.${extension}]`
    : (shape.operands.find((one) => one.startsWith('[file:')) ?? '[file]');
  return { coarse: `${verb} ${kind}`, fine: `${verb} ${kind}` };
}
