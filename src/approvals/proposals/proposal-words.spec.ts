import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { searchOf, wordsOf } from './proposal-words.js';

describe('the words of a proposal', () => {
  it.each([
    ['in small letters, once each', 'Quote the quote', ['quote', 'the']],
    ['divided by every sign', 'src/app_module.ts: 100%', ['src', 'app', 'module', 'ts', '100']],
    ['of a compound name from each hump on', 'retryAfterMs', ['retryafterms', 'afterms', 'ms']],
    ['in compatible letters', 'ＡＢ ﬁnd', ['ab', 'find']],
    ['with every sigma the same', 'ΟΔΟΣ', ['οδοσ']],
    ['in twos where nothing divides them, and the last', 'AWS部署失败', ['aws', '部署', '署失', '失败', '败']],
    ['by their beginning where they are long', 'a'.repeat(200), ['a'.repeat(60)]],
    ['not there where only signs are', '→ … "%" \0', []],
  ])('are %s', (_name, text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('are bounded for every text', () => {
    expect(wordsOf('aB'.repeat(50_000)).length).toBeLessThan(10);
    const long = Array.from({ length: 200_000 }, (_, n) => `word${n}`).join(' ');
    expect(Buffer.byteLength(wordsOf(long).join(''))).toBeLessThanOrEqual(500_000);
    const ligatures = wordsOf('\u{FDFA}'.repeat(40_000));
    expect(Buffer.byteLength(ligatures.join(''))).toBeLessThanOrEqual(500_000);
  });
});

describe('a search', () => {
  it.each([
    ['a word', 'Retry', { prefixes: ['retry'], phrases: [] }],
    ['words in any order', 'b a', { prefixes: ['b', 'a'], phrases: [] }],
    ['words in quotes, as they follow', '"rm -rf"', { prefixes: ['rm', 'rf'], phrases: ['rm -rf'] }],
    ['signs as they are', '100%_of', { prefixes: ['100', 'of'], phrases: ['100%_of'] }],
    ['signs alone', '% "', { prefixes: [], phrases: ['%', '"'] }],
    ['two letters of a script without blanks', '失败', { prefixes: ['失败'], phrases: [] }],
    ['more of them', '部署失', { prefixes: ['部署', '署失'], phrases: ['部署失'] }],
    ['one of them', '败', { prefixes: ['败'], phrases: [] }],
    ['a long word', 'x'.repeat(61), { prefixes: ['x'.repeat(60)], phrases: ['x'.repeat(61)] }],
    ['what no text holds', '\0a\0', { prefixes: ['a'], phrases: [] }],
  ])('is for %s', (_name, text, search) => {
    expect(searchOf(text)).toEqual(search);
  });

  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom('部', '署', 'ｶ', 'ガ', '한', 'ก', 'aB', 'ς', 'Σ', '_', '-', ' ', 'İ', '9'),
      maxLength: 60,
    }),
  );

  it('finds every text by a prefix of any part between two blanks', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), (given, which, length) => {
        const whole = given.normalize('NFKC');
        const words = wordsOf(whole);
        const between = whole.split(/\s+/);
        const asked = [...(between[which % between.length] ?? '')];
        for (const each of searchOf(asked.slice(0, 1 + (length % (asked.length + 1))).join('')).prefixes)
          expect(words.some((word) => word.startsWith(each))).toBe(true);
      }),
    );
  });

  it('contains nothing that the database could read as an operator', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (asked) => {
        const { prefixes: beginnings, phrases: passages } = searchOf(asked);
        for (const each of beginnings) expect(each).toMatch(/^[\p{L}\p{M}\p{N}]{1,60}$/u);
        for (const each of passages) expect(each).not.toContain('\0');
      }),
    );
  });
});
