import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DAY_MS } from '../platform/base/durations.js';
import { cutoffsAt, isDue } from './cutoffs.js';

const noon = new Date('2026-03-10T12:34:56.789Z');

describe('the limits of what is kept', () => {
  it('are whole days, and none without a setting', () => {
    const none = { keepReportsDays: 0, keepDeliveriesDays: 0, evolverWindowDays: 30 };
    expect(cutoffsAt(noon, none)).toEqual({ reportsBefore: null, deliveriesBefore: null });
    expect(cutoffsAt(noon, { ...none, keepReportsDays: 90, keepDeliveriesDays: 1 })).toEqual({
      reportsBefore: new Date('2025-12-10T00:00:00Z'),
      deliveriesBefore: new Date('2026-03-09T00:00:00Z'),
    });
  });

  it('never reach into the window of the evolver', () => {
    const days = fc.integer({ min: 1, max: 3_650 });
    fc.assert(
      fc.property(days, days, fc.date({ min: new Date(0), noInvalidDate: true }), (keepReportsDays, window, now) => {
        const { reportsBefore } = cutoffsAt(now, { keepReportsDays, keepDeliveriesDays: 0, evolverWindowDays: window });
        expect(reportsBefore?.getTime()).toBeLessThanOrEqual(now.getTime() - window * DAY_MS);
      }),
    );
  });

  it('move once a day', () => {
    expect(isDue(noon, null)).toBe(true);
    expect(isDue(noon, new Date('2026-03-10T00:00:00Z'))).toBe(false);
    expect(isDue(noon, new Date('2026-03-09T23:59:59Z'))).toBe(true);
  });
});
