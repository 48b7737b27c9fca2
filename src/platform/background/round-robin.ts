/**
 * Orders items that several writers made for one budget, so that each writer has a share of every beginning: the first
 * item of each writer, then the second of each. Writers are in the order of their firsts, and the items of a writer keep
 * their order. A writer with many items therefore takes only what the others leave.
 */
export function roundRobin<T>(items: readonly T[], writerOf: (item: T) => string): T[] {
  const rounds: T[][] = [];
  const taken = new Map<string, number>();
  for (const item of items) {
    const round = taken.get(writerOf(item)) ?? 0;
    taken.set(writerOf(item), round + 1);
    const others = rounds[round];
    if (others) others.push(item);
    else rounds.push([item]);
  }
  return rounds.flat();
}

/**
 * Whether a writer who holds `own` of a shared budget may take one more: as long as it holds less than what is left.
 * Alone it gets half of the budget, with another one a third each: a share is always left for the next one.
 */
export const hasShare = (own: number, taken: number, budget: number): boolean => own < budget - taken;

/**
 * Returns the first items for so many places, in their order. A writer beyond its share comes after the others, and gets
 * the places that they leave.
 */
export function shareOut<T>(items: readonly T[], places: number, writerOf: (item: T) => string): T[] {
  if (items.length <= places) return [...items];
  const held = new Map<string, number>();
  const chosen = new Set<T>();
  for (const item of items) {
    const own = held.get(writerOf(item)) ?? 0;
    if (!hasShare(own, chosen.size, places)) continue;
    held.set(writerOf(item), own + 1);
    chosen.add(item);
  }
  for (const item of items) if (chosen.size < places) chosen.add(item);
  return items.filter((item) => chosen.has(item));
}
