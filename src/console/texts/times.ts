import { say } from './texts.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A time as people say it, seen from now: "3 h ago", "in 2 days". The smaller unit is left out. */
export function relative(time: Date | string, now: Date): string {
  const distance = new Date(time).getTime() - now.getTime();
  if (Math.abs(distance) < MINUTE) return say('time.now');
  return say(distance < 0 ? 'time.past' : 'time.future', { span: span(Math.abs(distance)) });
}

function span(milliseconds: number): string {
  if (milliseconds < HOUR) return say('time.minutes', { n: Math.floor(milliseconds / MINUTE) });
  if (milliseconds < 2 * DAY) return say('time.hours', { n: Math.floor(milliseconds / HOUR) });
  return say('time.days', { n: Math.floor(milliseconds / DAY) });
}

/** A moment for a `<time>`: what is shown, and what machines and tooltips read. */
export interface Moment {
  readonly iso: string;
  readonly says: string;
  readonly exact: string;
}

export function moment(time: string, now: Date): Moment {
  return { iso: time, says: relative(time, now), exact: `${time.slice(0, 10)} ${time.slice(11, 16)} UTC` };
}
