import { describe, expect, it } from '@jest/globals';
import { boundedTimes } from './bounded-times.js';

const NOW = '2026-04-01T12:00:00.000Z';

describe('the times of an execution', () => {
  it.each([
    [
      'as they are said',
      '2026-03-31T18:00:00Z',
      '2026-03-31T18:05:00Z',
      '2026-03-31T18:00:00Z',
      '2026-03-31T18:05:00Z',
    ],
    ['a clock that is hours fast', NOW, '2026-04-01T20:00:00Z', NOW, '2026-04-01T20:00:00Z'],
    ['an end in 2099', '2026-03-31T18:00:00Z', '2099-01-01T00:00:00Z', '2026-03-31T18:00:00Z', NOW],
    ['both in 2099', '2099-01-01T00:00:00Z', '2099-01-01T01:00:00Z', NOW, NOW],
    ['a begin in 1970', '1970-01-01T00:00:00Z', '2026-03-31T18:05:00Z', '2026-03-31T18:05:00Z', '2026-03-31T18:05:00Z'],
    ['both in 1970', '1970-01-01T00:00:00Z', '1970-01-01T00:05:00Z', NOW, NOW],
  ])('are bounded by the clock of the server: %s', (_name, startedAt, finishedAt, start, end) => {
    const bounded = boundedTimes({ startedAt, finishedAt }, new Date(NOW));
    expect(bounded).toEqual({ startedAt: new Date(start), finishedAt: new Date(end) });
  });
});
