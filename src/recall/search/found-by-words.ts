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

/** The hits of a keyword search in the order of their evidence and their score; without those that are not in `byId`. */
export function byEvidence(
  hits: readonly Hit[],
  byId: ReadonlyMap<string, RecallableMemory>,
  query: string,
  rarityOf: (term: string) => number,
): Evident[] {
  const asked = askedWords(query, rarityOf);
  return hits
    .flatMap(({ id, score }) => {
      const entry = byId.get(id);
      if (!entry) return [];
      const logOdds = logOddsByWords(asked, wordsOfMemory(entry));
      return [{ id, logOdds, order: logOdds + SCORE_SHARE * Math.log(score) }];
    })
    .sort((x, y) => y.order - x.order || compareText(x.id, y.id));
}

/** The hits of a search without an index, in its order. */
export function byOverlap(
  entries: readonly RecallableMemory[],
  text: string,
  query: string,
  tools: readonly string[],
): Evident[] {
  const words = new Map(entries.map((entry) => [entry.id, wordsOfMemory(entry)]));
  const all = [...words.values()];
  const asked = askedWords(query, (term) => idfOf(all.filter((one) => one.has(term)).length, all.length));
  return keywordOverlapHits(entries, text, tools).flatMap((id) => {
    const found = words.get(id);
    return found ? [{ id, logOdds: logOddsByWords(asked, found) }] : [];
  });
}
