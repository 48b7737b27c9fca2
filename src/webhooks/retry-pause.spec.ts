import { describe, expect, it } from '@jest/globals';
import { retryPause } from './audit-stream-worker.service.js';

describe('the pause of a stream that fails', () => {
  it('grows to five minutes and stays there', () => {
    const seconds = [1, 2, 3, 4, 5, 6, 7, 1_000].map((failures) => retryPause(failures) / 1_000);
    expect(seconds).toEqual([5, 15, 30, 60, 120, 300, 300, 300]);
  });
});
