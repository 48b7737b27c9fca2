import type { Clock } from '../../platform/base/clock.js';
import { MINUTE_MS } from '../../platform/base/durations.js';

/** How often a cycle waits for the rate limit; each time at most a minute. */
const MAX_WAITS = 2;
/** The longest time in milliseconds that a question of a cycle waits for the rate limit. */
export const LONGEST_PATIENCE_MS = MAX_WAITS * MINUTE_MS;

interface Patience {
  readonly clock: Clock;
  readonly pause: (milliseconds: number) => Promise<void>;
}

/**
 * A cycle has few questions, and a backlog of lessons may use up every minute: asks again after the rate limit, but only
 * MAX_WAITS times.
 */
export async function askPatiently<R extends { readonly outcome: string; readonly until?: Date }>(
  ask: () => Promise<R>,
  { clock, pause }: Patience,
): Promise<R> {
  for (let waits = 0; ; waits += 1) {
    const reply = await ask();
    if (reply.outcome !== 'rate_limited' || reply.until === undefined || waits === MAX_WAITS) return reply;
    await pause(Math.min(MINUTE_MS, Math.max(1, reply.until.getTime() - clock.now().getTime())));
  }
}
