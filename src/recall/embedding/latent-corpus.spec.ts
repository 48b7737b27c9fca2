import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CorpusDocument, type LatentCorpus, readCorpus } from './latent-corpus.js';

function read(documents: readonly CorpusDocument[]): LatentCorpus {
  const reading = readCorpus(documents);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
  }
}

const owner = fc.constantFrom(null, 'a', 'b', 'c');
const word = fc.constantFrom('lathe', 'quartz', 'pilot', 'marble', 'kelp');
const documents = fc.array(
  fc.record({ text: fc.array(word, { maxLength: 5 }).map((words) => words.join(' ')), ownerId: owner }),
  { maxLength: 12 },
);

describe('the vocabulary of a latent model', () => {
  it('takes a term only from a document that all may see, or from documents of two owners', () => {
    fc.assert(
      fc.property(documents, (some) => {
        const terms = read(some).terms;
        for (const [spelled, term] of [
          ['lathe', 'lath'],
          ['quartz', 'quartz'],
          ['kelp', 'kelp'],
        ] as const) {
          const owners = new Set(some.filter(({ text }) => text.includes(spelled)).map(({ ownerId }) => ownerId));
          expect(terms.includes(term)).toBe(owners.has(null) || owners.size > 1);
        }
      }),
    );
  });

  it('does not depend on the order of the documents', () => {
    fc.assert(
      fc.property(documents, (some) => {
        const [forth, back] = [read(some), read([...some].reverse())];
        expect(back.terms).toEqual(forth.terms);
        expect(back.weights).toEqual(forth.weights);
        expect([...back.rows].reverse()).toEqual(forth.rows);
      }),
    );
  });

  it('weighs a rare term more, and gives each document a row of length one', () => {
    const { terms, weights, rows } = read([
      { text: 'quartz kelp kelp', ownerId: null },
      { text: 'quartz', ownerId: null },
    ]);
    const weightOf = (term: string) => weights[terms.indexOf(term)] ?? 0;
    expect(weightOf('kelp')).toBeGreaterThan(weightOf('quartz'));
    for (const { values } of rows) expect(values.reduce((sum, value) => sum + value * value, 0)).toBeCloseTo(1, 12);
  });
});
