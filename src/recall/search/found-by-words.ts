import type { RecallableMemory } from '../../memory/store/recallable-memory.js';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import { compareText } from '../../platform/base/compare-text.js';
import { type Hit, idfOf } from '../index/bm25-index.js';
import { askedWords, logOddsByWords, MemoryWords, SCORE_SHARE } from '../ranking/evidence.js';
import { keywordOverlapHits } from '../ranking/keyword-overlap.js';

/** A memory that a source found, with the evidence that it is about the query. */
export interface Evident {
  readonly id: string;
  readonly logOdds: number;
}

/** Reading the words of a memory costs more than a search; most recalls find the same ones. */
const READ = new FifoCache<{ readonly entry: RecallableMemory; readonly words: MemoryWords }>(2_000);

function wordsOfMemory(entry: RecallableMemory): MemoryWords {
  const known = READ.get(entry.id);
  if (known?.entry === entry) return known.words;
  const words = new MemoryWords(entry);
  READ.set(entry.id, { entry, words });
  return words;
}

/** The log odds that each of these memories is about the query by its words. */
export function evidenceOf(
  entries: readonly RecallableMemory[],
  query: string,
  rarityOf: (term: string) => number,
): ReadonlyMap<string, number> {
  const asked = askedWords(query, rarityOf);
  return new Map(entries.map((entry) => [entry.id, logOddsByWords(asked, wordsOfMemory(entry))]));
}

/** The hits of a keyword search in the order of their evidence and their score; without those that share only function words. */
export const byEvidence = (hits: readonly Hit[], evidence: ReadonlyMap<string, number>): Evident[] =>
  hits
    .flatMap(({ id, score }) => {
      const logOdds = evidence.get(id) ?? Number.NEGATIVE_INFINITY;
      return Number.isFinite(logOdds) ? [{ id, logOdds, order: logOdds + SCORE_SHARE * Math.log(score) }] : [];
    })
    .sort((x, y) => y.order - x.order || compareText(x.id, y.id));

/** The hits of a search without an index, in its order. */
export function byOverlap(
  entries: readonly RecallableMemory[],
  text: string,
  query: string,
  tools: readonly string[],
): Evident[] {
  const all = entries.map(wordsOfMemory);
  const evidence = evidenceOf(entries, query, (term) => idfOf(all.filter((one) => one.has(term)).length, all.length));
  return keywordOverlapHits(entries, text, tools).map((id) => ({ id, logOdds: evidence.get(id) ?? 0 }));
}
