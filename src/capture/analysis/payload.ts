import { clip } from '../../untrusted/text/clip.js';
import { quoteOrWithhold } from '../../untrusted/text/quote-or-withhold.js';
import type { Episode, Trial } from '../observations/observation.js';
import type { ExecutionReport, ToolCall } from '../report/execution-report.schema.js';
import type { AnalysisPayload, Obstacle } from './payload.schema.js';

/** How many calls a proposer is shown, and how many characters of one error (spec L2: 500, at most three messages). */
export const PAYLOAD_LIMITS = { calls: 40, errorMessages: 3, errorMessage: 500, task: 200, obstacles: 10 } as const;

/**
 * The analysis payload of a report that teaches; `episodes` are its failures, of which those at the granularity of the error
 * class are obstacles. `earlier`: the episodes of each earlier execution of the agent, as many as were looked at.
 */
export function analysisPayload(
  kind: AnalysisPayload['kind'],
  report: ExecutionReport,
  episodes: readonly Episode[],
  earlier: readonly (readonly Episode[])[] = [],
): AnalysisPayload {
  const { errorCategory, errorMessage, missingCapability, turnCount, taskDescription, taskType } = report;
  const shown = showCalls(report.toolCalls);
  return {
    kind,
    task: {
      title: clip(report.taskTitle, PAYLOAD_LIMITS.task),
      ...(taskDescription ? { description: clip(taskDescription, PAYLOAD_LIMITS.task) } : {}),
      ...(taskType ? { type: taskType } : {}),
    },
    status: report.status,
    terminationReason: report.terminationReason,
    calls: withFewMessages(shown, PAYLOAD_LIMITS.errorMessages - (errorMessage ? 1 : 0)),
    omittedCalls: report.toolCalls.length - shown.length,
    obstacles: obstaclesOf(episodes, earlier),
    retryCount: report.retryCount,
    ...(errorCategory ? { errorCategory } : {}),
    ...(errorMessage ? { errorMessage: clip(quoteOrWithhold(errorMessage), PAYLOAD_LIMITS.errorMessage) } : {}),
    ...(missingCapability ? { missingCapability } : {}),
    ...(turnCount === undefined ? {} : { turnCount }),
  };
}

/** Failures first overcome, then most frequent: what a lesson would be about comes first. */
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
        ...(worked ? triesOf(worked, episode.trials) : {}),
        ...earlierOf(episode, worked, earlier),
      };
    })
    .sort((a, b) => Number(b.remedy !== null) - Number(a.remedy !== null) || b.failures - a.failures)
    .slice(0, PAYLOAD_LIMITS.obstacles);
}

/** In how many earlier executions it was the same failure, and what the same remedy did there; nothing where in none. */
function earlierOf(
  episode: Episode,
  remedy: Trial | undefined,
  earlier: readonly (readonly Episode[])[],
): Pick<Obstacle, 'earlier'> {
  // At this granularity, what makes two episodes the same pattern; to hash it for each of hundreds takes a millisecond.
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

/** How often the same remedy was tried in the execution, and how often it worked. */
function triesOf({ how, fine }: Trial, trials: readonly Trial[]): { tried: number; worked: number } {
  const same = trials.filter((trial) => trial.how === how && trial.fine === fine);
  return { tried: same.length, worked: same.filter(({ worked }) => worked).length };
}

/** A long execution is shown by its failures with their neighbours, in order. */
function showCalls(calls: readonly ToolCall[]): ToolCall[] {
  if (calls.length <= PAYLOAD_LIMITS.calls) return [...calls];
  const wanted = new Set<number>();
  calls.forEach(({ ok }, index) => {
    if (ok || wanted.size >= PAYLOAD_LIMITS.calls) return;
    for (let near = index - 1; near <= index + 3; near += 1) wanted.add(near);
  });
  const shown = calls.filter((_, index) => wanted.has(index));
  return (shown.length > 0 ? shown : [...calls]).slice(0, PAYLOAD_LIMITS.calls);
}

function withFewMessages(calls: readonly ToolCall[], messages: number): AnalysisPayload['calls'] {
  let left = messages;
  return calls.map(({ name, action, ok, errorCategory, errorMessage }) => {
    const shown = errorMessage !== undefined && left > 0;
    if (shown) left -= 1;
    return {
      name,
      action,
      ok,
      ...(errorCategory ? { errorCategory } : {}),
      ...(shown ? { errorMessage: clip(quoteOrWithhold(errorMessage), PAYLOAD_LIMITS.errorMessage) } : {}),
    };
  });
}
