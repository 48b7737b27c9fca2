import type { ToolCall } from '../report/execution-report.schema.js';
import { attemptsAfter } from './attempts.js';
import { type Episode, GRANULARITIES, type Granularity, OBSERVATION_SETTINGS, type Trial } from './episode.js';
import { learningCalls } from './learning-calls.js';
import { type Call, type FailedCall, failureKey, isFailed } from './trial.js';

/** Groups the failures of an execution at both granularities. Linear in the number of calls. `calls`: those reported, parsed. */
export function episodesOf(reported: readonly ToolCall[], calls: readonly Call[]): Episode[] {
  if (!calls.some(isFailed)) return [];
  const read = learningCalls(reported, calls);
  const byKey = new Map<string, { granularity: Granularity; failures: FailedCall[] }>();
  const variants = new Map<string, number>();
  for (const call of calls) {
    if (!isFailed(call)) continue;
    for (const granularity of GRANULARITIES) {
      const key = JSON.stringify([granularity, failureKey(call), granularity === 'template' ? call.template : '']);
      const known = byKey.get(key);
      if (known) {
        known.failures.push(call);
        continue;
      }
      const action = JSON.stringify([granularity, failureKey(call)]);
      const count = (variants.get(action) ?? 0) + 1;
      if (byKey.size >= OBSERVATION_SETTINGS.episodes || count > OBSERVATION_SETTINGS.variants) continue;
      variants.set(action, count);
      byKey.set(key, { granularity, failures: [call] });
    }
  }
  const found = new Map<FailedCall, readonly Trial[]>();
  const attempts = (failed: FailedCall): readonly Trial[] => {
    const known = found.get(failed) ?? attemptsAfter(failed, calls, read);
    found.set(failed, known);
    return known;
  };
  return [...byKey.values()].flatMap(({ granularity, failures }) => episodeOf(granularity, failures, attempts));
}

function episodeOf(
  granularity: Granularity,
  failures: readonly FailedCall[],
  attempts: (failed: FailedCall) => readonly Trial[],
): Episode[] {
  const [first] = failures;
  if (!first) return [];
  // By the index of the later call: one remedy counts once, however many failures precede it.
  const trials = new Map<number, Trial>();
  for (const failed of failures) for (const tried of attempts(failed)) trials.set(tried.at, tried);
  return [
    {
      granularity,
      tool: first.failing.tool,
      coarse: first.failing.coarse,
      errorClass: first.errorClass,
      template: first.template,
      failures: failures.length,
      trials: limited([...trials.values()]),
    },
  ];
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
