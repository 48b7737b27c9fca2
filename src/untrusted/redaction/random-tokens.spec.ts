import { describe, expect, it } from '@jest/globals';
import { randomTokens } from './random-tokens.js';

const found = (text: string): string[] => [...randomTokens(text)].map(([start, end]) => text.slice(start, end));

describe('randomTokens', () => {
  it.each([
    ['q7Zt2LmX9aBv', 'the token is q7Zt2LmX9aBv now'],
    ['axlzvcf9m7jyyts833f9gmtcpqe5b26o', '<secret>{books axlzvcf9m7jyyts833f9gmtcpqe5b26o}</secret>'],
    ['9f3a71c04be85d26a1f7709c3e48b5d2', 'key 9f3a71c04be85d26a1f7709c3e48b5d2'],
    ['q7Zt2LmX9aBv4Kc1RfY8wDh6', 'books q7Zt2LmX9aBv4Kc1RfY8wDh6 refused'],
  ])('finds %s in: %s', (token, text) => {
    expect(found(text)).toEqual([token]);
  });

  it.each([
    'commit 9f3a71c04be85d26a1f7709c3e48b5d2f1a7709c',
    'git log 430fb1db88..5e8c140da6',
    'build-2026-03-01T10-00-00 of createUserProfile22',
    '/var/folders/hg/_103_7xx52701ztpt4713nww0000gn/T/x.py',
    'sha512-q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTbVk0QoCiMzWgSyHdAnPrUjFlOeI==',
    'digest q7Zt2LmX9aBv4Kc1RfY8wDh6',
  ])('finds none in: %s', (text) => {
    expect(found(text)).toEqual([]);
  });
});
