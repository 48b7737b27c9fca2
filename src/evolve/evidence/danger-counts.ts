import type { UsedDanger } from '../../capture/observations/trial-dangers.js';
import { compareText } from '../../platform/base/compare-text.js';

/** Dangerous forms with their calls, and how often each was used; by their JSON, so that counts can be taken back. */
export type DangerCounts = ReadonlyMap<string, number>;

/** A dangerous form that a remedy used. */
export interface CountedDanger extends UsedDanger {
  readonly times: number;
}

/** For any reports: further dangers are not recorded, but the ones that are keep their risk. */
const LIMITS = { kept: 50, shown: 5 } as const;

/** `times`: 1, or -1 to take them back. Returns undefined if none are left. */
export function countDangers(
  known: DangerCounts | undefined,
  dangers: readonly UsedDanger[],
  times: 1 | -1,
): DangerCounts {
  const counts = new Map(known);
  for (const { class: kind, program, form, call } of dangers) {
    const key = JSON.stringify([kind, program, form, call]);
    const now = (counts.get(key) ?? 0) + times;
    if (now <= 0) counts.delete(key);
    else if (counts.has(key) || counts.size < LIMITS.kept) counts.set(key, now);
  }
  return counts;
}

/** Returns undefined if there are none. */
export function sumDangers(all: readonly (DangerCounts | undefined)[]): DangerCounts | undefined {
  const sum = new Map<string, number>();
  for (const counts of all) for (const [key, times] of counts ?? []) sum.set(key, (sum.get(key) ?? 0) + times);
  return sum.size > 0 ? sum : undefined;
}

/** The dangers that a reviewer sees: one call for each form, the most frequent first. */
export function shownDangers(all: readonly (DangerCounts | undefined)[]): CountedDanger[] {
  const byForm = new Map<string, CountedDanger>();
  const sorted = [...(sumDangers(all) ?? [])].sort((a, b) => b[1] - a[1] || compareText(a[0], b[0]));
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
