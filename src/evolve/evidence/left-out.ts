import type { ArmKind, Check } from '../../evidence/predicate/check.schema.js';
import { groupsOf } from '../../platform/base/sum.js';
import { type Entrant, type Figures, figuresOf } from './comparison.js';
import { holdingWithout } from './permutation.js';
import { looksBetter, pairsHold } from './verdict.js';

type LeftOut = Check['withoutOneAgent'];

/**
 * Returns how often a confirmed comparison stays confirmed if one of the groups in its arms, such as an agent, is left
 * out. Null if there is only one group. Executions whose group is unknown could be of any: they are not compared, and no
 * group of their own.
 */
export function leftOut(
  kind: ArmKind,
  entrants: readonly Entrant[],
  groupOf: (entrant: Entrant) => string | undefined,
): LeftOut {
  const known = entrants.filter((one) => groupOf(one) !== undefined);
  const counted = known.filter(({ tried }) => tried.with !== undefined || tried.without !== undefined);
  const groups = groupsOf(counted, (one) => groupOf(one) ?? '');
  if (groups.size === 1) return null;
  const ofAgent = groupsOf(counted, ({ agentId }) => agentId);
  const figuresBy = new Map<string, Figures>();
  const undecided = new Map<string, Figures>();
  let confirmed = 0;
  for (const [group, own] of groups) {
    const tries = triesIn(own, ofAgent);
    const figures =
      figuresBy.get(tries) ??
      figuresOf(
        kind,
        counted.filter((one) => groupOf(one) !== group),
      );
    figuresBy.set(tries, figures);
    if (!looksBetter(figures)) continue;
    if (pairsHold(figures)) confirmed++;
    else undecided.set(group, figures);
  }
  if (undecided.size > 0) confirmed += holdingWithout(known, groupOf, undecided);
  return { confirmed, of: groups.size };
}

/** What leaves with a group. The same tries of one agent each leave the same figures, so that these are counted once. */
function triesIn(own: readonly Entrant[], ofAgent: ReadonlyMap<string, readonly Entrant[]>): string {
  const [first] = own;
  const isAgent = own.every(({ agentId }) => agentId === first?.agentId);
  const isWhole = isAgent && ofAgent.get(first?.agentId ?? '')?.length === own.length;
  return own
    .map(({ agentId, tried }) => `${isWhole ? '' : agentId} ${tried.with} ${tried.without}`)
    .sort()
    .join('\n');
}
