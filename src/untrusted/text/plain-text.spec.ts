import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { oneLine, plainText } from './plain-text.js';

/** Any sequence of UTF-16 units, with many lone surrogates, escapes, joiners and fillers. */
const hostile = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.constantFrom(
        0x1b,
        0x9b,
        0x5b,
        0x6d,
        0xd800,
        0xdc00,
        0x200b,
        0x301,
        0x65,
        0x3164,
        0xffa0,
        0xff3b,
        0xd,
        0xa,
        0x20,
        0xdb40,
        0xdc41,
      ),
    ),
    { maxLength: 40 },
  )
  .map((units) => String.fromCharCode(...units));

describe('plainText', () => {
  it.each([
    ['a colour sequence', '\x1b[1;31mred\x1b[0m', 'red'],
    ['a title that a terminal would take on', '\x1b]0;owned\x07text', 'text'],
    ['a hidden hyperlink', '\x1b]8;;https://example.com\x1b\\click\x1b]8;;\x1b\\', 'click'],
    ['an eight-bit control sequence', '\x9b31mred', 'red'],
    ['a charset switch', '\x1b(Btext', 'text'],
    ['an escape whose bracket is full-width', '\x1b［31mred', 'red'],
    ['an escape with a zero-width space in it', '\x1b\u200b[31mred', 'red'],
    ['NUL, backspace and DEL', 'a\0b\bc\x7fd', 'abcd'],
    ['a zero-width space inside a word', 'pass\u200bword', 'password'],
    ['a right-to-left override', 'abc\u202etxt.exe', 'abctxt.exe'],
    ['tag characters that spell a message', `hi${String.fromCodePoint(0xe0068, 0xe0069)}`, 'hi'],
    ['a Hangul filler, also the half-width one', 'a\u3164b\uffa0c', 'abc'],
    ['a variation selector and a private character', 'a\ufe0fb\ue000c', 'abc'],
    ['a lone surrogate', 'a\ud800b\udc00c', 'abc'],
    ['two lone surrogates that would become a pair', 'a\ud83d\u200b\ude00c', 'ac'],
    ['full-width letters', 'ｇｈｐ＿', 'ghp_'],
    ['line breaks of other systems', 'a\r\nb\rc\u2028d\u0085e', 'a\nb\nc\nd\ne'],
  ])('%s is removed or made plain', (_, text, expected) => {
    expect(plainText(text)).toBe(expected);
  });

  it('line breaks, tabs and letters of every language stay', () => {
    const text = 'Grüße,\n\tпривет, 你好, नमस्ते 😀';
    expect(plainText(text)).toBe(text);
  });

  it('characters that an invisible one separated are composed', () => {
    expect(plainText('e\u200d\u0301')).toBe('é');
  });

  it('is idempotent for any sequence of code units', () => {
    fc.assert(
      fc.property(hostile, (text) => plainText(plainText(text)) === plainText(text)),
      { numRuns: 2_000 },
    );
  });

  it('leaves no control, format or surrogate character, for any sequence of code units', () => {
    fc.assert(
      fc.property(
        hostile,
        (text) => !/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u.test(plainText(text)),
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('oneLine', () => {
  it('joins several lines with single spaces', () => {
    expect(oneLine('  first\r\n\tsecond \u00a0 third\n')).toBe('first second third');
  });

  it('is idempotent and has no line break, for any sequence of code units', () => {
    fc.assert(
      fc.property(hostile, (text) => oneLine(oneLine(text)) === oneLine(text) && !/[\r\n\t]/.test(oneLine(text))),
      { numRuns: 2_000 },
    );
  });
});
