import { describe, expect, it } from '@jest/globals';
import { foldedViews } from './secret-spans.js';

const texts = (source: string): string[] => [...foldedViews(source)].map(({ text }) => text);

describe('foldedViews', () => {
  it.each([
    ['combining marks', 't\u0332o\u0332ken', 'token'],
    ['accents', 'contraseña', 'contrasena'],
    ['look-alike letters', 'рassword', 'password'],
    ['words of other scripts', '密码是 x', ' password:  x'],
  ])('folds %s', (_, source, text) => expect(texts(source)).toEqual([text]));

  it('reads only the lines that change, with their offsets', () => {
    const source = 'plain → line\nclé = 1\nnext\nlast';
    const [view] = [...foldedViews(source)];
    expect(view?.text).toBe('cle = 1\nnext');
    expect(view?.sourceOffsets.map((offset) => source[offset]).join('')).toBe('clé = 1\nnext\n');
  });

  it('reads nothing from symbols alone', () => expect(texts('a → b — “c” ✓ 3 €')).toEqual([]));
});
