import { compareText } from '../../platform/base/compare-text.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { optional } from '../../platform/base/optional.js';
import { Bm25Index } from '../../recall/index/bm25-index.js';
import { queryTerms, termsOf } from '../../recall/ranking/terms.js';
import { clip } from '../../untrusted/text/clip.js';
import type { EntryKind, SessionEntry, SessionHit } from './session-memory.schema.js';

/** The longest summary of a result, in UTF-16 code units. */
export const HIT_SUMMARY = 160;
/** A tag is what its writer thought that the entry is about, so it weighs as much as two words of the text. */
const WORDS_OF_A_TAG = 2;
const ONE_GROUP = '';

export interface EntryFilter {
  readonly kinds?: readonly EntryKind[];
  readonly tags?: readonly string[];
  /** Entries without a project belong to every one. */
  readonly project?: string;
}

/** Whether an entry passes a filter. Everything passes a member that is missing or empty. */
export function passes({ kind, tags, project }: SessionEntry, filter: EntryFilter): boolean {
  const { kinds = [], tags: wanted = [], project: of } = filter;
  return (
    (kinds.length === 0 || kinds.includes(kind)) &&
    (wanted.length === 0 || wanted.some((tag) => tags.includes(tag))) &&
    (of === undefined || project === undefined || project === of)
  );
}

/** Sorts newest first. An entry without a date was written by a person, and comes first. */
export function newestFirst(entries: readonly SessionEntry[]): SessionEntry[] {
  return [...entries].sort((a, b) => compareText(b.at ?? '~', a.at ?? '~') || compareText(a.id, b.id));
}

type TermsOf = (entry: SessionEntry) => readonly string[];

/**
 * Ranks entries by BM25 over the terms of their text and tags; equal scores newest first. If no term matches, an entry
 * that contains the query is found (a part of a word). Without words, returns the newest.
 */
export function rankEntries(
  entries: readonly SessionEntry[],
  query: string,
  limit: number,
  termsIn: TermsOf = entryTerms,
): SessionEntry[] {
  const ordered = newestFirst(entries);
  const words = query.trim();
  if (words === '') return ordered.slice(0, limit);
  const index = new Bm25Index();
  for (const [at, entry] of ordered.entries()) index.add(String(at), ONE_GROUP, termsIn(entry));
  const scores = new Map(
    index.search(queryTerms(words), [ONE_GROUP], ordered.length).hits.map(({ id, score }) => [id, score]),
  );
  const scoreOf = (at: number): number => scores.get(String(at)) ?? 0;
  if (scores.size > 0)
    return ordered
      .map((entry, at) => ({ entry, score: scoreOf(at) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ entry }) => entry);
  const part = words.toLowerCase();
  return ordered.filter(({ content }) => content.toLowerCase().includes(part)).slice(0, limit);
}

export function entryTerms({ content, tags }: SessionEntry): string[] {
  const ofTags = termsOf(tags.join(' '));
  return [...termsOf(content), ...Array.from({ length: WORDS_OF_A_TAG }, () => ofTags).flat()];
}

/** Returns what a recall shows of an entry; with `withBody`, its content too. */
export function hitOf(
  { content, figures: _figures, pinned: _pinned, ...entry }: SessionEntry,
  now: Date,
  withBody: boolean,
): SessionHit {
  const at = entry.at === undefined ? Number.NaN : Date.parse(entry.at);
  const days = Math.max(0, Math.floor((now.getTime() - at) / DAY_MS));
  return {
    ...entry,
    summary: clip(content.replace(/\s+/g, ' '), HIT_SUMMARY),
    ...optional('ageDays', Number.isNaN(days) ? undefined : days),
    ...(withBody ? { content } : {}),
  };
}
