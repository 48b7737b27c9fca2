import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type LabelSplit, splitLabels } from './label-split.js';
import type { TrainingInput, TrainingKind } from './training-contract.js';

const vector = new Float32Array(2);
const ids = Array.from({ length: 12 }, (_, at) => `d${at}`);
const inputs = fc.record({
  kind: fc.constantFrom<TrainingKind>('base', 'adapter'),
  seed: fc.nat(1_000),
  owners: fc.array(fc.constantFrom(null, null, null, 'a'), { minLength: ids.length, maxLength: ids.length }),
  queries: fc.array(
    fc.record({
      text: fc.constantFrom(...Array.from({ length: 40 }, (_, at) => `Query ${at}`), 'query 1!', 'QUERY 2'),
      relevant: fc.uniqueArray(fc.constantFrom(...ids, 'unknown'), { minLength: 1, maxLength: 4 }),
    }),
    { maxLength: 60 },
  ),
});
type Drawn = typeof inputs extends fc.Arbitrary<infer T> ? T : never;

const inputOf = ({ kind, seed, owners, queries }: Drawn): TrainingInput => ({
  kind,
  seed,
  documents: ids.map((id, at) => ({ id, text: id, terms: [id], ownerId: owners[at] ?? null, createdAt: at, vector })),
  queries: queries.map((query) => ({ ...query, vector })),
  served: { name: 'hashed-pieces/1/512', weight: 0.002, minSimilarity: 0.15 },
});

const PARTS = ['train', 'stop', 'gate', 'probeChoice', 'probe'] as const;
const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
const queriesOf = (split: LabelSplit, part: (typeof PARTS)[number]) =>
  new Set(split[part].map(({ query }) => wordsOf(query.text)));

describe('the split of labelled queries', () => {
  it('never lets a query that taught or chose decide', () => {
    fc.assert(
      fc.property(inputs, (drawn) => {
        const split = splitLabels(inputOf(drawn));
        for (const learning of ['train', 'stop', 'probeChoice'] as const)
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

  it('keeps the documents of the probe, and private ones, out of the pairs of a map', () => {
    fc.assert(
      fc.property(inputs, (drawn) => {
        const input = inputOf({ ...drawn, kind: 'adapter' });
        const split = splitLabels(input);
        const taught = new Set([...split.train, ...split.stop, ...split.gate].flatMap(({ relevant }) => relevant));
        for (const id of split.unseen) expect(taught.has(id)).toBe(false);
        for (const { id, ownerId } of input.documents) if (ownerId !== null) expect(split.unseen.has(id)).toBe(true);
        for (const { relevant, skipped } of PARTS.flatMap((part) => split[part]))
          expect(relevant.filter((id) => skipped.has(id))).toEqual([]);
      }),
    );
  });

  it('takes the newest documents for the probe', () => {
    const queries = ids.map((id, at) => ({ text: `about ${at}`, relevant: [id] }));
    for (const kind of ['base', 'adapter'] as const) {
      const split = splitLabels(inputOf({ kind, seed: 1, owners: ids.map(() => null), queries }));
      expect([...split.unseen].sort()).toEqual(['d10', 'd11']);
      for (const { relevant } of [...split.probe, ...split.probeChoice])
        for (const id of relevant) expect(split.unseen.has(id)).toBe(true);
    }
  });
});
