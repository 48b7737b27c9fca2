import { describe, expect, it } from '@jest/globals';
import type { Collection } from './retrieval-data.js';
import { knownSplit, laterSplit } from './retrieval-split.js';

const documents = Array.from({ length: 50 }, (_, at) => ({ id: `d${at}`, name: `n${at}`, text: `t${at}` }));
const queries = Array.from({ length: 103 }, (_, at) => ({
  text: `q${at}`,
  relevant: new Map([
    [`d${at % 50}`, 1],
    [`d${(7 * at) % 50}`, 1],
  ]),
}));
const collection: Collection = { name: 'own', documents, queries };

describe('the test queries of the retrieval benchmark', () => {
  it('are each query once in five seeds, and never among the labelled ones of their seed', () => {
    const splits = [1, 2, 3, 4, 5].map((seed) => knownSplit(collection, seed));
    expect(splits.flatMap(({ test }) => test.map(({ text }) => text)).sort()).toEqual(
      queries.map(({ text }) => text).sort(),
    );
    for (const { test, labelled, fitted } of splits) {
      const known = new Set(labelled.map(({ text }) => text));
      expect(test.filter(({ text }) => known.has(text))).toEqual([]);
      expect(test.length + labelled.length).toBe(queries.length);
      expect(fitted).toHaveLength(documents.length);
    }
    expect(knownSplit(collection, 1)).toEqual(splits[0]);
    expect(knownSplit(collection, 6).test).not.toEqual(splits[0]?.test);
  });

  it('of later documents ask for documents that nothing was learned from', () => {
    for (const seed of [1, 2, 3]) {
      const { fitted, later, labelled, test } = laterSplit(collection, seed);
      const late = new Set(later.map(({ id }) => id));
      expect(late.size).toBe(10);
      expect(fitted.filter(({ id }) => late.has(id))).toEqual([]);
      for (const { relevant } of labelled) expect(relevant.filter((id) => late.has(id))).toEqual([]);
      for (const { relevant, skipped } of test) {
        expect(relevant.length).toBeGreaterThan(0);
        for (const id of relevant) expect(late.has(id)).toBe(true);
        for (const id of skipped) expect(late.has(id)).toBe(false);
      }
      expect(test.length + labelled.length).toBe(queries.length);
    }
  });
});
