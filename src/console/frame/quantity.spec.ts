import { describe, expect, it } from '@jest/globals';
import { countHighlights } from './highlights.js';
import { counted } from './quantity.js';

describe('a number with its noun', () => {
  it.each([
    [0, '0 proposals'],
    [1, '1 proposal'],
    [1_234_567, '1,234,567 proposals'],
  ])('of %d is "%s", without a character that would be highlighted in foreign text', (n, text) => {
    expect(counted(n, 'proposal')).toBe(text);
    expect(countHighlights(text)).toBe(0);
  });

  it('takes a plural that does not end in s', () => {
    expect(counted(2, 'try', 'tries')).toBe('2 tries');
  });
});
