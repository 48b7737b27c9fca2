import { constants, getPriority, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';

const LOWER = constants.priority.PRIORITY_BELOW_NORMAL;

/**
 * Lets other threads of the machine run before this one, unless it is the main thread. Only on Linux, where the priority
 * belongs to a thread; elsewhere it would be that of the whole process.
 */
export function lowerThreadPriority(): void {
  // A higher number is a lower priority; raising it again would need a privilege.
  if (process.platform === 'linux' && !isMainThread && getPriority() < LOWER) setPriority(LOWER);
}
