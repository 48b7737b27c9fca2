import { parentPort, workerData } from 'node:worker_threads';
import { inSlices } from '../../platform/background/duty-cycle.js';
import { lowerThreadPriority } from '../../platform/background/thread-priority.js';
import { measureAgain, train } from '../learning/training.js';
import type { TrainingMessage, TrainingOrder } from './training-order.js';

/** Milliseconds between two messages about the progress. */
const PROGRESS_MS = 2_000;

lowerThreadPriority();

// Only the runner starts this file, with an order.
const { input, result, coreShare } = workerData as TrainingOrder;

const say = (message: TrainingMessage): void => parentPort?.postMessage(message);

if (result) say({ kind: 'measured', measured: measureAgain(input, result) });
else {
  const training = train(input);
  let last = training.next();
  await inSlices(
    () => {
      last = training.next();
      return !last.done;
    },
    coreShare,
    (sinceMs) => {
      if (sinceMs < PROGRESS_MS || last.done) return false;
      say({ kind: 'progress', progress: last.value });
      return true;
    },
  );
  if (last.done) say({ kind: 'result', result: last.value });
}
