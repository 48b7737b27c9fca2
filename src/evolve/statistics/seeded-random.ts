/** A source of numbers in [0, 1). */
export type Random = () => number;

/** Returns a source that gives the same numbers for the same seed on every machine: Mulberry32 (T. Ettinger). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Shuffles in place by the algorithm of Fisher and Yates. */
export function shuffle<T extends { readonly length: number; [at: number]: V }, V>(list: T, random: Random): void {
  for (let last = list.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const [a, b] = [list[last], list[other]];
    if (a === undefined || b === undefined) continue;
    list[last] = b;
    list[other] = a;
  }
}
