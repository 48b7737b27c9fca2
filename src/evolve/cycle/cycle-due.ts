import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/base/durations.js';

/** What decides whether a scheduled cycle starts. */
export interface CycleDuty {
  /** Whether an operator chose the times. */
  readonly isTimed: boolean;
  /** Whether an active person may approve proposals. */
  readonly hasReviewer: boolean;
  /** When the newest execution was received; null if there is none. */
  readonly newest: Date | null;
  /** Whether received executions still wait to be read, or for their private lessons. */
  readonly isReading: boolean;
  /** The last cycle that submitted; null before the first one. */
  readonly last: { readonly startedAt: Date; readonly finishedAt: Date | null } | null;
}

/** Cycles take at most this part of the time. */
const SHARE = 0.01;

/** What arrives together, such as an import, is read together. */
const QUIET_MS = MINUTE_MS;
/** Where executions never stop to arrive. */
const LONGEST_WAIT_MS = HOUR_MS;

/**
 * Returns whether a cycle would find something new: executions arrived since the last one and are read, or a day passed, in
 * which others left the window. Nothing is proposed while no person can decide.
 */
export function isCycleDue({ isTimed, hasReviewer, newest, isReading, last }: CycleDuty, now: Date): boolean {
  if (!hasReviewer || newest === null) return false;
  const isQuiet = !isReading && now.getTime() - newest.getTime() >= QUIET_MS;
  if (last === null) return isTimed || isQuiet;
  const pause = now.getTime() - last.startedAt.getTime();
  if (pause >= DAY_MS) return true;
  if (newest <= last.startedAt) return false;
  const took = (last.finishedAt ?? last.startedAt).getTime() - last.startedAt.getTime();
  return isTimed || (pause >= took / SHARE && (isQuiet || pause >= LONGEST_WAIT_MS));
}
