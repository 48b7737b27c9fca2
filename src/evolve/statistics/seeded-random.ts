import { SeededRandom } from '../../platform/base/seeded-random.js';

/** A source of numbers in [0, 1). */
export type Random = () => number;

/** Returns a source that gives the same numbers for the same seed on every machine. */
export function seededRandom(seed: number): Random {
  const random = new SeededRandom(seed);
  return () => random.uniform();
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
