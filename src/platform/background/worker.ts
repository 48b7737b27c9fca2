import { type BeforeApplicationShutdown, Logger } from '@nestjs/common';
import { stackOf } from '../base/error-text.js';

/** Background work that learns by this that there may be something to do. Returns at once. */
export interface Wakeable {
  wake(): void;
}

/**
 * Background work that sleeps until it is woken: `wake()` starts a run unless one is going, and a call during a run
 * causes another one after it, so that no wake-up is lost. A run repeats `step` until it says that nothing is left. An
 * error ends the run with a log line; the next wake-up (a timer's, too) tries again, since the work itself is rows in
 * the database.
 */
export class Worker {
  private readonly logger: Logger;
  private running: Promise<void> | undefined;
  private wakeTimer: NodeJS.Timeout | undefined;
  private wakeAgain = false;
  private stopped = false;

  constructor(
    name: string,
    private readonly step: () => Promise<boolean>,
  ) {
    this.logger = new Logger(name);
  }

  wake(): void {
    if (this.stopped) return;
    if (this.running) {
      this.wakeAgain = true;
      return;
    }
    this.running = this.run().finally(() => {
      this.running = undefined;
      if (this.wakeAgain) {
        this.wakeAgain = false;
        this.wake();
      }
    });
  }

  /** Wakes after so many milliseconds, once for all calls until then. */
  wakeAfter(milliseconds: number): void {
    if (this.stopped) return;
    this.wakeTimer ??= setTimeout(() => this.wakeNow(), milliseconds).unref();
  }

  /** Waits until the work that it was woken for is done; a wake-up that was to come soon comes now. */
  async idle(): Promise<void> {
    while (this.wakeTimer || this.running) {
      if (this.wakeTimer) this.wakeNow();
      await this.running;
    }
  }

  /** Lets the current step finish and starts no other. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeAgain = false;
    clearTimeout(this.wakeTimer);
    await this.running;
  }

  private wakeNow(): void {
    clearTimeout(this.wakeTimer);
    this.wakeTimer = undefined;
    this.wake();
  }

  private async run(): Promise<void> {
    try {
      while (!this.stopped && (await this.step()));
    } catch (error) {
      this.logger.error(stackOf(error));
    }
  }
}

/** A service that is a worker: woken, waited for, and stopped with the application. */
export abstract class BackgroundWorker implements Wakeable, BeforeApplicationShutdown {
  private readonly worker = new Worker(this.constructor.name, () => this.step());

  /** A step of the work; true when there may be more. */
  protected abstract step(): Promise<boolean>;

  /** Says that there may be work. Returns at once. */
  wake(): void {
    this.worker.wake();
  }

  /** Says so after so many milliseconds, once for all calls until then. */
  wakeAfter(milliseconds: number): void {
    this.worker.wakeAfter(milliseconds);
  }

  /** Waits until the work that it was woken for is done. */
  idle(): Promise<void> {
    return this.worker.idle();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.worker.stop();
  }
}
