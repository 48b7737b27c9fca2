import { parentPort, workerData } from 'node:worker_threads';
import { inSlices } from '../../platform/background/duty-cycle.js';
import { lowerThreadPriority } from '../../platform/background/thread-priority.js';
import { measureAgain, resumeTraining, startTraining } from '../learning/training.js';
import { type Training, TrainingMismatch } from '../learning/training-contract.js';
import type { TrainingMessage, TrainingOrder } from './training-order.js';

lowerThreadPriority();

// Only the runner starts this file, with an order.
const order = workerData as TrainingOrder;

const say = (message: TrainingMessage): void => parentPort?.postMessage(message);

function trainingOf({ input, saved }: Extract<TrainingOrder, { task: 'train' }>): Training {
  if (saved === undefined) return startTraining(input);
  try {
    return resumeTraining(input, saved);
  } catch (error) {
    if (!(error instanceof TrainingMismatch)) throw error;
    say({ kind: 'began-again', why: error.message });
    return startTraining(input);
  }
}

if (order.task === 'measure') say({ kind: 'measured', measured: measureAgain(order.input, order.result) });
else {
  const training = trainingOf(order);
  await inSlices(
    () => training.step(),
    order.coreShare,
    (sinceMs) => {
      if (sinceMs < order.saveMs) return false;
      say({ kind: 'saved', saved: training.save(), progress: training.progress });
      return true;
    },
  );
  say({ kind: 'result', result: training.result() });
}
