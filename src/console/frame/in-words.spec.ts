import { describe, expect, it } from '@jest/globals';
import { countHighlights } from './highlights.js';
import { counted, interval, nextCycleText } from './in-words.js';

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

describe('the next cycle', () => {
  it.each([
    [null, 'cycles run on request only'],
    [40, 'next cycle a minute after agents have reported'],
    [7_200, 'next cycle in 2 h'],
  ])('of a schedule that looks after %s seconds is "%s"', (seconds, words) => {
    const now = new Date('2026-01-01T00:00:00Z');
    const next = seconds === null ? null : new Date(now.getTime() + 1_000 * seconds);
    expect(nextCycleText(next, now)).toBe(words);
  });
});

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
