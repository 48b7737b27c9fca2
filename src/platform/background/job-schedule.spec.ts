import { describe, expect, it } from '@jest/globals';
import { intervalSeconds, nextDue, scheduleText } from './job-schedule.js';

const at = (hour: number, minute: number, second = 0) => new Date(2026, 4, 5, hour, minute, second);

describe('the schedule of a job', () => {
  it('of a cron expression is due at its next time, strictly after the moment', () => {
    expect(nextDue({ cron: '0 3 * * *' }, at(2, 59, 59))).toEqual(at(3, 0));
    expect(nextDue({ cron: '0 3 * * *' }, at(3, 0))).toEqual(new Date(2026, 4, 6, 3, 0));
    expect(nextDue({ cron: '*/15 * * * *' }, at(3, 7))).toEqual(at(3, 15));
  });

  it('of an interval is due that long after the moment', () => {
    expect(nextDue({ everyMs: 60_000 }, at(3, 0, 12))).toEqual(at(3, 1, 12));
  });

  it('is shown as it was written', () => {
    expect(scheduleText({ cron: '0 3 * * *' })).toBe('0 3 * * *');
    expect(scheduleText({ everyMs: 90_000 })).toBe('every 90 s');
  });

  it('is read again: the seconds of an interval, and none of a cron expression', () => {
    expect(intervalSeconds(scheduleText({ everyMs: 90_000 }))).toBe(90);
    expect(intervalSeconds(scheduleText({ everyMs: 500 }))).toBe(0.5);
    expect(intervalSeconds(scheduleText({ cron: '0 3 * * *' }))).toBeUndefined();
  });
});
