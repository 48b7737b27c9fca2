import { yieldToEventLoop } from './yielder.js';

interface QueuedItem<In, Out> {
  readonly item: In;
  readonly done: (result: Out) => void;
  readonly failed: (error: unknown) => void;
}

export interface BatcherOptions {
  /**
   * What follows a run of several items that failed: each item runs alone, so that a bad one fails alone (`alone`, the
   * default), or all of them fail with the error of the run (`together`).
   */
  readonly onBatchFailure?: 'alone' | 'together';
}

/**
 * Runs together what callers ask for one by one. One run is under way at a time; calls that arrive meanwhile share the
 * next run, which begins after they were made and so sees all that was committed before. Nothing waits for company: a
 * single item runs at once.
 */
export class Batcher<In, Out> {
  private waiting: QueuedItem<In, Out>[] = [];
  private isRunning = false;

  /** `run` answers for each of its items, in their order, or for none; it gets at most `atMost` of them. */
  constructor(
    private readonly maxBatchSize: number,
    private readonly run: (items: readonly In[]) => Promise<readonly Out[]>,
    private readonly options: BatcherOptions = {},
  ) {}

  /** What the item's run answers for it. */
  submit(item: In): Promise<Out> {
    return new Promise((done, failed) => {
      this.waiting.push({ item, done, failed });
      if (!this.isRunning) void this.runAll();
    });
  }

  private async runAll(): Promise<void> {
    this.isRunning = true;
    for (let next = this.take(); next.length > 0; next = this.take()) {
      await this.attempt(next);
      // A caller that was just answered may ask again at once, and then belongs to the next run.
      await yieldToEventLoop();
    }
    this.isRunning = false;
  }

  private take(): QueuedItem<In, Out>[] {
    return this.waiting.splice(0, this.maxBatchSize);
  }

  private async attempt(items: readonly QueuedItem<In, Out>[]): Promise<void> {
    try {
      const results = await this.run(items.map(({ item }) => item));
      if (results.length !== items.length) throw new Error(`${results.length} answers for ${items.length} items`);
      // In step: `outs` has as many, and Out itself may be undefined.
      results.forEach((result, n) => {
        items[n]?.done(result);
      });
    } catch (error) {
      if (items.length === 1 || this.options.onBatchFailure === 'together')
        for (const { failed } of items) failed(error);
      else for (const item of items) await this.attempt([item]);
    }
  }
}
