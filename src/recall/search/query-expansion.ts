import { memoryTerms } from '../ranking/searchable-text.js';
import type { FoundMemory, SourceName, SourceRank } from '../ranking/source-ranking.js';
import { queryTerms } from '../ranking/terms.js';

/** Decides whether the results cover the query, and what to search for next. May use a model; `expandByTerms` does not. */
export interface QueryExpander {
  /** Returns a query for the missing part; undefined if nothing is missing. */
  expandQuery(query: string, found: readonly FoundMemory[]): string | undefined | Promise<string | undefined>;
}

export interface ExpandedSearch {
  readonly found: readonly FoundMemory[];
  readonly warnings: readonly string[];
}

/** Upper limit for the additional searches of a recall. */
export const MAX_EXPANSION_ROUNDS = 5;
/** Share of the query's words that the results must contain. */
const MIN_COVERAGE = 0.7;

/**
 * Searches, and searches again for the part of the query that the results do not cover, at most `rounds` more times. A
 * memory found several times keeps its best rank. If an expansion fails, the earlier results are returned with a warning.
 */
export async function searchWithExpansion(
  query: string,
  rounds: number,
  search: (query: string) => Promise<ExpandedSearch>,
  expander: QueryExpander,
): Promise<ExpandedSearch> {
  const first = await search(query);
  const triedQueries = new Set([query]);
  let merged = first.found;
  const warnings = [...first.warnings];
  try {
    for (let round = 0; round < Math.min(rounds, MAX_EXPANSION_ROUNDS); round++) {
      const next = await expander.expandQuery(query, merged);
      if (next === undefined || triedQueries.has(next)) break;
      triedQueries.add(next);
      const more = await search(next);
      merged = mergeFound(merged, more.found);
      warnings.push(...more.warnings.filter((warning) => !warnings.includes(warning)));
    }
  } catch {
    warnings.push('Query expansion failed. The results of the earlier searches are returned.');
  }
  return { found: merged, warnings };
}

/** Merges two results. Each memory occurs once, with its better rank in each source. */
export function mergeFound(first: readonly FoundMemory[], second: readonly FoundMemory[]): FoundMemory[] {
  const byId = new Map(first.map((one) => [one.entry.id, one]));
  for (const one of second) {
    const known = byId.get(one.entry.id);
    byId.set(
      one.entry.id,
      known ? { entry: known.entry, sourceRanks: better(known.sourceRanks, one.sourceRanks) } : one,
    );
  }
  return [...byId.values()];
}

function better(a: FoundMemory['sourceRanks'], b: FoundMemory['sourceRanks']): FoundMemory['sourceRanks'] {
  const of = (source: SourceName): Partial<Record<SourceName, SourceRank>> => {
    const [x, y] = [a[source], b[source]];
    if (!x || !y) return x || y ? { [source]: x ?? y } : {};
    return { [source]: y.relevance > x.relevance ? y : x };
  };
  return { ...of('words'), ...of('vectors') };
}

/** Expansion without a model: searches for the words that the results do not contain, unless most words are covered. */
export const expandByTerms: QueryExpander = {
  expandQuery(query, found) {
    const foundTerms = new Set(found.flatMap(({ entry }) => memoryTerms(entry)));
    const words = query.split(/\s+/).filter((word) => queryTerms(word).size > 0);
    const missing = words.filter((word) => ![...queryTerms(word).keys()].some((term) => foundTerms.has(term)));
    const covered = words.length === 0 ? 1 : 1 - missing.length / words.length;
    return covered >= MIN_COVERAGE || missing.length === words.length ? undefined : missing.join(' ');
  },
};
