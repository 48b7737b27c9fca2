import type { ArmKind, Check } from '../../evidence/predicate/check.schema.js';
import { groupsOf } from '../../platform/base/sum.js';
import { type Entrant, figuresOf } from './comparison.js';
import { permutationWithout } from './permutation.js';
import { looksBetter, pairsHold } from './verdict.js';

/**
 * Returns how often a confirmed comparison stays confirmed if one of the groups in its arms, such as an agent, is left
 * out. Null if there is only one group. Executions whose group is unknown could be of any: they are not compared, and no
 * group of their own.
 */
export function leftOut(
  kind: ArmKind,
  entrants: readonly Entrant[],
  groupOf: (entrant: Entrant) => string | undefined,
): Check['withoutOneAgent'] {
  const known = entrants.filter((one) => groupOf(one) !== undefined);
  const counted = known.flatMap((one, at) => (Object.keys(one.tried).length === 0 ? [] : { at, group: groupOf(one) }));
  const groups = groupsOf(counted, ({ group }) => group);
  if (groups.size === 1) return null;
  let holdsWithout: ReturnType<typeof permutationWithout> | undefined;
  const confirmed = [...groups.values()].filter((own) => {
    const places = new Set(own.map(({ at }) => at));
    const rest = known.filter((_, at) => !places.has(at));
    const figures = figuresOf(kind, rest);
    if (!looksBetter(figures)) return false;
    if (pairsHold(figures)) return true;
    holdsWithout ??= permutationWithout(kind, known);
    return holdsWithout([...places], figures);
  });
  return { confirmed: confirmed.length, of: groups.size };
}
