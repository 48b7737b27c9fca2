import { CronTime } from 'cron';
import { SECOND_MS } from '../base/durations.js';

/** When a job runs: at the times of a cron expression, in the time zone of the process, or this long after its last run. */
export type JobSchedule = { readonly cron: string } | { readonly everyMs: number };

/** Returns the first time after `after` at which the job is due. Throws for an invalid cron expression. */
export function nextDue(schedule: JobSchedule, after: Date): Date {
  if ('everyMs' in schedule) return new Date(after.getTime() + schedule.everyMs);
  return new CronTime(schedule.cron).getNextDateFrom(after).toJSDate();
}

/** As it is stored, so that a changed setting is noticed, and shown: a cron expression, or `every 60 s`. */
export function scheduleText(schedule: JobSchedule): string {
  return 'cron' in schedule ? schedule.cron : `every ${schedule.everyMs / SECOND_MS} s`;
}

/** The seconds of a stored interval; undefined for a cron expression. */
export function intervalSeconds(text: string): number | undefined {
  const seconds = /^every (\d{1,12}(?:\.\d{1,3})?) s$/.exec(text)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
