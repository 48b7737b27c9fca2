import { DAY_MS, HOUR_MS, MINUTE_MS } from '../platform/base/durations.js';
import type { PromotionState } from './promotion.schema.js';
import type { PromotionVerdict } from './verdict.js';

export interface NextCheck {
  readonly state: PromotionState;
  readonly because: string;
  readonly promotedBy: string | null;
  readonly attempts: number;
  readonly checkedAt: Date;
  readonly dueAt: Date;
}

/**
 * Returns the queue row after a verdict. No memory leaves the queue. A verified memory is checked again, since stronger
 * evidence may contradict it later. Any other one is retried after one, two, four … hours, or after minutes while the
 * verifier is unavailable. `attempts`: earlier checks in a row that resolved nothing.
 */
export function nextCheck(verdict: PromotionVerdict, attempts: number, now: Date): NextCheck {
  const after = (delay: number) => ({ checkedAt: now, dueAt: new Date(now.getTime() + delay) });
  if (verdict.verified) {
    const delay = verdict.by === 'person' ? DAY_MS : 6 * HOUR_MS;
    return { state: 'verified', because: verdict.by, promotedBy: verdict.by, attempts: 0, ...after(delay) };
  }
  const { because } = verdict;
  const first = because === 'verifier_unavailable' ? 5 * MINUTE_MS : HOUR_MS;
  const delay = Math.min(
    first * 2 ** Math.min(attempts, 10),
    because === 'verifier_unavailable' ? 6 * HOUR_MS : DAY_MS,
  );
  return { state: 'unresolved', because, promotedBy: null, attempts: attempts + 1, ...after(delay) };
}
