import type { ToolCall } from '../report/execution-report.schema.js';
import { attemptsAfter } from './attempts.js';
import { type Episode, OBSERVATION_SETTINGS, type Trial } from './episode.js';
import { learningCalls } from './learning-calls.js';
import { type Call, type FailedCall, failureKey, isFailed } from './trial.js';

/** Groups the failures of an execution. Linear in the number of calls. `calls`: those reported, parsed. */
export function episodesOf(reported: readonly ToolCall[], calls: readonly Call[]): Episode[] {
  const failures = calls.filter(isFailed);
  if (failures.length === 0) return [];
  const read = learningCalls(reported, calls);
  const groups = new Map<string, [FailedCall, ...FailedCall[]]>();
  const variants = new Map<string, number>();
  for (const call of failures) {
    const action = failureKey(call);
    const key = JSON.stringify([action, call.template]);
    const known = groups.get(key);
    const count = (variants.get(action) ?? 0) + 1;
    if (known) known.push(call);
    else if (groups.size < OBSERVATION_SETTINGS.episodes && count <= OBSERVATION_SETTINGS.variants) {
      variants.set(action, count);
      groups.set(key, [call]);
    }
  }
  return [...groups.values()].map((group) => episodeOf(group, (failed) => attemptsAfter(failed, calls, read)));
}

function episodeOf(
  failures: readonly [FailedCall, ...FailedCall[]],
  attempts: (failed: FailedCall) => readonly Trial[],
): Episode {
  const [{ failing, errorClass, template }] = failures;
  // By the index of the later call: one remedy counts once, however many failures precede it.
  const trials = new Map(failures.flatMap(attempts).map((tried) => [tried.at, tried]));
  return {
    tool: failing.tool,
    coarse: failing.coarse,
    errorClass,
    template,
    failures: failures.length,
    trials: limited([...trials.values()]),
  };
}

/** Fifty tries in one execution must not outweigh fifty executions. */
function limited(trials: readonly Trial[]): Trial[] {
  const seen = new Map<string, number>();
  return trials.filter(({ features }) => {
    const key = features.join();
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return (seen.get(key) ?? 0) <= OBSERVATION_SETTINGS.trials;
  });
}
