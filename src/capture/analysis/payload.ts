import { clip } from '../../untrusted/text/clip.js';
import { quoteOrWithhold } from '../../untrusted/text/quote-or-withhold.js';
import type { Episode, Trial } from '../observations/observation.js';
import type { ExecutionReport, ToolCall } from '../report/execution-report.schema.js';
import type { AnalysisPayload, Obstacle } from './payload.schema.js';

/** How many calls and error messages a proposer receives, and their maximum lengths in characters. */
export const PAYLOAD_LIMITS = { calls: 40, errorMessages: 3, errorMessage: 500, task: 200, obstacles: 10 } as const;

/**
 * The analysis payload of a learnable report. `episodes` are its failures; those at the granularity of the error class
 * become obstacles. `earlier` holds the episodes of earlier executions of the agent, one list per execution.
 */
export function analysisPayload(
  kind: AnalysisPayload['kind'],
  report: ExecutionReport,
  episodes: readonly Episode[],
  earlier: readonly (readonly Episode[])[] = [],
): AnalysisPayload {
  const { errorCategory, errorMessage, missingCapability, turnCount, taskDescription, taskType } = report;
  const shown = selectCalls(report.toolCalls);
  return {
    kind,
    task: {
      title: clip(report.taskTitle, PAYLOAD_LIMITS.task),
      ...(taskDescription ? { description: clip(taskDescription, PAYLOAD_LIMITS.task) } : {}),
      ...(taskType ? { type: taskType } : {}),
    },
    status: report.status,
    terminationReason: report.terminationReason,
    calls: limitMessages(shown, PAYLOAD_LIMITS.errorMessages - (errorMessage ? 1 : 0)),
    omittedCalls: report.toolCalls.length - shown.length,
    obstacles: obstaclesOf(episodes, earlier),
    retryCount: report.retryCount,
    ...(errorCategory ? { errorCategory } : {}),
    ...(errorMessage ? { errorMessage: clip(quoteOrWithhold(errorMessage), PAYLOAD_LIMITS.errorMessage) } : {}),
    ...(missingCapability ? { missingCapability } : {}),
    ...(turnCount === undefined ? {} : { turnCount }),
  };
}

/** The failures as obstacles: overcome ones first, then the most frequent ones, because a lesson is about those. */
export function obstaclesOf(episodes: readonly Episode[], earlier: readonly (readonly Episode[])[] = []): Obstacle[] {
  return episodes
    .filter(({ granularity }) => granularity === 'class')
    .map((episode): Obstacle => {
      const worked = episode.trials.find((trial) => trial.worked && trial.how !== 'repeat');
      return {
        action: episode.fine,
        errorClass: episode.errorClass,
        error: quoteOrWithhold(episode.template),
        failures: episode.failures,
        remedy: worked?.fine ?? null,
        how: worked && worked.how !== 'repeat' ? worked.how : null,
        tool: episode.tool,
        ...(worked ? countTries(worked, episode.trials) : {}),
        ...earlierOccurrences(episode, worked, earlier),
      };
    })
    .sort((a, b) => Number(b.remedy !== null) - Number(a.remedy !== null) || b.failures - a.failures)
    .slice(0, PAYLOAD_LIMITS.obstacles);
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

/** How often the same remedy was tried in this execution, and how often it worked. */
function countTries({ how, fine }: Trial, trials: readonly Trial[]): { tried: number; worked: number } {
  const same = trials.filter((trial) => trial.how === how && trial.fine === fine);
  return { tried: same.length, worked: same.filter(({ worked }) => worked).length };
}

/** The calls to show: of a long execution, the failures with their neighbours, in order. */
function selectCalls(calls: readonly ToolCall[]): ToolCall[] {
  if (calls.length <= PAYLOAD_LIMITS.calls) return [...calls];
  const wanted = new Set<number>();
  calls.forEach(({ ok }, index) => {
    if (ok || wanted.size >= PAYLOAD_LIMITS.calls) return;
    for (let near = index - 1; near <= index + 3; near += 1) wanted.add(near);
  });
  const shown = calls.filter((_, index) => wanted.has(index));
  return (shown.length > 0 ? shown : [...calls]).slice(0, PAYLOAD_LIMITS.calls);
}

function limitMessages(calls: readonly ToolCall[], messages: number): AnalysisPayload['calls'] {
  let remaining = messages;
  return calls.map(({ name, action, ok, errorCategory, errorMessage }) => {
    const shown = errorMessage !== undefined && remaining > 0;
    if (shown) remaining -= 1;
    return {
      name,
      action,
      ok,
      ...(errorCategory ? { errorCategory } : {}),
      ...(shown ? { errorMessage: clip(quoteOrWithhold(errorMessage), PAYLOAD_LIMITS.errorMessage) } : {}),
    };
  });
}
