import { sha256 } from '../../platform/base/canonical-json.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { LabelledQuery, TrainingInput } from './training-contract.js';

export interface JudgedQuery {
  readonly text: string;
  readonly vector: Float32Array;
  /** Ids of known documents, sorted. At least one. */
  readonly relevant: readonly string[];
}

/**
 * The labelled queries in an order that depends on the seed and the texts alone, so that a query keeps its part when others
 * come and go. The same words in another case or with other signs are one query, which the parts must not share.
 */
export function judgedQueries({ documents, queries, seed }: TrainingInput): JudgedQuery[] {
  const known = new Set(documents.map(({ id }) => id));
  const byWords = new Map<string, { query: LabelledQuery; relevant: Set<string> }>();
  for (const query of queries) {
    const relevant = query.relevant.filter((id) => known.has(id));
    if (relevant.length === 0) continue;
    const words = wordsOf(query.text);
    const same = byWords.get(words) ?? { query, relevant: new Set() };
    for (const id of relevant) same.relevant.add(id);
    byWords.set(words, same);
  }
  const keyed = [...byWords].map(([words, { query, relevant }]) => ({
    key: sha256(`${seed} ${words}`),
    judged: { text: query.text, vector: query.vector, relevant: [...relevant].sort(compareText) },
  }));
  return keyed.sort((a, b) => compareText(a.key, b.key)).map(({ judged }) => judged);
}

const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
