import { errorKind } from '../errors/error-kind.js';
import type { ToolCall } from '../report/execution-report.schema.js';
import { attemptsAfter, toolAt } from './attempts.js';
import { type Episode, GRANULARITIES, type Granularity, OBSERVATION_SETTINGS, type Trial } from './episode.js';
import { learningCalls } from './learning-calls.js';
import { type Call, type FailedCall, failureKey, isFailed } from './trial.js';

/** Groups the failures of an execution at every granularity. Linear in the number of calls. `calls`: those of the report, parsed. */
export function episodesOf(reported: readonly ToolCall[], calls: readonly Call[]): Episode[] {
  if (!calls.some(isFailed)) return [];
  const read = learningCalls(reported, calls);
  const byKey = new Map<string, { granularity: Granularity; failures: FailedCall[] }>();
  const variants = new Map<string, number>();
  for (const call of calls) {
    if (!isFailed(call)) continue;
    for (const granularity of GRANULARITIES) {
      const identity = identityOf(call, granularity);
      if (identity === undefined) continue;
      const key = JSON.stringify([granularity, toolAt(call, granularity), ...identity]);
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

/** The fields that all failures of one episode share; undefined if the granularity does not apply to this call. */
function identityOf(call: FailedCall, granularity: Granularity): string[] | undefined {
  const { failing, errorClass: name, template } = call;
  switch (granularity) {
    case 'kind': {
      const kind = toolAt(call, granularity) === undefined ? undefined : errorKind(name, template);
      return kind === undefined ? undefined : [kind];
    }
    case 'class':
      return [failing.coarse, name];
    case 'template':
      return [failing.coarse, name, template];
  }
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
  const kind = errorKind(first.errorClass, first.template);
  return [
    {
      granularity,
      tool: toolAt(first, granularity) ?? first.failing.tool,
      purpose: first.failing.purpose,
      coarse: first.failing.coarse,
      errorClass: first.errorClass,
      template: first.template,
      ...(kind ? { kind } : {}),
      failures: failures.length,
      at: first.index,
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
