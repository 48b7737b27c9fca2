import { setImmediate } from 'node:timers/promises';

const SLICE_ITERATIONS = 64;
const SLICE_MS = 2;

/** Resolves after all other tasks that are ready in this process have run. */
export const yieldToEventLoop = (): Promise<void> => setImmediate();

/**
 * Lets a long loop yield to the event loop: after 64 iterations or 2 milliseconds, all other ready tasks run first.
 * Loops that share a yielder share each pause.
 */
export class Yielder {
  private iterations = 0;
  private sliceStart = performance.now();
  private pendingYield: Promise<void> | undefined;

  /** Await this after each iteration. */
  async yieldIfDue(): Promise<void> {
    this.iterations += 1;
    if (this.iterations < SLICE_ITERATIONS && performance.now() - this.sliceStart < SLICE_MS) return;
    this.pendingYield ??= yieldToEventLoop().then(() => {
      this.iterations = 0;
      this.sliceStart = performance.now();
      this.pendingYield = undefined;
    });
    await this.pendingYield;
  }
}
