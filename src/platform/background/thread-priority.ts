import { constants, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';

/**
 * Lets every other thread of the machine run before this one, unless it is the main thread. Only on Linux, where the
 * priority belongs to a thread; elsewhere it would be that of the whole process.
 */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux' && !isMainThread) setPriority(constants.priority.PRIORITY_LOW);
}
