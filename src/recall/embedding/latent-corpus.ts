import { compareText } from '../../platform/base/compare-text.js';
import { termsOf } from '../ranking/terms.js';
import { dampedCount, rarityOf } from './latent-terms.js';

export interface CorpusDocument {
  readonly text: string;
  /** Whose private text this is; null for what all readers may see. */
  readonly ownerId: string | null;
}

/** A document as a unit vector of few terms. */
export interface SparseRow {
  readonly terms: Int32Array;
  readonly values: Float64Array;
}

export interface LatentCorpus {
  /** Sorted, so that the order of the documents does not matter. */
  readonly terms: readonly string[];
  readonly weights: Float32Array;
  readonly rows: readonly SparseRow[];
}

/** The most frequent terms are kept. With 128 dimensions a model stays below 3 MB. */
const MAX_TERMS = 20_000;
const DOCUMENTS_A_STEP = 10;

interface TermUse {
  documents: number;
  /** The only owner so far; null once all readers may see the term. */
  owner: string | null;
}

/**
 * Reads the terms of the documents, in short steps. A term is taken only if it stands in a document that all readers may
 * see, or in documents of two owners: a model that is shared must not reveal the words of one agent.
 */
export function* readCorpus(documents: readonly CorpusDocument[]): Generator<void, LatentCorpus> {
  const uses = new Map<string, TermUse>();
  const counted: Map<string, number>[] = [];
  for (const [at, { text, ownerId }] of documents.entries()) {
    const counts = new Map<string, number>();
    for (const term of termsOf(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
    counted.push(counts);
    for (const term of counts.keys()) noteUse(uses, term, ownerId);
    if (at % DOCUMENTS_A_STEP === 0) yield;
  }
  const terms = sharedTerms(uses);
  const numbers = new Map(terms.map((term, number) => [term, number]));
  const weights = Float32Array.from(terms, (term) => rarityOf(uses.get(term)?.documents ?? 1, documents.length));
  const rows: SparseRow[] = [];
  for (const [at, counts] of counted.entries()) {
    rows.push(rowOf(counts, numbers, weights));
    if (at % (5 * DOCUMENTS_A_STEP) === 0) yield;
  }
  return { terms, weights, rows };
}

function noteUse(uses: Map<string, TermUse>, term: string, ownerId: string | null): void {
  const use = uses.get(term);
  if (!use) uses.set(term, { documents: 1, owner: ownerId });
  else {
    use.documents += 1;
    if (use.owner !== ownerId) use.owner = null;
  }
}

function sharedTerms(uses: ReadonlyMap<string, TermUse>): string[] {
  const shared = [...uses].filter(([, { owner }]) => owner === null);
  if (shared.length > MAX_TERMS)
    shared.sort(([a, { documents: x }], [b, { documents: y }]) => y - x || compareText(a, b));
  return shared
    .slice(0, MAX_TERMS)
    .map(([term]) => term)
    .sort(compareText);
}

/** The terms in the order of their numbers, so that a sum over them has the same bytes on every run. */
function rowOf(
  counts: ReadonlyMap<string, number>,
  numbers: ReadonlyMap<string, number>,
  weights: Float32Array,
): SparseRow {
  const known = [...counts].flatMap(([term, count]) => {
    const number = numbers.get(term);
    return number === undefined ? [] : [[number, dampedCount(count) * (weights[number] ?? 0)] as const];
  });
  known.sort(([a], [b]) => a - b);
  const length = Math.sqrt(known.reduce((sum, [, value]) => sum + value * value, 0)) || 1;
  return {
    terms: Int32Array.from(known, ([number]) => number),
    values: Float64Array.from(known, ([, value]) => value / length),
  };
}
