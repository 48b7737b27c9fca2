import { setImmediate } from 'node:timers/promises';

const SLICE_ITERATIONS = 64;
const SLICE_MS = 2;

/** Resolves after everything else that is ready in this process had its turn. */
export const yieldToEventLoop = (): Promise<void> => setImmediate();

/**
 * Lets a long loop give the event loop its turns: after 64 pieces, or 2 milliseconds, everything else that is ready in
 * this process runs first. Several loops that share a yielder share each turn.
 */
export class Yielder {
  private iterations = 0;
  private sliceStart = performance.now();
  private pendingYield: Promise<void> | undefined;

  /** To be awaited after each piece of the work. */
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
