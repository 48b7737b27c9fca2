import { describe, expect, it } from '@jest/globals';
import { dotProduct } from './dot-product.js';

describe('the dot product', () => {
  it('sums the products of the numbers at one place', () => {
    expect(dotProduct(Float32Array.of(1, 2, 3), Float32Array.of(4, 5, 6))).toBe(32);
    expect(dotProduct(Float32Array.of(), Float32Array.of())).toBe(0);
  });
});
