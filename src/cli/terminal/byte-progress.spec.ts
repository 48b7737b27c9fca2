import { describe, expect, it } from '@jest/globals';
import { formatBytes, timeLeft } from './byte-progress.js';

describe('progress by bytes', () => {
  it.each([
    [60_000, 50, 100, 'less than a minute left'],
    [60_000, 10, 100, 'about 9 minutes left'],
    [60_000, 1, 181, 'about 3 hours left'],
    [3_600_000, 50, 100, 'about 1 hour left'],
    [1_000, 50, 100, undefined],
    [60_000, 0, 100, undefined],
    [60_000, 100, 100, undefined],
  ])('after %i ms for %i of %i bytes: %s', (elapsed, done, total, words) => {
    expect(timeLeft(elapsed, done, total)).toBe(words);
  });

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [123_456_789, '123 MB'],
    [3_400_000_000, '3.4 GB'],
  ])('%i bytes are %s', (bytes, words) => {
    expect(formatBytes(bytes)).toBe(words);
  });
});
