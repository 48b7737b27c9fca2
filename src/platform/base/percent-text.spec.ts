import { describe, expect, it } from '@jest/globals';
import { percentText } from './percent-text.js';

describe('a share as a percentage', () => {
  it('is rounded to a whole number', () => {
    expect([0, 0.376, 0.8, 1].map(percentText)).toEqual(['0 %', '38 %', '80 %', '100 %']);
  });

  it('never rounds to certainty', () => {
    expect([0.996, 0.9999999].map(percentText)).toEqual(['> 99 %', '> 99 %']);
    expect([0.004, 0.0000001].map(percentText)).toEqual(['< 1 %', '< 1 %']);
  });
});
