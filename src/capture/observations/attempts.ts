import { kindTool } from '../errors/error-kind.js';
import { approachOf } from './approach.js';
import { type Granularity, OBSERVATION_SETTINGS, type Trial } from './episode.js';
import { isUnknown, sameGoal } from './same-goal.js';
import { discardsFailure, skipsCheck } from './skipped-check.js';
import { stepsBetween } from './steps-between.js';
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

/** The calls after a failure that try to reach its goal, up to the first that succeeds. */
export function attemptsAfter(failed: FailedCall, calls: readonly Call[]): Trial[] {
  const found: Trial[] = [];
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
function attemptOf(failed: FailedCall, later: ParsedCall, calls: readonly Call[]): Trial | undefined {
  const between = calls.slice(failed.index + 1, later.index);
  const approach = approachOf(failed, later, between);
  const isAgain =
    approach.how === 'repeat' || approach.coarse.startsWith('edit ') || approach.coarse.startsWith('write ');
  const isKnown = approach.how === 'prepare' || approach.how === 'relocate' || !isUnknown(failed.shape, later.shape);
  if (!isKnown) return undefined;
  const after = isAgain ? stepsBetween(failed, between) : undefined;
  const dangers = dangersOfRemedy(later, between);
  return {
    ...approach,
    worked: later.ok && !recurs(failed, later, calls),
    from: failed.index,
    at: later.index,
    ...(skipsCheck(failed, later, between, approach.change ?? []) ? { skipsCheck: true } : {}),
    ...(after ? { after } : {}),
    ...(dangers.length > 0 ? { dangers } : {}),
  };
}

/** The tool of an episode. For kinds of error, all file tools count as one, and other tools have no kinds. */
export function toolAt({ failing }: FailedCall, granularity: Granularity): string | undefined {
  return granularity === 'kind' ? kindTool(failing.tool, failing.purpose) : failing.tool;
}

/** Reduces a trial to a granularity: one of a kind of error varies no action. */
export function atGranularity(trial: Trial, failed: FailedCall, granularity: Granularity): Trial {
  const { after, change, via, ...rest } = trial;
  const isBroad = granularity === 'kind';
  // what failed is only counted, never shown
  const isShown = trial.worked;
  return {
    ...rest,
    ...(isBroad ? broadApproach(trial, failed) : {}),
    ...(change && isShown && !isBroad ? { change } : {}),
    ...(via && isShown ? { via } : {}),
    ...(after && !isBroad ? { after } : {}),
  };
}

function broadApproach({ how, coarse }: Trial, failed: FailedCall): Pick<Approach, 'how' | 'coarse'> {
  if (how === 'relocate') return { how, coarse: toolAt(failed, 'kind') ?? coarse };
  return { how: how === 'replace' && coarse === failed.failing.coarse ? 'repeat' : how, coarse };
}

function recurs(failed: FailedCall, remedy: ParsedCall, calls: readonly Call[]): boolean {
  const from = remedy.index + 1;
  return calls
    .slice(from, from + OBSERVATION_SETTINGS.quietFor)
    .some((call) => isFailed(call) && isRecurrence(failed, call));
}
