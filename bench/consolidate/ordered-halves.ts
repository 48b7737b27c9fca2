import { sha256 } from '../../src/platform/base/canonical-json.js';
import { type TwoHalves, twoHalves } from '../delivery/learned-half.js';
import type { ObservedExecution } from '../fidelity/product-lessons.js';
import type { ReadSet } from '../sets/set-reader.js';

/**
 * Splits the executions of each agent of a set as the benchmark of the delivery splits a set, because a private lesson
 * stays with its agent. Each half has the order in which it is replayed: by time where a set has distinct times,
 * otherwise by a hash of the task. Only the first `limit` executions in that order are read.
 */
export function orderedHalves(
  executions: readonly ObservedExecution[],
  isOrdered: ReadSet['isOrdered'],
  { seed, limit }: { readonly seed: number; readonly limit: number },
): TwoHalves<ObservedExecution> {
  const order = new Map(
    executions.map((one) => [one, isOrdered ? (one.startedAt ?? '') : sha256(`order ${seed}\n${one.row.taskId}`)]),
  );
  const inOrder = (all: Iterable<ObservedExecution>): ObservedExecution[] =>
    [...all].sort((a, b) => compare(order.get(a) ?? '', order.get(b) ?? '') || compare(a.row.id, b.row.id));
  const byAgent = new Map<string, ObservedExecution[]>();
  for (const one of inOrder(executions).slice(0, limit))
    byAgent.set(one.row.agentId, [...(byAgent.get(one.row.agentId) ?? []), one]);
  const halves = [...byAgent.values()].map((own) => twoHalves(own, isOrdered, seed));
  return {
    learned: inOrder(halves.flatMap(({ learned }) => learned)),
    replayed: inOrder(halves.flatMap(({ replayed }) => replayed)),
    by: isOrdered ? 'time' : 'task',
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
