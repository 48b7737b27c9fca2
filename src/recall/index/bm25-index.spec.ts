import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BM25, Bm25Index, type Hit } from './bm25-index.js';

interface Document {
  readonly id: string;
  readonly scope: string;
  readonly terms: readonly string[];
}

/** The formula, document by document, over the visible documents only. */
function byTheBook(all: readonly Document[], query: ReadonlyMap<string, number>, scopes: readonly string[]): Hit[] {
  const documents = all.filter(({ scope }) => scopes.includes(scope));
  const average = documents.reduce((sum, { terms }) => sum + terms.length, 0) / documents.length;
  const { k1, b } = BM25;
  const base = k1 * (1 - b);
  const slope = average > 0 ? (k1 * b) / average : 0;
  const hits = documents.map(({ id, terms }) => {
    let score = 0;
    for (const [term, count] of query) {
      const holding = documents.filter((document) => document.terms.includes(term)).length;
      const frequency = terms.filter((candidate) => candidate === term).length;
      const idf = Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5));
      if (frequency > 0) score += (count * idf * (k1 + 1) * frequency) / (frequency + base + slope * terms.length);
    }
    return { id, score };
  });
  return hits.filter(({ score }) => score > 0).sort((x, y) => y.score - x.score || (x.id < y.id ? -1 : 1));
}

const word = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'rare', 'rarer', 'rarest');
const scope = fc.constantFrom('org', 'agent:1', 'agent:2', 'role:ci');
const document = fc.record({
  id: fc.nat({ max: 40 }).map(String),
  scope,
  terms: fc.array(word, { minLength: 0, maxLength: 30 }),
  removed: fc.boolean(),
});
const query = fc.uniqueArray(fc.tuple(word, fc.integer({ min: 1, max: 3 })), { selector: ([term]) => term });

describe('the BM25 index', () => {
  it('matches the formula to the last digit, after any changes and for any groups', () => {
    fc.assert(
      fc.property(
        fc.array(document, { maxLength: 120 }),
        query,
        fc.array(scope),
        fc.integer({ min: 1, max: 20 }),
        (changes, terms, scopes, limit) => {
          const index = new Bm25Index();
          const held = new Map<string, Document>();
          for (const { removed, ...change } of changes) {
            index.add(change.id, change.scope, change.terms);
            held.set(change.id, change);
            if (!removed) continue;
            expect(index.remove(change.id)).toBe(true);
            held.delete(change.id);
          }
          const { hits } = index.search(new Map(terms), scopes, limit);
          expect(hits).toEqual(byTheBook([...held.values()], new Map(terms), scopes).slice(0, limit));
          expect(index.size).toBe(held.size);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('stays exact when most documents are skipped: many documents, common and rare words', () => {
    const index = new Bm25Index();
    const documents = Array.from({ length: 1_500 }, (_, n) => ({
      id: `m${n}`,
      scope: n % 3 === 0 ? 'org' : 'agent:1',
      terms: [
        ...Array.from({ length: 5 + (n % 11) }, (_, i) => `common${(n * 7 + i * 3) % 9}`),
        ...(n % 97 === 0 ? ['rare'] : []),
        ...(n % 89 === 0 ? ['rare', 'other'] : []),
      ],
    }));
    for (const { id, scope: name, terms } of documents) index.add(id, name, terms);
    const terms = new Map([
      ['rare', 1],
      ['other', 2],
      ['common1', 1],
      ['common2', 1],
      ['common3', 1],
    ]);
    for (const scopes of [['org'], ['agent:1', 'org']])
      expect(index.search(terms, scopes, 10).hits).toEqual(byTheBook(documents, terms, scopes).slice(0, 10));
  });

  it('frees the memory of replaced documents and still returns the same results', () => {
    const index = new Bm25Index();
    const documents = Array.from({ length: 600 }, (_, n) => ({
      id: `m${n}`,
      scope: 'org',
      terms: [`w${n % 50}`, 'all'],
    }));
    for (let round = 0; round < 5; round++) for (const { id, terms } of documents) index.add(id, 'org', terms);
    const terms = new Map([
      ['w7', 1],
      ['all', 1],
    ]);
    expect(index.search(terms, ['org'], 20).hits).toEqual(byTheBook(documents, terms, ['org']).slice(0, 20));
  });

  it('reveals nothing about other groups in a score', () => {
    const search = (others: number) => {
      const index = new Bm25Index();
      index.add('mine', 'agent:1', ['deploy', 'fails']);
      for (let n = 0; n < others; n++) index.add(`theirs${n}`, 'agent:2', ['deploy', 'deploy']);
      return index.search(new Map([['deploy', 1]]), ['agent:1'], 5);
    };
    expect(search(50)).toEqual(search(0));
    expect(search(0).hits).toHaveLength(1);
  });

  it('returns nothing for an empty query or without groups', () => {
    const index = new Bm25Index();
    index.add('one', 'org', ['deploy']);
    expect(index.search(new Map(), ['org'], 5).hits).toEqual([]);
    expect(index.search(new Map([['deploy', 1]]), [], 5).hits).toEqual([]);
    expect(index.search(new Map([['deploy', 1]]), ['role:ci'], 5).hits).toEqual([]);
    expect(index.remove('two')).toBe(false);
  });
});
