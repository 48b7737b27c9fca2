import type { RecordedCall, RecordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { OutcomeShuffler } from '../../src/evolve/evidence/shuffle.js';
import { type Random, shuffle } from '../../src/evolve/statistics/seeded-random.js';
import { compareText } from '../../src/platform/base/compare-text.js';

/**
 * Returns the executions with the outcomes of their calls (`ok`, `error`, `failure`) permuted within each execution, and
 * the judged outcomes of executions within their agents. Calls whose result is unknown keep it. Whatever is found in them
 * is chance, or differs between executions without being due to a call. In the given order; the random numbers are
 * drawn in the order of the ids.
 */
export function shuffledOutcomes(executions: readonly RecordedExecution[], random: Random): RecordedExecution[] {
  const byId = [...executions].sort((a, b) => compareText(a.id, b.id));
  const calls = new Map(byId.map((one) => [one, shuffledCalls(one.calls, random)]));
  const judged = shuffledJudgements(byId, random);
  return executions.map((one) => {
    const succeeded = judged.get(one);
    return { ...one, calls: calls.get(one) ?? one.calls, ...(succeeded === undefined ? {} : { succeeded }) };
  });
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

function shuffledJudgements(executions: readonly RecordedExecution[], random: Random): Map<RecordedExecution, boolean> {
  const byAgent = new Map<string, RecordedExecution[]>();
  for (const one of executions)
    if (one.succeeded !== undefined) byAgent.set(one.agentId, [...(byAgent.get(one.agentId) ?? []), one]);
  const judged = new Map<RecordedExecution, boolean>();
  for (const own of byAgent.values()) {
    const outcomes = own.map(({ succeeded }) => succeeded === true);
    shuffle(outcomes, random);
    for (const [at, one] of own.entries()) judged.set(one, outcomes[at] ?? false);
  }
  return judged;
}
