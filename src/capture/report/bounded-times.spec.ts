import { describe, expect, it } from '@jest/globals';
import { boundedTimes, statedTimes } from './bounded-times.js';

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

  it('are kept as they are said within the years that a database knows', () => {
    const [startedAt, finishedAt] = ['0000-01-01T00:00:00+14:00', '9999-12-31T23:00:00-12:00'];
    const { statedStart, statedEnd } = statedTimes({ startedAt, finishedAt });
    expect([statedStart.toISOString(), statedEnd.toISOString()]).toEqual([
      '0001-01-01T00:00:00.000Z',
      '9999-12-31T00:00:00.000Z',
    ]);
    const said = { startedAt: '2099-01-01T00:00:00Z', finishedAt: '2099-01-01T01:00:00Z' };
    expect(statedTimes(said)).toEqual({ statedStart: new Date(said.startedAt), statedEnd: new Date(said.finishedAt) });
  });
});
