import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clauses, clauseWords } from './words.js';

describe('the words of a clause', () => {
  it('are the words of the Unicode segmentation, on the fast and the slow path', () => {
    const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
    const piece = fc.stringMatching(/^[a-z0-9_.,'é界-]{1,12}$/).filter((text) => !/^[`'"(-]|[`'")]$/.test(text));
    fc.assert(
      fc.property(piece, (text) => {
        const divided = [...segmenter.segment(text)].filter((part) => part.isWordLike).map((part) => part.segment);
        expect(clauseWords(text)).toEqual(divided);
      }),
      { numRuns: 2_000 },
    );
  });
});

it('placeholders, the places where a lesson was seen and the number of its errors are no words of a claim', () => {
  const words = (text: string): string[] => clauses(text).flatMap(({ text: clause }) => clauseWords(clause));
  expect(words('Run `cat <file>.py`')).toEqual(words('Run `cat .py`'));
  const condition = 'About to run `python a.py`.';
  expect(words(`${condition} Seen in claude-code, on linux, with python 2.7.18, in python projects.`)).toEqual(
    words(condition),
  );
  expect(words('It has just failed with "E" or another of 4 errors.')).toEqual(words('It has just failed with "E".'));
});
