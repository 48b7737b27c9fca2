import { MINUTE_MS } from '../platform/base/durations.js';
import { optional } from '../platform/base/optional.js';
import type { SessionFigures, SessionOutcome } from '../sessions/entries/session-memory.schema.js';

const MAX_MINUTES = 1_000_000;

/** Duration, turns and cost of a session, from its report as far as there is one. */
export function figuresOf(
  startedAt: string,
  endedAt: string,
  { report, turns, costUsd }: SessionOutcome,
): SessionFigures {
  const [from, to] = report === undefined ? [startedAt, endedAt] : [report.startedAt, report.finishedAt];
  return {
    durationMinutes: Math.min(MAX_MINUTES, Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / MINUTE_MS))),
    ...optional('turns', turns ?? report?.turnCount),
    ...optional('costUsd', costUsd === undefined ? undefined : Math.round(costUsd * 10_000) / 10_000),
  };
}
