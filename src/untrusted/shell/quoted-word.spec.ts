import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseCommandLine, quoteWord, standsAlone } from './command-line.js';

describe('a quoted word', () => {
  it.each([
    ['src/*.py', '', 'src/*.py'],
    ['src/*.py', '"x"', '"src/*.py"'],
    ['a b', '', "'a b'"],
    ['a b', '"x"', '"a b"'],
    ["it's", "'x'", '"it\'s"'],
    ['[path]/a.py', '"x"', '[path]/a.py'],
    ['say "$X"', '"x"', '"say \\"$X\\""'],
  ])('%s like %s is %s', (text, like, expected) => {
    expect(quoteWord(text, like)).toBe(expected);
  });

  it('is read as the text that it was written from', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.constantFrom('', "'", '"'), (text, like) => {
        fc.pre(text !== '');
        const commands = parseCommandLine(`${quoteWord(text, like)} x`);
        expect(commands.map(({ words }) => words.map((word) => word.text))).toEqual([[text, 'x']]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('stands alone unless it is open, or ends in another line', () => {
    const alone = (source: string) => parseCommandLine(source)[0]?.words.every(standsAlone);
    expect(['a', '"a b"', "a' 'b", '\\;', '"$X"'].map(alone)).toEqual([true, true, true, true, true]);
    expect(['"a b', "'a", 'a\\', '"a\nb"'].map(alone)).toEqual([false, false, false, false]);
  });
});
