import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/base/durations.js';

/** 12,345. A thin space would be highlighted as a hidden character beside foreign text. */
export const grouped = (n: number): string => String(n).replace(/\B(?=(?:\d{3}){1,5}$)/g, ',');

export const plural = (n: number, one: string, many: string): string => (n === 1 ? one : many);

/** A number with its noun: "1 proposal", "1,234 proposals". */
export const counted = (n: number, one: string, many = `${one}s`): string => `${grouped(n)} ${plural(n, one, many)}`;

/** A time relative to now, in its largest unit: "3 h ago", "in 2 days". */
export function relative(time: Date | string, now: Date): string {
  const distance = new Date(time).getTime() - now.getTime();
  if (Math.abs(distance) < MINUTE_MS) return 'just now';
  return distance < 0 ? `${span(Math.abs(distance))} ago` : `in ${span(Math.abs(distance))}`;
}

function span(milliseconds: number): string {
  if (milliseconds < HOUR_MS) return `${grouped(Math.floor(milliseconds / MINUTE_MS))} min`;
  if (milliseconds < 2 * DAY_MS) return `${grouped(Math.floor(milliseconds / HOUR_MS))} h`;
  return counted(Math.floor(milliseconds / DAY_MS), 'day');
}

/** In the largest unit that divides it: "every 10 minutes", "every hour". */
export function interval(seconds: number): string {
  for (const [unit, length] of UNITS)
    if (seconds >= length && seconds % length === 0) return every(unit, seconds / length);
  return every('second', seconds);
}

const UNITS = [
  ['day', DAY_MS / SECOND_MS],
  ['hour', HOUR_MS / SECOND_MS],
  ['minute', MINUTE_MS / SECOND_MS],
] as const;
const every = (unit: string, n: number): string => `every ${n === 1 ? unit : counted(n, unit)}`;

/** A time for a `<time>` element: the visible text, and the values of its attributes. */
export interface Moment {
  readonly iso: string;
  readonly says: string;
  readonly exact: string;
}

export function moment(time: string, now: Date): Moment {
  return { iso: time, says: relative(time, now), exact: `${time.slice(0, 10)} ${time.slice(11, 16)} UTC` };
}

/** When the next cycle runs. `next`: when the schedule looks next; null if there is none. */
export function nextCycleText(next: Date | null, now: Date): string {
  if (next === null) return 'cycles run on request only';
  const when = next.getTime() - now.getTime() > MINUTE_MS ? relative(next, now) : 'a minute after agents have reported';
  return `next cycle ${when}`;
}
