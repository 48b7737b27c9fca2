import type { UsedDanger } from '../../capture/observations/trial.js';
import { compareText } from '../../platform/base/compare-text.js';

/** A dangerous form that a remedy used. */
export interface CountedDanger extends UsedDanger {
  readonly times: number;
}

/** For any reports: further dangers are not recorded, but the ones that are keep their risk. */
const LIMITS = { kept: 50, shown: 5 } as const;

/** The dangers that a reviewer sees: one call for each form, the most frequent first. */
export function shownDangers(dangers: readonly UsedDanger[]): CountedDanger[] {
  const byCall = counted(dangers, ({ class: kind, program, form, call }) => [kind, program, form, call]);
  const byForm = counted(byCall, ({ class: kind, program, form }) => [kind, program, form]);
  return byForm.slice(0, LIMITS.shown);
}

/** One danger for each key with the number of its uses, the most frequent first. */
function counted(
  dangers: readonly (UsedDanger & { readonly times?: number })[],
  keyOf: (danger: UsedDanger) => readonly string[],
): CountedDanger[] {
  const found = new Map<string, CountedDanger>();
  for (const danger of dangers) {
    const key = JSON.stringify(keyOf(danger));
    const known = found.get(key);
    if (known === undefined && found.size >= LIMITS.kept) continue;
    found.set(key, { ...(known ?? danger), times: (known?.times ?? 0) + (danger.times ?? 1) });
  }
  return [...found].sort((a, b) => b[1].times - a[1].times || compareText(a[0], b[0])).map(([, danger]) => danger);
}
