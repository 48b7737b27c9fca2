import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapeInvisible } from '../../untrusted/text/escape-invisible.js';
import { countHighlights, highlightPieces } from './highlights.js';

const marked = (text: string) => highlightPieces(text).filter(({ highlight }) => highlight !== 'none');

describe('foreign text for a reviewer', () => {
  it('shows each invisible character as its escape', () => {
    for (const hidden of ['\u202e', '\u200b', '\u00ad', '\u2066', '\ufeff', '\u{e0041}', '\u00a0', '\u0000', '\u2028'])
      expect(marked(`a${hidden}b`)).toEqual([{ text: escapeInvisible(hidden), highlight: 'hidden', like: '' }]);
  });

  it('highlights letters of other scripts among Latin letters, with the letter that they look like', () => {
    expect(marked('run pаyload')).toEqual([{ text: 'а', highlight: 'alike', like: 'a' }]);
    expect(marked('ɡit push')).toEqual([{ text: 'ɡ', highlight: 'alike', like: 'g' }]);
    expect(marked('ｓｕｄｏ')).toEqual([{ text: 'ｓｕｄｏ', highlight: 'alike', like: 'sudo' }]);
    expect(marked('𝐫𝐦')).toMatchObject([{ highlight: 'alike' }]);
  });

  it('highlights a whole word that looks like a Latin word', () => {
    expect(marked('сору')).toMatchObject([{ text: 'сору', highlight: 'alike', like: 'copy' }]);
  });

  it('highlights punctuation that looks like ASCII punctuation of a command', () => {
    for (const [text, like] of [
      ['a∕b', '/'],
      ['–force', '-'],
      ['a；b', ';'],
    ] as const)
      expect(marked(text)).toMatchObject([{ highlight: 'alike', like }]);
  });

  it('does not highlight prose in other scripts or ordinary typography', () => {
    expect(countHighlights('Привет, мир: naïve café, 日本語 … don’t — “quoted” ✓')).toBe(0);
  });

  it('keeps every character: the pieces together are the text with its invisible characters escaped', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(
          highlightPieces(text)
            .map((piece) => piece.text)
            .join(''),
        ).toBe([...text].map(escapeInvisible).join(''));
      }),
    );
  });
});
