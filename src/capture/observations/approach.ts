import type { StepShape } from '../actions/action-shape.js';
import { compareArguments } from './changed-arguments.js';
import { compareCommands, compareSteps } from './changed-words.js';
import { commandStep, installationStep, LOCATES, type PreparingStep, toolStep } from './preparing-step.js';
import { isUnchanged } from './same-goal.js';
import { type Approach, type FailedCall, isWrongPath, type ParsedCall, sharesSubject } from './trial.js';
import type { TrialChange } from './trial-change.js';

/**
 * The approach of `later`, which has the same goal as `failed`; `between` are the calls from one to the other. If
 * `later` also failed for its path, its `path` is the one that its error names.
 */
export function approachOf(
  failed: FailedCall,
  later: ParsedCall & { path?: string },
  between: readonly ParsedCall[],
): Approach {
  const succeeded = between.filter((call) => call.ok);
  if (failed.shape.tool !== later.shape.tool) return otherTool(later);
  if (isWrongPath(failed)) {
    const { coarse, fine } = failed.failing;
    if ((later.path ?? later.shape.path) !== failed.path) return relocation(later, succeeded);
    if (blamesEarlierStep(failed)) return { how: 'repeat', coarse, fine };
  }
  return failed.shape.tool === 'shell'
    ? commandApproach(failed, later, succeeded)
    : toolApproach(failed, later, succeeded);
}

function commandApproach(failed: FailedCall, later: ParsedCall, succeeded: readonly ParsedCall[]): Approach {
  const { coarse } = later.shape;
  const install = installationStep(failed, later, succeeded);
  if (install) return prepared(install, []);
  if (blamesEarlierStep(failed)) return stepApproach(failed, later);
  const { changes, fine } = compareCommands(failed.shape, later.shape);
  if (changes.length > 0 || coarse !== failed.shape.coarse)
    return { how: 'replace', coarse, fine, ...changed(changes) };
  const step = commandStep(failed, later, succeeded);
  return step ? prepared(step, []) : { how: 'repeat', coarse, fine };
}

function toolApproach(failed: FailedCall, later: ParsedCall, succeeded: readonly ParsedCall[]): Approach {
  const { coarse, purpose } = later.shape;
  const isFile = purpose.startsWith('file:') || purpose === 'list';
  if (isFile && later.shape.path !== failed.shape.path) return relocation(later, succeeded);
  const { changes, fine } = compareArguments(failed.shape, later.shape);
  // An edit requires that the file was read: the reading makes the difference, not the repetition.
  const read = succeeded.findLast(
    (call) => call.shape.purpose === 'file:read' && sharesSubject(call.shape, later.shape),
  );
  if (read && read.shape.tool !== later.shape.tool) {
    const { coarse: reading } = read.shape;
    return prepared({ coarse: reading, fine: reading, via: [read.index] }, changes);
  }
  const step = isFile ? undefined : toolStep(failed, succeeded, isUnchanged(failed.shape, later.shape));
  if (step) return prepared(step, changes);
  return changes.length > 0
    ? { how: 'replace', coarse, fine, ...changed(changes) }
    : { how: 'repeat', coarse, fine: coarse };
}

function otherTool({ shape: { tool, coarse, fine } }: ParsedCall): Approach {
  return { how: 'replace', coarse, fine, tool };
}

/** An approach at another path, with the look-up before it, which shows the reader how the path was found. */
function relocation({ shape: { tool } }: ParsedCall, succeeded: readonly ParsedCall[]): Approach {
  const lookUp = succeeded.findLast((call) => LOCATES.test(call.shape.purpose));
  const via = lookUp ? { via: [lookUp.index] } : {};
  return { how: 'relocate', coarse: tool, fine: lookUp ? lookUp.shape.coarse : '', ...via };
}

function prepared({ coarse, fine, via }: PreparingStep, changes: readonly TrialChange[]): Approach {
  return { how: 'prepare', coarse, fine, ...changed(changes), ...(via.length > 0 ? { via: [...via] } : {}) };
}

const changed = (changes: readonly TrialChange[]): { change?: TrialChange[] } =>
  changes.length > 0 ? { change: [...changes] } : {};

/** True if the error blames a step before the main program, such as the cd in `cd x && pytest`. */
function blamesEarlierStep({ failing, shape }: FailedCall): boolean {
  return failing.coarse !== shape.coarse;
}

function stepApproach({ failing }: FailedCall, { shape }: ParsedCall): Approach {
  const { coarse } = failing;
  const isSame = (step: StepShape): boolean => step.coarse === coarse;
  const kept = [...shape.earlier, shape].find(isSame);
  if (kept) {
    const { changes, fine } = compareSteps(failing, kept);
    return changes.length > 0
      ? { how: 'replace', coarse, fine, ...changed(changes) }
      : { how: 'repeat', coarse, fine: failing.fine };
  }
  const step = shape.before.find((text) => text === coarse || text.startsWith(`${coarse} `));
  if (step === undefined) return { how: 'omit', coarse, fine: failing.fine };
  return step === failing.fine ? { how: 'repeat', coarse, fine: failing.fine } : { how: 'replace', coarse, fine: step };
}
