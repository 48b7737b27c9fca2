import { termsOf } from '../ranking/terms.js';

/** Counts the terms of a text that stand in the vocabulary, by their number. */
export function countKnown(text: string, numbers: ReadonlyMap<string, number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const term of termsOf(text)) {
    const number = numbers.get(term);
    if (number !== undefined) counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  return counts;
}

/** The share of a term that occurs `count` times: repetition counts by its logarithm. */
export const dampedCount = (count: number): number => 1 + Math.log(count);

/** How much a term says, by the number of documents that hold it. */
export const rarityOf = (holding: number, documents: number): number => Math.log(1 + documents / holding);
