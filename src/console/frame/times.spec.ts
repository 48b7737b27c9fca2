import { describe, expect, it } from '@jest/globals';
import { interval } from './times.js';

describe('an interval in words', () => {
  it.each([
    [1, 'every second'],
    [90, 'every 90 seconds'],
    [0.5, 'every 0.5 seconds'],
    [60, 'every minute'],
    [600, 'every 10 minutes'],
    [3_600, 'every hour'],
    [5_400, 'every 90 minutes'],
    [7_200, 'every 2 hours'],
    [86_400, 'every day'],
    [259_200, 'every 3 days'],
  ])('of %d s is "%s"', (seconds, words) => {
    expect(interval(seconds)).toBe(words);
  });
});
