import { DAY_MS } from '../../platform/base/durations.js';

/** A machine that takes its local time for UTC is ahead by up to 14 hours. */
const TOLERANCE_MS = DAY_MS;
/** No agent worked before; a machine without a clock begins in 1970. */
const LONGEST_AGO_MS = 3_650 * DAY_MS;

/** Years that both JavaScript and PostgreSQL write with four digits. */
const [FIRST_MS, LAST_MS] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T00:00:00Z')];

interface StatedTimes {
  readonly startedAt: string;
  readonly finishedAt: string;
}

/** What the reporter says. A wrong clock still gives every state of a session the same begin, and its ends an order. */
export function statedTimes({ startedAt, finishedAt }: StatedTimes): { statedStart: Date; statedEnd: Date } {
  const within = (at: string): Date => new Date(Math.min(LAST_MS, Math.max(FIRST_MS, Date.parse(at))));
  return { statedStart: within(startedAt), statedEnd: within(finishedAt) };
}

/** When an execution ran, as far as the server's clock allows what it says: not a day later than now, nor ten years before. */
export function boundedTimes(
  { startedAt, finishedAt }: StatedTimes,
  receivedAt: Date,
): { startedAt: Date; finishedAt: Date } {
  const now = receivedAt.getTime();
  const isKnown = (at: number): boolean => at <= now + TOLERANCE_MS && at >= now - LONGEST_AGO_MS;
  const [start, end] = [Date.parse(startedAt), Date.parse(finishedAt)];
  const finished = isKnown(end) ? end : isKnown(start) ? Math.max(start, Math.min(end, now)) : now;
  return { startedAt: new Date(isKnown(start) ? Math.min(start, finished) : finished), finishedAt: new Date(finished) };
}
