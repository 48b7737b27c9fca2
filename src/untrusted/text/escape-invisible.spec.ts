import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapeInvisible } from './escape-invisible.js';

const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((list) => String.fromCharCode(...list));

describe('escapeInvisible', () => {
  it.each([
    ['a right-to-left override', 'a\u202eb', 'a\\u{202e}b'],
    ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
    ['an escape', '\x1b[2J', '\\u{1b}[2J'],
    ['an eight-bit control sequence introducer', '\x9b2J', '\\u{9b}2J'],
    ['a carriage return that would overwrite the line', 'safe\revil', 'safe\\u{0d}evil'],
    ['a tag character', String.fromCodePoint(0xe0041), '\\u{e0041}'],
    ['a no-break space', 'a\u00a0b', 'a\\u{a0}b'],
    ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
    ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
    ['a Hangul filler', 'a\u3164b', 'a\\u{3164}b'],
  ])('%s is shown as an escape', (_, text, expected) => {
    expect(escapeInvisible(text)).toBe(expected);
  });

  it('keeps ordinary text in any language, line breaks and tabs', () => {
    const text = 'Grüße,\n\tпривет, 你好 😀';
    expect(escapeInvisible(text)).toBe(text);
  });

  it('no byte of C0, C1 or DEL but line break and tab reaches a terminal, for any text', () => {
    fc.assert(fc.property(units, (text) => !/(?![\n\t])\p{Cc}/u.test(escapeInvisible(text))));
  });

  it('is idempotent for any text', () => {
    fc.assert(fc.property(units, (text) => escapeInvisible(escapeInvisible(text)) === escapeInvisible(text)));
  });
});
