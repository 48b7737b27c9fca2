import { kindTool } from '../errors/error-kind.js';
import { approachOf } from './approach.js';
import { type Granularity, OBSERVATION_SETTINGS, type Trial } from './episode.js';
import { isUnknown, sameGoal } from './same-goal.js';
import { discardsFailure, skipsCheck } from './skipped-check.js';
import {
  type Approach,
  type Call,
  type FailedCall,
  isConclusive,
  isFailed,
  isRecurrence,
  type ParsedCall,
} from './trial.js';
import { dangersOfRemedy } from './trial-dangers.js';
import { stepsBefore, stepsBetween } from './workflow.js';

/** A later call with the goal of a failed one, before it is reduced to a granularity. */
export interface Attempt {
  readonly trial: Trial;
  readonly program: string;
}

/** The calls after a failure that try to reach its goal, up to the first that succeeds. */
export function attemptsAfter(failed: FailedCall, calls: readonly Call[]): Attempt[] {
  const found: Attempt[] = [];
  const start = failed.index + 1;
  const sharing = calls
    .slice(start, start + OBSERVATION_SETTINGS.remedyWithin)
    .filter((call) => !('excused' in call) && sameGoal(failed, call));
  const retry = sharing.findLast((call) => call.ok && call.shape.tool === failed.shape.tool);
  for (const later of sharing) {
    // Before a retry with the same tool, another tool is a step.
    if (retry && later.index < retry.index && later.shape.tool !== failed.shape.tool) continue;
    const isDiscarded = later.ok && discardsFailure(failed, later);
    if (!isDiscarded && !isConclusive(failed, later)) continue;
    const attempt = attemptOf(failed, later, calls);
    if (attempt) found.push(attempt);
    if (later.ok && !isDiscarded) break;
  }
  return found;
}

/** Undefined if the report does not hold what differs from the failed call. */
function attemptOf(failed: FailedCall, later: ParsedCall, calls: readonly Call[]): Attempt | undefined {
  const between = calls.slice(failed.index + 1, later.index);
  const { program, ...approach } = approachOf(failed, later, between);
  const isAgain =
    approach.how === 'repeat' || approach.coarse.startsWith('edit ') || approach.coarse.startsWith('write ');
  const isKnown = approach.how === 'prepare' || approach.how === 'relocate' || !isUnknown(failed.shape, later.shape);
  if (!isKnown) return undefined;
  const after = isAgain ? stepsBetween(failed, between) : undefined;
  const before = stepsBefore(failed, calls);
  const dangers = dangersOfRemedy(later, between);
  return {
    program,
    trial: {
      ...approach,
      worked: later.ok && !recurs(failed, later, calls),
      from: failed.index,
      at: later.index,
      ...(skipsCheck(failed, later, between, approach.change ?? []) ? { skipsCheck: true } : {}),
      ...(after ? { after } : {}),
      ...(before ? { before } : {}),
      ...(dangers.length > 0 ? { dangers } : {}),
    },
  };
}

/** The tool of an episode. For kinds of error, all file tools count as one, and other tools have no kinds. */
export function toolAt({ failing }: FailedCall, granularity: Granularity): string | undefined {
  return granularity === 'kind' ? kindTool(failing.tool, failing.purpose) : failing.tool;
}

/**
 * Reduces a trial to a granularity: a pattern of a whole program varies only the program, one of any action varies no
 * action. Steps before the failure are kept only at the granularity `class`.
 */
export function atGranularity({ trial, program }: Attempt, failed: FailedCall, granularity: Granularity): Trial {
  const { before, after, change, via, ...rest } = trial;
  const isBroad = granularity === 'kind' || granularity === 'program';
  // what failed is only counted, never shown
  const isShown = trial.worked;
  return {
    ...rest,
    ...broadApproach(trial, program, failed, granularity),
    ...(change && isShown && !isBroad ? { change } : {}),
    ...(via && isShown ? { via } : {}),
    ...(after && !isBroad ? { after } : {}),
    ...(before && granularity === 'class' ? { before } : {}),
  };
}

function broadApproach(
  { how, coarse, fine }: Trial,
  program: string,
  failed: FailedCall,
  granularity: Granularity,
): Pick<Approach, 'how' | 'coarse' | 'fine'> {
  if (granularity === 'program' && (how === 'repeat' || how === 'replace'))
    return { how: program === failed.failing.program ? 'repeat' : how, coarse: program, fine: program };
  if (granularity !== 'kind') return { how, coarse, fine };
  if (how === 'relocate') return { how, coarse: toolAt(failed, granularity) ?? coarse, fine };
  return { how: how === 'replace' && coarse === failed.failing.coarse ? 'repeat' : how, coarse, fine };
}

function recurs(failed: FailedCall, remedy: ParsedCall, calls: readonly Call[]): boolean {
  const from = remedy.index + 1;
  return calls
    .slice(from, from + OBSERVATION_SETTINGS.quietFor)
    .some((call) => isFailed(call) && isRecurrence(failed, call));
}
