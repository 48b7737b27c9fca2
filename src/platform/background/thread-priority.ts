import { getPriority, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';

/**
 * A nice value: the event loop gets two and a half times as much of a contended core. Much lower, and a busy machine would
 * leave the threads so little that ordinary work exceeds its time.
 */
const LOWER = 4;

/**
 * Lets the main thread run before this one. Only on Linux, where the priority belongs to a thread; elsewhere it would be
 * that of the whole process.
 */
export function lowerThreadPriority(): void {
  // A higher number is a lower priority; raising it again would need a privilege.
  if (process.platform === 'linux' && !isMainThread && getPriority() < LOWER) setPriority(LOWER);
}
