import { OutcomeShuffler } from '../../src/evolve/evidence/by-chance.js';
import type { RecordedCall, RecordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import type { Random } from '../../src/evolve/statistics/seeded-random.js';
import { compareText } from '../../src/platform/base/compare-text.js';

/**
 * Returns the executions with the outcomes of their calls (`ok`, `error`, `failure`) permuted within each execution. Calls
 * whose result is unknown keep it. Whatever is found in them is chance, or differs between executions without being due to
 * a call. In the given order; the random numbers are drawn in the order of the ids.
 */
export function shuffledOutcomes(executions: readonly RecordedExecution[], random: Random): RecordedExecution[] {
  const byId = [...executions].sort((a, b) => compareText(a.id, b.id));
  const calls = new Map(byId.map((one) => [one, shuffledCalls(one.calls, random)]));
  return executions.map((one) => ({ ...one, calls: calls.get(one) ?? one.calls }));
}

function shuffledCalls(calls: readonly RecordedCall[], random: Random): RecordedCall[] {
  const shuffler = new OutcomeShuffler(calls.map(({ ok }) => ok));
  const order = shuffler.next(random);
  return calls.map(({ failure: _own, ...call }, at) => {
    const outcome = calls[order[at] ?? at];
    const { ok, error } = outcome ?? call;
    return { ...call, ok, error, ...(outcome?.failure ? { failure: outcome.failure } : {}) };
  });
}
