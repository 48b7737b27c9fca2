import { Yielder } from './yielder.js';

/**
 * Lets short work that arrives at the same time run one piece after the other, with pauses in which the event loop runs
 * everything else: otherwise many requests that arrive together would run without a pause.
 */
export class Turns {
  private readonly yielder = new Yielder();
  private last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn. The work must begin at once and be synchronous. */
  next(): Promise<void> {
    this.last = this.last.then(() => this.yielder.yieldIfDue());
    return this.last;
  }
}
