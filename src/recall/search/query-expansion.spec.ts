import { describe, expect, it } from '@jest/globals';
import { memoryEntry } from '../../../test/support/memory-entries.js';
import type { FoundMemory } from '../ranking/source-ranking.js';
import { expandByTerms, mergeFound, searchWithExpansion } from './query-expansion.js';

const found = (id: string, discovery: string, relevance = 0.5): FoundMemory => {
  const entry = memoryEntry({ id });
  const activation = { condition: 'x', action: 'y', rationale: 'z' };
  return {
    entry: { ...entry, lesson: { ...entry.lesson, discovery, activation, steps: ['Do it.'] } },
    sourceRanks: { words: { rank: 1, relevance } },
  };
};
const ids = (all: readonly FoundMemory[]) => all.map(({ entry }) => entry.id);

describe('query expansion', () => {
  it('searches again for the words that no result contains, and stops when most are covered', async () => {
    const asked: string[] = [];
    const search = async (query: string) => {
      asked.push(query);
      const known = query.includes('heron') && asked.length === 1 ? found('a', 'Herons') : found('b', 'Okapis resized');
      return { found: [known], warnings: [] };
    };
    const { found: all } = await searchWithExpansion('heron okapi resizing', 2, search, expandByTerms);
    expect([asked, ids(all)]).toEqual([
      ['heron okapi resizing', 'okapi resizing'],
      ['a', 'b'],
    ]);
  });

  it('stops when nothing is missing, when nothing was found, or after its rounds', async () => {
    const asked: string[] = [];
    const search = async (query: string) => {
      asked.push(query);
      return { found: [found('a', 'Herons')], warnings: ['w'] };
    };
    await searchWithExpansion('herons', 5, search, expandByTerms);
    await searchWithExpansion('okapi zebra', 5, search, expandByTerms);
    expect(asked).toEqual(['herons', 'okapi zebra']);
    let n = 0;
    const { warnings } = await searchWithExpansion('q', 99, search, { expandQuery: () => `q${n++}` });
    expect([asked.length, warnings]).toEqual([2 + 1 + 5, ['w']]);
    expect(await searchWithExpansion('q', 0, search, { expandQuery: () => 'never' })).toMatchObject({
      found: [expect.anything()],
    });
  });

  it('returns the earlier results when an expansion or a further search fails', async () => {
    let searches = 0;
    const search = async () => {
      searches += 1;
      if (searches > 1) throw new Error('down');
      return { found: [found('a', 'Herons')], warnings: [] };
    };
    const failing = await searchWithExpansion('q', 2, search, { expandQuery: () => 'other' });
    expect([ids(failing.found), failing.warnings]).toEqual([
      ['a'],
      ['Query expansion failed. The results of the earlier searches are returned.'],
    ]);
  });

  it('keeps each memory once, with its best rank', () => {
    const merged = mergeFound(
      [found('a', 'x', 0.3), found('b', 'x', 0.9)],
      [found('a', 'x', 0.7), found('b', 'x', 0.2)],
    );
    expect(merged.map(({ entry, sourceRanks: places }) => [entry.id, places.words?.relevance])).toEqual([
      ['a', 0.7],
      ['b', 0.9],
    ]);
  });
});
