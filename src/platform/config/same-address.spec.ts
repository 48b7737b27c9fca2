import { describe, expect, it } from '@jest/globals';
import { isSameAddress } from './config.js';

describe('two addresses', () => {
  it.each([
    ['https://models.example.org', 'https://models.example.org/v1/other'],
    ['https://models.example.org', 'https://MODELS.example.org:443/'],
    ['https://models.example.org', 'https://models.example.org.'],
    ['http://models.example.org:443', 'https://models.example.org'],
    ['http://localhost:11434', 'http://127.0.0.1:11434/v1'],
    ['http://[::1]:11434', 'http://127.1.2.3:11434'],
  ])('are the same server: %s and %s', (one, other) => {
    expect(isSameAddress(one, other)).toBe(true);
    expect(isSameAddress(other, one)).toBe(true);
  });

  it.each([
    ['https://models.example.org', 'https://judge.example.org'],
    ['http://localhost:11434', 'http://localhost:11435'],
    ['http://models.example.org', 'https://models.example.org'],
  ])('are different servers: %s and %s', (one, other) => {
    expect(isSameAddress(one, other)).toBe(false);
  });
});
