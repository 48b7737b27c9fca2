import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clip } from './clip.js';
import { plainText } from './plain-text.js';

describe('clip', () => {
  it('a text that fits stays unchanged', () => {
    expect(clip('12345', 5)).toBe('12345');
  });

  it('a longer text ends in an ellipsis that counts', () => {
    expect(clip('123456', 5)).toBe('12...');
  });

  it('a clipped text does not grow when it is normalised again', () => {
    expect(plainText(clip('a'.repeat(20), 10))).toBe('aaaaaaa...');
  });

  it('an emoji is not cut in half', () => {
    expect(clip('ab😀cdef', 6)).toBe('ab...');
    expect(clip('ab😀cdef', 7)).toBe('ab😀...');
  });

  it.each([5, 6, 7, 12, 18])('a marker cut at %i characters is removed as a whole', (max) => {
    expect(clip('k=[REDACTED:jwt] and more', max)).toBe('k=...');
  });

  it('a marker that fits stays complete', () => {
    expect(clip('k=[REDACTED:jwt] and more', 20)).toBe('k=[REDACTED:jwt] ...');
  });

  it('brackets that form no placeholder are cut like any text', () => {
    expect(clip('list[index] = 5', 10)).toBe('list[in...');
  });

  it('returns an empty text if not even the ellipsis fits', () => {
    expect([clip('abcd', 3), clip('abc', 2), clip('abc', 0), clip('abc', -1)]).toEqual(['...', '', '', '']);
  });

  it('never exceeds the bound, never leaves half a marker or half a pair, and is stable', () => {
    const parts = fc.array(fc.constantFrom('a', '😀', '[REDACTED:jwt]', '[path]', '[', ']'), { maxLength: 12 });
    fc.assert(
      fc.property(parts, fc.integer({ min: 0, max: 60 }), (list, max) => {
        const clipped = clip(list.join(''), max);
        const rest = clipped.replaceAll('[REDACTED:jwt]', '').replaceAll('[path]', '');
        expect(clipped.length).toBeLessThanOrEqual(max);
        expect(rest).not.toMatch(/[A-Zp:]/);
        expect(clipped).not.toMatch(/\p{Cs}/u);
        expect(clip(clipped, max)).toBe(clipped);
      }),
    );
  });
});
