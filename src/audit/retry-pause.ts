import { MINUTE_MS, SECOND_MS } from '../platform/base/durations.js';

/** Pauses after failures that follow each other. The last one repeats for as long as the receiver is away. */
const PAUSES_MS = [5 * SECOND_MS, 15 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS];

/** Milliseconds until the attempt after `failures` failed ones. */
export const retryPause = (failures: number): number =>
  PAUSES_MS[Math.min(Math.max(failures, 1), PAUSES_MS.length) - 1] ?? 5 * MINUTE_MS;
