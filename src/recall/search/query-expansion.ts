import { memoryTerms } from '../index/memory-index.js';
import type { FoundMemory, SourceName, SourceRank } from '../ranking/source-ranking.js';
import { queryTerms } from '../ranking/terms.js';

/** Says whether what was found answers the query, and what else to ask. A model can be one; `askByTerms` is none. */
export interface QueryExpander {
  /** Another query for what is missing; undefined where nothing is. */
  expandQuery(query: string, found: readonly FoundMemory[]): string | undefined | Promise<string | undefined>;
}

export interface ExpandedSearch {
  readonly found: readonly FoundMemory[];
  readonly warnings: readonly string[];
}

/** Spec R3. */
export const MAX_EXPANSION_ROUNDS = 5;
/** As much of a query as it takes for an answer to be one. */
const MIN_COVERAGE = 0.7;

/**
 * Searches, asks whether that is enough, and searches again for what is missing (spec R3): at most `rounds` times more.
 * What is found several times keeps its best place. A failure leaves what was found before it, with a warning.
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
    warnings.push('Asking further failed: this is what was found before.');
  }
  return { found: merged, warnings };
}

/** Each memory once, with the better of its places in each source. */
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

/** Without a model: enough is found when most words of the query occur in it; what is missing are the other words. */
export const expandByTerms: QueryExpander = {
  expandQuery(query, found) {
    const foundTerms = new Set(found.flatMap(({ entry }) => memoryTerms(entry)));
    const words = query.split(/\s+/).filter((word) => queryTerms(word).size > 0);
    const missing = words.filter((word) => ![...queryTerms(word).keys()].some((term) => foundTerms.has(term)));
    const covered = words.length === 0 ? 1 : 1 - missing.length / words.length;
    return covered >= MIN_COVERAGE || missing.length === words.length ? undefined : missing.join(' ');
  },
};
