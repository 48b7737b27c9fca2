import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { parseAction } from '../actions/action.js';
import { failureStage } from '../errors/error-kind.js';
import { actionFingerprint, episodeFingerprint } from '../observations/fingerprint.js';
import type { Episode, Trial } from '../observations/observation.js';
import type { ToolCall } from '../report/execution-report.schema.js';
import type { Obstacle } from './payload.schema.js';
import { privateCall, privateErrorLine, privateLine } from './private-call.js';

const MAX_OBSTACLES = 10;
const MAX_CALLS = 3;
const LONGEST_ACTION = 100;

/** What became of the failure, best first: a lesson is about the first obstacle. */
const ORDER: readonly Obstacle['outcome'][] = ['overcome', 'check_skipped', 'open', 'repeated'];

/**
 * The failures of an execution as obstacles: those that were overcome first, then the most frequent ones. `earlier`
 * holds the episodes of earlier executions of the agent, one list per execution.
 */
export function obstaclesOf(
  calls: readonly ToolCall[],
  episodes: readonly Episode[],
  earlier: readonly (readonly Episode[])[] = [],
): Obstacle[] {
  return episodes
    .filter(({ granularity }) => granularity === 'class')
    .map((episode) => obstacleOf(calls, episode, earlier))
    .sort((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome) || b.failures - a.failures)
    .slice(0, MAX_OBSTACLES);
}

function obstacleOf(calls: readonly ToolCall[], episode: Episode, earlier: readonly (readonly Episode[])[]): Obstacle {
  const { outcome, trial } = outcomeOf(episode.trials);
  const at = trial?.from ?? episode.at;
  const remedy = outcome === 'overcome' ? trial : undefined;
  const failed = shownAt(calls, at);
  const worked = shownAt(calls, outcome === 'overcome' || outcome === 'check_skipped' ? trial?.at : undefined);
  return {
    outcome,
    failureKey: episodeFingerprint({ ...episode, granularity: 'template' }),
    remedyKey: remedy === undefined ? null : actionFingerprint(remedy.how, remedy.fine),
    tool: episode.tool,
    action: privateLine(episode.coarse, LONGEST_ACTION),
    purpose: episode.purpose,
    errorClass: privateLine(episode.errorClass, LONGEST_ACTION),
    stage: failureStage(episode.errorClass, episode.template),
    failures: episode.failures,
    ...(failed ? { failed } : {}),
    errorLine: errorLineAt(calls, at) ?? privateLine(episode.errorClass, LONGEST_ACTION),
    between: remedy === undefined ? [] : callsBetween(calls, remedy),
    ...(worked ? { worked } : {}),
    how: remedy === undefined || remedy.how === 'repeat' ? null : remedy.how,
    attempts: attemptsOf(calls, episode.trials, failed),
    ...earlierOccurrences(episode, remedy, earlier),
  };
}

function outcomeOf(trials: readonly Trial[]): { outcome: Obstacle['outcome']; trial?: Trial } {
  const worked = trials.filter((trial) => trial.worked);
  const remedy = worked.find(({ how, skipsCheck }) => how !== 'repeat' && skipsCheck !== true);
  if (remedy) return { outcome: 'overcome', trial: remedy };
  const repeated = worked.find(({ skipsCheck }) => skipsCheck !== true);
  if (repeated) return { outcome: 'repeated', trial: repeated };
  const skipped = worked.find(({ skipsCheck }) => skipsCheck === true);
  return skipped ? { outcome: 'check_skipped', trial: skipped } : { outcome: 'open' };
}

/** The successful calls that the remedy rests on: those that its trial names, or the one of its kind in between. */
function callsBetween(calls: readonly ToolCall[], trial: Trial): ShownCall[] {
  return (trial.via ?? preparations(calls, trial))
    .filter((index) => calls[index]?.ok === true && !isNote(calls[index]))
    .flatMap((index) => shownAt(calls, index) ?? [])
    .slice(-MAX_CALLS);
}

/** Plans, notes and thoughts change nothing that a later call could rest on. */
const NOTE = /^(?:plan$|tool:(?:think|thought|reflect|reflection|memory|notes?|todo\w{0,20})$)/;
const isNote = (call: ToolCall | undefined): boolean =>
  call !== undefined && NOTE.test(parseAction(call.name, call.action).shape.purpose);

/** The last call in between that prepared the remedy, or that looked its path up. */
function preparations(calls: readonly ToolCall[], { from, at, how, coarse, fine }: Trial): number[] {
  if (how !== 'prepare' && how !== 'relocate') return [];
  const isStep = ({ name, action, ok }: ToolCall): boolean => {
    const { shape } = parseAction(name, action);
    return ok && (how === 'relocate' ? shape.coarse === fine : shape.coarse === coarse && shape.fine === fine);
  };
  const offset = calls.slice(from + 1, at).findLastIndex(isStep);
  return offset < 0 ? [] : [from + 1 + offset];
}

/** The other calls with the same goal that failed, each once. */
function attemptsOf(calls: readonly ToolCall[], trials: readonly Trial[], failed: ShownCall | undefined): ShownCall[] {
  const seen = new Set([failed?.call]);
  return trials
    .filter(({ worked, at }) => !worked && calls[at]?.ok === false)
    .flatMap(({ at }) => shownAt(calls, at) ?? [])
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

/**
 * In how many earlier executions the same failure occurred, and how often the same remedy was tried and worked there.
 * Empty if in none.
 */
function earlierOccurrences(
  episode: Episode,
  remedy: Trial | undefined,
  earlier: readonly (readonly Episode[])[],
): Pick<Obstacle, 'earlier'> {
  // At this granularity these fields identify a pattern. Comparing them is faster than hashing hundreds of episodes,
  // which takes a millisecond each time.
  const same = earlier.flatMap(
    (execution) =>
      execution.find(
        (one) =>
          one.granularity === 'class' &&
          one.errorClass === episode.errorClass &&
          one.coarse === episode.coarse &&
          one.tool === episode.tool,
      ) ?? [],
  );
  if (same.length === 0) return {};
  const trials = same.flatMap((one) =>
    one.trials.filter(({ how, coarse }) => how === remedy?.how && coarse === remedy.coarse),
  );
  const worked = trials.filter((trial) => trial.worked).length;
  return { earlier: { executions: same.length, tried: trials.length, worked } };
}
