import { type BeforeApplicationShutdown, Inject, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { SECOND_MS } from '../base/durations.js';
import { stackOf } from '../base/error-text.js';
import { reportDamage } from '../database/damaged-rows.js';
import { count, measure } from '../telemetry/metrics.js';
import { inSpan, runOutsideRequests } from '../telemetry/spans.js';
import { type QueueQuery, QueueStates } from './queue-states.service.js';

/** Background work that can be notified of new work. `wake` returns at once. */
export interface Wakeable {
  wake(): void;
}

/**
 * Background work that sleeps until it is woken. `wake()` starts a run unless one is active; a call during a run starts
 * another run after it, so that no wake-up is lost. A run repeats `step` until it returns false. An error ends the run
 * with a log line. The next wake-up (for example a timer's) tries again, because the work itself is stored as rows in
 * the database.
 */
export class Worker {
  private readonly logger: Logger;
  private running: Promise<void> | undefined;
  private wakeTimer: NodeJS.Timeout | undefined;
  private isStarting = false;
  private wakeAgain = false;
  private stopped = false;

  constructor(
    private readonly name: string,
    private readonly step: () => Promise<boolean>,
  ) {
    this.logger = new Logger(name);
  }

  wake(): void {
    if (this.stopped) return;
    // A step that wakes the worker before its first wait does so before `running` is set.
    if (this.running || this.isStarting) {
      this.wakeAgain = true;
      return;
    }
    this.isStarting = true;
    this.running = runOutsideRequests(() => this.run()).finally(() => {
      this.running = undefined;
      if (this.wakeAgain) {
        this.wakeAgain = false;
        this.wake();
      }
    });
    this.isStarting = false;
  }

  /** Wakes after this many milliseconds. Further calls until then have no effect. */
  wakeAfter(milliseconds: number): void {
    if (this.stopped) return;
    this.wakeTimer ??= setTimeout(() => this.wakeNow(), milliseconds).unref();
  }

  /**
   * Waits until the work is done for which it was woken before this call. A delayed wake-up takes place now. Does not
   * wait for what a timer asks for meanwhile: runs that take longer than its interval follow each other for ever.
   */
  async idle(): Promise<void> {
    // The run in progress may have passed what it was last woken for; the one after it has not.
    for (let runs = 0; this.wakeTimer || (this.running && runs < 2); runs += 1) {
      if (this.wakeTimer) this.wakeNow();
      await this.running;
    }
  }

  /** Waits for the current step and starts no other. */
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
    const started = performance.now();
    const worker = this.name;
    try {
      await inSpan(`work ${worker}`, {}, async () => {
        while (!this.stopped && (await this.step()));
      });
      count('guildbook_work_runs_total', { worker, result: 'done' });
    } catch (error) {
      count('guildbook_work_runs_total', { worker, result: 'failed' });
      reportDamage(error);
      this.logger.error(stackOf(error));
    } finally {
      measure('guildbook_work_run_duration_seconds', (performance.now() - started) / SECOND_MS, { worker });
    }
  }
}

/** The numbers of a worker. What it does stands in its `step`. */
interface WorkerFrame {
  /** Milliseconds between wake-ups, for work that another process left. Without it, only calls wake the worker. */
  readonly every?: number;
  /** Woken at the start, for what a restart left. By default, if it is woken by time. */
  readonly atStart?: boolean;
  /** The rows that wait for it, by the name under which they are counted. */
  readonly queues?: Readonly<Record<string, QueueQuery>>;
}

/** A service that is a worker. `defineWorker` makes its base class. */
export abstract class BackgroundWorker implements Wakeable, OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Set by the framework. */
  @Inject(QueueStates) private readonly queueStates?: QueueStates;
  private readonly worker = new Worker(this.constructor.name, () => this.step());

  constructor(private readonly frame: WorkerFrame) {}

  /** Does one step of the work. Returns true if there may be more. */
  protected abstract step(): Promise<boolean>;

  onApplicationBootstrap(): void {
    const { every, atStart = every !== undefined, queues = {} } = this.frame;
    for (const [name, query] of Object.entries(queues)) this.queueStates?.register(name, query);
    if (atStart) this.wake();
  }

  /** Reports that there may be work. Returns at once. */
  wake(): void {
    this.worker.wake();
  }

  /** Does the same after this many milliseconds. Further calls until then have no effect. */
  wakeAfter(milliseconds: number): void {
    this.worker.wakeAfter(milliseconds);
  }

  /** Waits until the work is done for which it was woken before this call. A delayed wake-up takes place now. */
  idle(): Promise<void> {
    return this.worker.idle();
  }

  /** Ends the present step and starts no other. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.worker.stop();
  }
}

/** Returns the base class of a worker, which then is its step and these numbers. */
export function defineWorker(frame: WorkerFrame = {}): abstract new () => BackgroundWorker {
  const Timed: MethodDecorator = frame.every === undefined ? () => undefined : Interval(frame.every);

  abstract class DefinedWorker extends BackgroundWorker {
    constructor() {
      super(frame);
    }

    @Timed
    onTime(): void {
      this.wake();
    }
  }
  return DefinedWorker;
}
