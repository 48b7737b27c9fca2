import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodedView, joinedView, literalViews, quotedPrintableViews } from './decoded-view.js';

describe('decodedView', () => {
  it.each([
    ['a%20b%2Fc', 'a b/c'],
    ['%2541', 'A'],
    [String.raw`{\"a\":\"b\\n\"}`, '{"a":"b\n"}'],
    [String.raw`\u0041\x42\103`, 'ABC'],
    ['&#65;&#x42;&quot;&amp;', 'AB"&'],
    ['one\\\n  two=\nthree', 'onetwothree'],
    [`"one" + "two" + 'x'`, `"onetwo" + 'x'`],
    [String.raw`\uff21\u200b`, 'A'],
  ])('%s becomes %s', (source, text) => {
    expect(decodedView(source)?.text).toBe(text);
  });

  it.each(['plain words, a=b', String.raw`C:\users\books\lib`, String.raw`\d+\s*\w`, '100% of 5'])(
    '%s has no escapes',
    (source) => expect(decodedView(source)).toBeUndefined(),
  );

  it('knows the source offset of each character, for any text', () => {
    const pieces = fc.array(
      fc.oneof(fc.constantFrom('%41', '%2541', '\\u0041', '\\n', '\\"', '&amp;', '" + "', '\\\n', '=\n'), fc.string()),
    );
    fc.assert(
      fc.property(pieces, (list) => {
        const source = list.join('');
        const view = decodedView(source);
        if (view === undefined) return;
        expect(view.sourceOffsets).toHaveLength(view.text.length + 1);
        expect(view.sourceOffsets.at(-1)).toBe(source.length);
        expect([...view.sourceOffsets].sort((a, b) => a - b)).toEqual(view.sourceOffsets);
      }),
    );
  });
});

describe('joinedView', () => {
  it('joins possible halves of a token, and no words', () => {
    expect(joinedView('x q7Zt2LmX9\n  aBv4Kc1RfY8 y')?.text).toBe('x q7Zt2LmX9aBv4Kc1RfY8 y');
    expect(joinedView('line 1\nline 2\nand so on\nto the end')).toBeUndefined();
  });
});

describe('quotedPrintableViews', () => {
  it('decodes the lines of a mail, and no other equals sign', () => {
    expect([...quotedPrintableViews('plain\na=3Db=5Fc=\nd')].map(({ text }) => text)).toEqual(['a=b_cd']);
    expect([...quotedPrintableViews('a=41, b=5F')]).toEqual([]);
  });
});

describe('literalViews', () => {
  it('joins adjacent literals that may be one token', () => {
    const texts = (source: string): string[] => [...literalViews(source)].map(({ text }) => text);
    expect(texts(`x "q7Zt2LmX9" "aBv4Kc1RfY8" y`)).toEqual(['q7Zt2LmX9aBv4Kc1RfY8']);
    expect(texts(`["q7Zt2L", "mX9aBv4K", 'c1RfY8']`)).toEqual(['q7Zt2LmX9aBv4Kc1RfY8']);
    expect(texts(`["name", "age", "city"]`)).toEqual([]);
  });
});
