import { type BeforeApplicationShutdown, Logger } from '@nestjs/common';

/**
 * Background work with a doorbell: `ring()` starts a run unless one is going, and a ring during a run causes another
 * one after it, so that no wake-up is lost. A run repeats `step` until it says that nothing is left. An error ends the
 * run with a log line; the next ring (a timer rings, too) tries again, since the work itself is rows in the database.
 */
export class Worker {
  private readonly logger: Logger;
  private running: Promise<void> | undefined;
  private soon: NodeJS.Timeout | undefined;
  private again = false;
  private stopped = false;

  constructor(
    name: string,
    private readonly step: () => Promise<boolean>,
  ) {
    this.logger = new Logger(name);
  }

  ring(): void {
    if (this.stopped) return;
    if (this.running) {
      this.again = true;
      return;
    }
    this.running = this.run().finally(() => {
      this.running = undefined;
      if (this.again) {
        this.again = false;
        this.ring();
      }
    });
  }

  /** Rings after so many milliseconds, once for everything that asks for it until then. */
  ringWithin(milliseconds: number): void {
    if (this.stopped) return;
    this.soon ??= setTimeout(() => this.ringNow(), milliseconds).unref();
  }

  /** Waits until the work that was rung for is done; what was to be rung for soon is rung for now. */
  async idle(): Promise<void> {
    while (this.soon || this.running) {
      if (this.soon) this.ringNow();
      await this.running;
    }
  }

  /** Lets the current step finish and starts no other. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.again = false;
    clearTimeout(this.soon);
    await this.running;
  }

  private ringNow(): void {
    clearTimeout(this.soon);
    this.soon = undefined;
    this.ring();
  }

  private async run(): Promise<void> {
    try {
      while (!this.stopped && (await this.step()));
    } catch (error) {
      this.logger.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }
}

/** A service that is a worker: rung, waited for, and stopped with the application. */
export abstract class BackgroundWork implements BeforeApplicationShutdown {
  private readonly worker = new Worker(this.constructor.name, () => this.step());

  /** A step of the work; true when there may be more. */
  protected abstract step(): Promise<boolean>;

  /** Says that there may be work. Returns at once. */
  ring(): void {
    this.worker.ring();
  }

  /** Says so after so many milliseconds, once for everybody who says it until then. */
  ringWithin(milliseconds: number): void {
    this.worker.ringWithin(milliseconds);
  }

  /** Waits until the work that was rung for is done. */
  idle(): Promise<void> {
    return this.worker.idle();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.worker.stop();
  }
}
