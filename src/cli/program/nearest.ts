import { editDistance } from '../../platform/config/nearest-name.js';

/** Changes of one character after which a word is still taken for a mistyped one. */
const MAX_DISTANCE = 3;
const MIN_SIMILARITY = 0.4;
/** Shorter beginnings of a word say too little. */
const MIN_BEGINNING = 3;
const MAX_SUGGESTIONS = 3;

/** The candidates that the word was probably meant to be, if they are equally near; at most three. */
export function nearest(word: string, candidates: readonly string[]): string[] {
  const near = [...new Set(candidates)].flatMap((candidate) => {
    if (word.length >= MIN_BEGINNING && candidate.startsWith(word)) return [{ candidate, distance: 0 }];
    // The work grows with the product of the lengths, and a much longer word is no mistyped command.
    if (Math.abs(word.length - candidate.length) > MAX_DISTANCE) return [];
    const distance = editDistance(word, candidate);
    const longest = Math.max(word.length, candidate.length);
    const isNear = distance <= MAX_DISTANCE && (longest - distance) / longest > MIN_SIMILARITY;
    return isNear ? [{ candidate, distance }] : [];
  });
  const smallest = Math.min(...near.map(({ distance }) => distance));
  return near
    .flatMap(({ candidate, distance }) => (distance === smallest ? [candidate] : []))
    .slice(0, MAX_SUGGESTIONS);
}
