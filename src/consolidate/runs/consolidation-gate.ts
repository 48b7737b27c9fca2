import { HOUR_MS } from '../../platform/base/durations.js';

export interface GateSettings {
  readonly minHours: number;
  readonly minSessions: number;
}

/** Whether a scheduled run of an agent is due: enough time and enough new sessions since the last one that completed. */
export function isDue(last: Date | undefined, sessions: number, now: Date, settings: GateSettings): boolean {
  const isLongAgo = last === undefined || now.getTime() - last.getTime() >= settings.minHours * HOUR_MS;
  return isLongAgo && sessions >= settings.minSessions;
}
