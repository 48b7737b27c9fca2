import { sha256 } from '../../platform/base/canonical-json.js';
import { countsOf } from '../../platform/base/sum.js';
import { inOrder, type RecordedExecution } from './recorded-execution.js';

type Splittable = Pick<RecordedExecution, 'id' | 'origin' | 'finishedAt'>;

/** Executions to learn from and to check on. All executions of one origin are in one half. */
export interface Halves<T> {
  readonly a: readonly T[];
  readonly b: readonly T[];
}

/** Changing it changes which half every origin is in. */
const SEED = 'halves of origins, 1';

/**
 * Splits executions in two, in their given order. `origin`: by a hash of the origin, so that an origin stays in its half
 * in every cycle. `time`: the half that finished first is `a`; an origin belongs where its first execution does. Facts of
 * one project are learned and checked that way, because other origins may never meet them.
 */
export function halvesOf<T extends Splittable>(executions: readonly T[], { by }: { by: 'origin' | 'time' }): Halves<T> {
  const isFirst = by === 'origin' ? isOfFirstHalf : earlierHalf(executions);
  return {
    a: executions.filter(({ origin }) => isFirst(origin)),
    b: executions.filter(({ origin }) => !isFirst(origin)),
  };
}

/** The half of an origin, if the split is by origin. */
export const halfOf = (origin: string): keyof Halves<unknown> => (isOfFirstHalf(origin) ? 'a' : 'b');

function isOfFirstHalf(origin: string): boolean {
  return Number.parseInt(sha256(`${SEED}\n${origin}`).slice(0, 2), 16) < 128;
}

function earlierHalf(executions: readonly Splittable[]): (origin: string) => boolean {
  const byTime = [...executions].sort(inOrder);
  const counts = countsOf(byTime.map(({ origin }) => origin));
  const first = new Set<string>();
  let taken = 0;
  for (const [origin, n] of counts) {
    // the next origin belongs to the later half if that brings the halves closer together
    if (first.size > 0 && taken + n / 2 > executions.length / 2) break;
    first.add(origin);
    taken += n;
  }
  return (origin) => first.has(origin);
}
