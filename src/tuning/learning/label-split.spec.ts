import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type LabelSplit, splitLabels } from './label-split.js';
import type { TrainingInput } from './training-contract.js';

const vector = new Float32Array(2);
const ids = Array.from({ length: 12 }, (_, at) => `d${at}`);
const inputs = fc.record({
  seed: fc.nat(1_000),
  queries: fc.array(
    fc.record({
      text: fc.constantFrom(...Array.from({ length: 40 }, (_, at) => `Query ${at}`), 'query 1!', 'QUERY 2'),
      relevant: fc.uniqueArray(fc.constantFrom(...ids, 'unknown'), { minLength: 1, maxLength: 4 }),
    }),
    { maxLength: 60 },
  ),
});
type Drawn = typeof inputs extends fc.Arbitrary<infer T> ? T : never;

const inputOf = ({ seed, queries }: Drawn): TrainingInput => ({
  seed,
  foreign: [],
  documents: ids.map((id, at) => ({ id, text: id, terms: [id], ownerId: null, createdAt: at, vector })),
  queries: queries.map((query) => ({ ...query, vector })),
  served: { name: 'hashed-pieces/1/512', weight: 0.002, minSimilarity: 0.15 },
});

const PARTS = ['stop', 'gate', 'probeChoice', 'probe'] as const;
const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
const queriesOf = (split: LabelSplit, part: (typeof PARTS)[number]) =>
  new Set(split[part].map(({ query }) => wordsOf(query.text)));

describe('the split of labelled queries', () => {
  it('never lets a query that chose decide', () => {
    fc.assert(
      fc.property(inputs, (drawn) => {
        const split = splitLabels(inputOf(drawn));
        for (const learning of ['stop', 'probeChoice'] as const)
          for (const deciding of ['gate', 'probe'] as const)
            expect([...queriesOf(split, learning)].filter((words) => queriesOf(split, deciding).has(words))).toEqual(
              [],
            );
      }),
    );
  });

  it('depends on the seed and the texts, not on the order of the queries', () => {
    fc.assert(
      fc.property(inputs, (drawn) => {
        const unique = [...new Map(drawn.queries.map((query) => [wordsOf(query.text), query])).values()];
        const [forth, back] = [unique, [...unique].reverse()].map((queries) =>
          splitLabels(inputOf({ ...drawn, queries })),
        );
        expect(back).toEqual(forth);
      }),
    );
  });

  it('counts a relevant document in one way only', () => {
    fc.assert(
      fc.property(inputs, (drawn) => {
        const split = splitLabels(inputOf(drawn));
        for (const { relevant, skipped } of PARTS.flatMap((part) => split[part]))
          expect(relevant.filter((id) => skipped.has(id))).toEqual([]);
      }),
    );
  });

  it('takes the newest documents for the probe', () => {
    const queries = ids.map((id, at) => ({ text: `about ${at}`, relevant: [id] }));
    const split = splitLabels(inputOf({ seed: 1, queries }));
    expect([...split.unseen].sort()).toEqual(['d10', 'd11']);
    for (const { relevant } of [...split.probe, ...split.probeChoice])
      for (const id of relevant) expect(split.unseen.has(id)).toBe(true);
  });
});
