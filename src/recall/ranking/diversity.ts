import { wordsOf } from './words.js';

/** The similarity of two items by their positions, in [0, 1]; 1 for equal texts. */
export type Similarity = (a: number, b: number) => number;

export interface Diversifiable {
  /** What the default similarity compares. */
  readonly text?: string;
  readonly score: number;
}

export const MMR_LAMBDA = 0.7;

/**
 * Maximal marginal relevance (Carbonell and Goldstein 1998): repeatedly takes the item with the highest
 * λ × score − (1 − λ) × (highest similarity to a taken item); ties go to the first. Each pair is compared once, when one
 * of the two is taken. The default similarity is the Jaccard index of word bigrams.
 */
export function diversify<T extends Diversifiable>(
  items: readonly T[],
  limit: number,
  lambda = MMR_LAMBDA,
  similarity = bigramSimilarity(items.map(({ text = '' }) => text)),
): T[] {
  const maxSimilarity = new Float64Array(items.length);
  const left = items.map((_, at) => at);
  const taken: T[] = [];
  while (left.length > 0 && taken.length < limit) {
    let best = 0;
    let bestValue = Number.NEGATIVE_INFINITY;
    for (const [place, at] of left.entries()) {
      const value = lambda * (items[at]?.score ?? 0) - (1 - lambda) * (maxSimilarity[at] ?? 0);
      if (value > bestValue) [best, bestValue] = [place, value];
    }
    const [chosen] = left.splice(best, 1);
    const item = chosen === undefined ? undefined : items[chosen];
    if (chosen === undefined || item === undefined) break;
    taken.push(item);
    if (taken.length < limit)
      for (const at of left) maxSimilarity[at] = Math.max(maxSimilarity[at] ?? 0, similarity(chosen, at));
  }
  return taken;
}

/** Returns the word bigrams of a text in lower case; for a text of one word, that word. */
export function bigramsOf(text: string): Set<string> {
  const words = wordsOf(text);
  if (words.length === 1) return new Set(words);
  return new Set(words.slice(1).map((word, at) => `${words[at]} ${word}`));
}

/** |A ∩ B| / |A ∪ B|; 0 for two empty sets. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0;
  for (const bigram of a) if (b.has(bigram)) both += 1;
  return both === 0 ? 0 : both / (a.size + b.size - both);
}

/** Assigns numbers to values, from 0 on; equal values get the same number. */
class Interner<T> {
  private readonly known = new Map<T, number>();

  get size(): number {
    return this.known.size;
  }

  of(item: T): number {
    const known = this.known.get(item);
    if (known !== undefined) return known;
    this.known.set(item, this.known.size);
    return this.known.size - 1;
  }
}

/** `jaccard(bigramsOf(a), bigramsOf(b))` by index: words and pairs become numbers, and a mark array replaces sets. */
export function bigramSimilarity(texts: readonly string[]): Similarity {
  const words = new Interner<string>();
  const numbered = texts.map((text) => wordsOf(text).map((word) => words.of(word)));
  const pairs = new Interner<number>();
  const bigrams = numbered.map((numbers) => {
    const [only] = numbers;
    // A negative key cannot collide with a pair.
    if (only !== undefined && numbers.length === 1) return Int32Array.of(pairs.of(-1 - only));
    const own = new Set<number>();
    // Interned, since numbers beyond 32 bits are slow as keys.
    for (let at = 1; at < numbers.length; at++)
      own.add(pairs.of((numbers[at - 1] ?? 0) * words.size + (numbers[at] ?? 0)));
    return Int32Array.from(own);
  });
  const none = new Int32Array();
  const marks = new Int32Array(pairs.size).fill(-1);
  let marked = -1;
  return (a, b) => {
    const of = bigrams[a] ?? none;
    if (marked !== a) for (const bigram of of) marks[bigram] = a;
    marked = a;
    const other = bigrams[b] ?? none;
    let both = 0;
    for (const bigram of other) if (marks[bigram] === a) both += 1;
    return both === 0 ? 0 : both / (of.length + other.length - both);
  };
}
