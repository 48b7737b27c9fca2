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
 * What a verdict leaves in the queue. Nothing leaves it: what is verified is looked at again, since higher evidence may
 * speak against it later; what is not comes again after one, two, four … hours, and while the second model is away after
 * minutes. `attempts`: checks in a row before this one that resolved nothing.
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
