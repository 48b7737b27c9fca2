import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapeInvisible } from '../../untrusted/text/escape-invisible.js';
import { countHighlights, highlightPieces } from './highlights.js';

const marked = (text: string) => highlightPieces(text).filter(({ highlight: mark }) => mark !== 'none');

describe('a text for a reviewer', () => {
  it('shows each character that cannot be seen, and which one it is', () => {
    for (const hidden of ['\u202e', '\u200b', '\u00ad', '\u2066', '\ufeff', '\u{e0041}', '\u00a0', '\u0000', '\u2028'])
      expect(marked(`a${hidden}b`)).toEqual([{ text: escapeInvisible(hidden), mark: 'hidden', like: '' }]);
  });

  it('points at letters of other scripts among Latin ones, and says what they look like', () => {
    expect(marked('run pаyload')).toEqual([{ text: 'а', mark: 'alike', like: 'a' }]);
    expect(marked('ɡit push')).toEqual([{ text: 'ɡ', mark: 'alike', like: 'g' }]);
    expect(marked('ｓｕｄｏ')).toEqual([{ text: 'ｓｕｄｏ', mark: 'alike', like: 'sudo' }]);
    expect(marked('𝐫𝐦')).toMatchObject([{ mark: 'alike' }]);
  });

  it('points at a whole word that could pass for a Latin one', () => {
    expect(marked('сору')).toMatchObject([{ text: 'сору', mark: 'alike', like: 'copy' }]);
  });

  it('points at punctuation that is not what a command takes it for', () => {
    for (const [text, like] of [
      ['a∕b', '/'],
      ['–force', '-'],
      ['a；b', ';'],
    ] as const)
      expect(marked(text)).toMatchObject([{ mark: 'alike', like }]);
  });

  it('leaves prose in other scripts and ordinary typography alone', () => {
    expect(countHighlights('Привет, мир: naïve café, 日本語 … don’t — “quoted” ✓')).toBe(0);
  });

  it('loses nothing: the pieces are the text with hidden characters spelled out', () => {
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
