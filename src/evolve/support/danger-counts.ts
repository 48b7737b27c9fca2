import type { UsedDanger } from '../../capture/observations/trial-dangers.js';
import { compareText } from '../../platform/base/compare-text.js';

/** Dangerous forms with their calls, and how often each was used; by their JSON. */
type DangerCounts = ReadonlyMap<string, number>;

/** A dangerous form that a remedy used. */
export interface CountedDanger extends UsedDanger {
  readonly times: number;
}

/** For any reports: further dangers are not recorded, but the ones that are keep their risk. */
const LIMITS = { kept: 50, shown: 5 } as const;

function countDangers(dangers: readonly UsedDanger[]): DangerCounts {
  const counts = new Map<string, number>();
  for (const { class: kind, program, form, call } of dangers) {
    const key = JSON.stringify([kind, program, form, call]);
    const known = counts.get(key);
    if (known !== undefined || counts.size < LIMITS.kept) counts.set(key, (known ?? 0) + 1);
  }
  return counts;
}

/** The dangers that a reviewer sees: one call for each form, the most frequent first. */
export function shownDangers(dangers: readonly UsedDanger[]): CountedDanger[] {
  const byForm = new Map<string, CountedDanger>();
  const sorted = [...countDangers(dangers)].sort((a, b) => b[1] - a[1] || compareText(a[0], b[0]));
  for (const [key, times] of sorted) {
    // The key was made by `countDangers`, from a danger.
    const [kind, program, form, call] = JSON.parse(key) as [UsedDanger['class'], string, string, string];
    const same = JSON.stringify([kind, program, form]);
    const known = byForm.get(same);
    byForm.set(same, known ? { ...known, times: known.times + times } : { class: kind, program, form, call, times });
  }
  return [...byForm.values()]
    .sort((a, b) => b.times - a.times || compareText(`${a.program} ${a.form}`, `${b.program} ${b.form}`))
    .slice(0, LIMITS.shown);
}
