import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { TrainingProgress } from '../learning/training-contract.js';
import type { TrainingMessage, TrainingOrder } from './training-order.js';

const FILE = new URL(`./training.thread${extname(import.meta.url.replace(/\?.*$/, ''))}`, import.meta.url);
/** MiB of the heap of a training; one that needs more is ended, and not the process. */
const MAX_HEAP_MIB = 2_048;

type Last = Exclude<TrainingMessage, { kind: 'progress' }>;

/** Runs one training in a thread, which can be ended at any time: the same input and seed give the same result. */
@Injectable()
export class TrainingThread implements OnApplicationShutdown {
  private thread: Worker | undefined;

  /**
   * Resolves with the last message; undefined if the thread was stopped. Rejects with the error of the training, and of
   * `onProgress`, which handles one progress after the other.
   */
  async run(
    order: TrainingOrder,
    onProgress: (progress: TrainingProgress) => Promise<void>,
  ): Promise<Last | undefined> {
    const thread = new Worker(FILE, { workerData: order, resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB } });
    this.thread = thread;
    let last: Last | undefined;
    let handled: Promise<void> = Promise.resolve();
    try {
      await new Promise<void>((resolve, reject) => {
        thread.on('message', (message: TrainingMessage) => {
          if (message.kind !== 'progress') last = message;
          else handled = handled.then(() => onProgress(message.progress));
          handled.catch(reject);
        });
        thread.on('error', reject);
        thread.on('exit', () => resolve());
      });
      await handled;
      return last;
    } finally {
      this.thread = undefined;
      await thread.terminate();
    }
  }

  /** Ends the thread, if one runs. */
  async stop(): Promise<void> {
    await this.thread?.terminate();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop();
  }
}
