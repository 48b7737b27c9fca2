import { termsOf } from '../ranking/terms.js';
import { toLengthOne } from './embedder.js';

export const HASHED_DIMENSIONS = 512;
/** Change the version whenever a text would get another vector, so that stored vectors are embedded again. */
export const HASHED_NAME = `hashed-pieces/1/${HASHED_DIMENSIONS}`;
const NGRAM_LENGTHS = [3, 4] as const;

/**
 * Returns a unit vector for a text without a model: character n-grams (3 and 4) of its words, each hashed to a dimension
 * and a sign (feature hashing, Weinberger and others 2009), with saturated counts. Texts with common words are near each
 * other, also with typos and inflections; meaning is not represented. The result is the same on every machine.
 */
export function hashedEmbedding(text: string): Float32Array {
  const counts = new Map<string, number>();
  const count = (feature: string) => counts.set(feature, (counts.get(feature) ?? 0) + 1);
  for (const term of termsOf(text)) {
    const word = `^${term}$`;
    for (const length of NGRAM_LENGTHS)
      for (let at = 0; at === 0 || at + length <= word.length; at++) count(word.slice(at, at + length));
  }
  const vector = new Float32Array(HASHED_DIMENSIONS);
  for (const [feature, times] of counts) {
    const hash = hashOf(feature);
    const share = times / (times + 1);
    const dimension = hash % HASHED_DIMENSIONS;
    vector[dimension] = (vector[dimension] ?? 0) + (hash & 0x8000_0000 ? share : -share);
  }
  return toLengthOne(vector);
}

/** FNV-1a with the finalizer of MurmurHash3, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
