import { describe, expect, it } from '@jest/globals';
import { isDue } from './tuning-due.js';

const schedule = { minDocuments: 200, growth: 1 / 3 };

describe('the schedule of tuning runs', () => {
  it('does nothing while memory is small', () => {
    expect([isDue(199, undefined, schedule), isDue(199, 10, schedule)]).toEqual([false, false]);
  });

  it('fits a base at first, and again when memory has grown by a third', () => {
    expect(isDue(200, undefined, schedule)).toBe(true);
    expect([isDue(401, 301, schedule), isDue(402, 301, schedule)]).toEqual([false, true]);
  });
});
