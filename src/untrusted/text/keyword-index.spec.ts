import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KeywordIndex } from './keyword-index.js';

const find = (keywords: readonly string[], text: string): string[] => {
  const found: string[] = [];
  new KeywordIndex(keywords).scan(text, (keyword, end) => found.push(`${keywords[keyword]} ${end}`));
  return found.sort();
};

describe('KeywordIndex', () => {
  it('finds nested and overlapping keywords in either case', () => {
    expect(find(['api', 'apikey', 'key', 'y='], 'APIKey=1')).toEqual(['api 3', 'apikey 6', 'key 6', 'y= 7']);
  });

  it('finds a keyword next to any character, even a combining one', () => {
    expect(find(['key'], 'ä́key\u0301 \u{1f511}key')).toEqual(['key 12', 'key 5']);
  });

  it('finds exactly the same as a search for each keyword', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '-', 'ä'), maxLength: 40 });
    const words = fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(words, letters, (keywords, text) => {
        const lower = text.toLowerCase();
        const expected = keywords.flatMap((keyword) =>
          Array.from(text, (_, at) => at)
            .filter((at) => lower.startsWith(keyword, at))
            .map((at) => `${keyword} ${at + keyword.length}`),
        );
        expect(find(keywords, text)).toEqual(expected.sort());
      }),
    );
  });
});
