import { DAY_MS } from '../../platform/base/durations.js';

/** A machine that takes its local time for UTC is ahead by up to 14 hours. */
const TOLERANCE_MS = DAY_MS;
/** No agent worked before; a machine without a clock begins in 1970. */
const LONGEST_AGO_MS = 3_650 * DAY_MS;

/** When an execution ran, as far as the server's clock allows what it says: not a day later than now, nor ten years before. */
export function boundedTimes(
  { startedAt, finishedAt }: { readonly startedAt: string; readonly finishedAt: string },
  receivedAt: Date,
): { startedAt: Date; finishedAt: Date } {
  const now = receivedAt.getTime();
  const isKnown = (at: number): boolean => at <= now + TOLERANCE_MS && at >= now - LONGEST_AGO_MS;
  const [start, end] = [Date.parse(startedAt), Date.parse(finishedAt)];
  const finished = isKnown(end) ? end : isKnown(start) ? Math.max(start, Math.min(end, now)) : now;
  return { startedAt: new Date(isKnown(start) ? Math.min(start, finished) : finished), finishedAt: new Date(finished) };
}
