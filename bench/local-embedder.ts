import { termsOf } from '../src/recall/terms.js';

export const LOCAL_DIMENSIONS = 2_048;
/** How much a word's pieces say beside the word. */
const PIECES = 0.3;
const PIECE = 4;

/**
 * A vector for a text without a model: its words, and the pieces of four characters of each, hashed into places with a
 * sign (Weinberger and others 2009), saturated and of length one. Texts are near each other that share words, spelling
 * mistakes and word forms included. The same on every machine.
 */
export function embedLocally(text: string): Float32Array {
  const counts = new Map<string, number>();
  const count = (feature: string, weight: number) => counts.set(feature, (counts.get(feature) ?? 0) + weight);
  for (const term of termsOf(text)) {
    count(`w${term}`, 1);
    const pieces = piecesOf(`^${term}$`);
    for (const piece of pieces) count(`p${piece}`, PIECES);
  }
  const vector = new Float32Array(LOCAL_DIMENSIONS);
  for (const [feature, weight] of counts) {
    const hash = hashOf(feature);
    const place = hash % LOCAL_DIMENSIONS;
    const full = feature.startsWith('p') ? PIECES : 1;
    const share = (full * weight) / (weight + full);
    vector[place] = (vector[place] ?? 0) + (hash & 0x8000_0000 ? share : -share);
  }
  return ofLengthOne(vector);
}

/** Cosine of two vectors of length one. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

export function ofLengthOne(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}

function piecesOf(word: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at + PIECE <= word.length; at++) pieces.push(word.slice(at, at + PIECE));
  return pieces.length === 0 ? [word] : pieces;
}

/** FNV-1a with the mixing of murmur3 at its end, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
