import type { CallPair } from '../../evidence/calls/lesson-parts.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { ClaimCase } from './claim-cases.js';
import { changeIn, isWorked } from './shown-cases.js';

/** What a reviewer reads in half a minute. */
const MOST_PAIRS = 5;

/**
 * Failing calls beside the calls that worked, each of another execution: those of other tasks and agents first, then those
 * with the fewest other words, the shortest first. Independent of the order of the cases.
 */
export function casePairs(cases: readonly ClaimCase[]): CallPair[] {
  const left = cases
    .flatMap((one) => (isWorked(one) && (one.failed.call !== one.worked.call || one.between.length > 0) ? [one] : []))
    .sort((a, b) => changeIn(a) - changeIn(b) || lengthOf(a) - lengthOf(b) || compareText(keyOf(a), keyOf(b)));
  const taken: typeof left = [];
  const news = (one: ClaimCase): number =>
    (['origin', 'agentId', 'executionId'] as const).filter((by) => taken.every((other) => other[by] !== one[by]))
      .length;
  while (taken.length < MOST_PAIRS) {
    const rest = left.filter((one) => taken.every(({ executionId }) => executionId !== one.executionId));
    const [first] = rest.sort((a, b) => news(b) - news(a) || left.indexOf(a) - left.indexOf(b));
    if (!first) break;
    taken.push(first);
  }
  return taken.map(({ executionId, failedAt, at = failedAt, failed, error, between, worked }) => ({
    executionId,
    failedAt,
    workedAt: at,
    failed,
    error,
    between: [...between],
    worked,
  }));
}

const lengthOf = ({ failed, worked }: ClaimCase): number => failed.call.length + (worked?.call.length ?? 0);
const keyOf = ({ origin, failed, worked, error, failedAt }: ClaimCase): string =>
  JSON.stringify([failed, worked, error, origin, failedAt]);
