import { describe, expect, it } from '@jest/globals';
import { letterPairScore, looksLikeWords } from './letter-pairs.js';

describe('letter pairs', () => {
  it.each(['createUserProfile', 'getElementsByTagName', 'my-feature-branch', 'DJANGO_SETTINGS_MODULE', 'kubernetes'])(
    '%s reads like words',
    (name) => expect(looksLikeWords(name)).toBe(true),
  );

  it.each(['axlzvcf9m7jyyts833f9gmtcpqe5b26o', 'LY027C40U2KNNZLFO1WEU3XQZ13LW515', 'q7Zt2LmX9aBv4Kc1RfY8wDh6'])(
    '%s does not',
    (token) => expect(looksLikeWords(token)).toBe(false),
  );

  it('a text with hardly any adjacent letters is not a word', () => {
    expect(letterPairScore('1a2b3c4d')).toEqual({ mean: 0, pairs: 0 });
    expect(looksLikeWords('12345678901234in')).toBe(false);
  });
});
