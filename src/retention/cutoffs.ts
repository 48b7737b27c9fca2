import { DAY_MS } from '../platform/base/durations.js';

/** What is older than these is removed; null keeps everything. */
export interface Cutoffs {
  readonly reportsBefore: Date | null;
  readonly deliveriesBefore: Date | null;
}

export interface RetentionDays {
  readonly keepReportsDays: number;
  readonly keepDeliveriesDays: number;
  readonly evolverWindowDays: number;
}

const startOfDay = (at: Date): number => Math.floor(at.getTime() / DAY_MS) * DAY_MS;

/**
 * The limits of a run: whole days, in UTC. Reports are kept one day longer than the window of the evolver, whatever the
 * setting says, so that no cycle counts a part of a day.
 */
export function cutoffsAt(
  now: Date,
  { keepReportsDays, keepDeliveriesDays, evolverWindowDays }: RetentionDays,
): Cutoffs {
  const before = (days: number): Date | null => (days === 0 ? null : new Date(startOfDay(now) - days * DAY_MS));
  return {
    reportsBefore: before(keepReportsDays === 0 ? 0 : Math.max(keepReportsDays, evolverWindowDays + 1)),
    deliveriesBefore: before(keepDeliveriesDays),
  };
}

/** True if no run started on the day of `now`. */
export const isDue = (now: Date, lastStart: Date | null): boolean =>
  lastStart === null || startOfDay(lastStart) < startOfDay(now);
