import { describe, expect, it } from '@jest/globals';
import { characterClassChanges, characterKinds, countDigits, entropy, isMostlyWords, looksRandom } from './entropy.js';

describe('entropy', () => {
  it('is 0 bits for one repeated character, 1 for two, 2 for four', () => {
    expect([entropy('aaaa'), entropy('abab'), entropy('abcd')]).toEqual([0, 1, 2]);
    expect(entropy('')).toBe(0);
  });

  it('counts digits, character kinds and changes of kind', () => {
    expect(countDigits('a1b22c')).toBe(3);
    expect(characterKinds('aA1-')).toBe(4);
    expect(characterClassChanges('utf8Decoder')).toBe(3);
    expect(characterClassChanges('a-1-b')).toBe(0);
  });

  it('a name in camel, snake or kebab case is mostly words, a key is not', () => {
    expect(['createUserProfile2', 'max_retry_count_3', 'my-feature-branch-12'].every(isMostlyWords)).toBe(true);
    expect(isMostlyWords('q7Zt2LmX9aBv4Kc1RfY8')).toBe(false);
  });
});

describe('looksRandom', () => {
  it.each([
    'q7Zt2LmX9aBv4Kc1',
    'q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG',
    '9f3a71c04be85d26a1f7709c3e48b5d2',
    '123e4567-e89b-12d3-a456-426614174000',
  ])('%s does', (token) => {
    expect(looksRandom(token)).toBe(true);
  });

  it.each([
    'createUserProfile22',
    '2026-03-01T10:00:00Z',
    '0x7f3c9a2b1d40',
    'aaaaaaaaaaaa11',
    '1.2.3-beta.45',
    'shortA1b2',
  ])('%s does not', (token) => {
    expect(looksRandom(token)).toBe(false);
  });
});
