import { yieldToEventLoop } from './yielder.js';

interface QueuedItem<In, Out> {
  readonly item: In;
  readonly resolve: (result: Out) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatcherOptions<In> {
  /**
   * What happens when a run of several items fails. `alone` (the default) runs each item again by itself, so that only
   * the bad item fails. `together` rejects all of them with the error of the run.
   */
  readonly onBatchFailure?: 'alone' | 'together';
  /** Items share a run only up to this weight together; without one, up to any. */
  readonly weight?: { readonly of: (item: In) => number; readonly max: number };
}

/**
 * Combines single calls into batches. One run is active at a time. Calls that arrive during a run share the next one,
 * which starts after they were made and therefore sees everything committed before. A batch is never delayed to fill
 * up: a single item runs at once.
 */
export class Batcher<In, Out> {
  private waiting: QueuedItem<In, Out>[] = [];
  private isRunning = false;

  /** `run` receives at most `maxBatchSize` items and returns one result per item, in the same order, or throws. */
  constructor(
    private readonly maxBatchSize: number,
    private readonly run: (items: readonly In[]) => Promise<readonly Out[]>,
    private readonly options: BatcherOptions<In> = {},
  ) {}

  /** Returns the result for the item. Rejects with the error of its run. */
  submit(item: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.isRunning) void this.runAll();
    });
  }

  private async runAll(): Promise<void> {
    this.isRunning = true;
    for (let next = this.take(); next.length > 0; next = this.take()) {
      await this.attempt(next);
      // A caller that just got its result may submit again at once; that item belongs to the next run.
      await yieldToEventLoop();
    }
    this.isRunning = false;
  }

  private take(): QueuedItem<In, Out>[] {
    const { weight } = this.options;
    if (weight === undefined) return this.waiting.splice(0, this.maxBatchSize);
    let [count, total] = [0, 0];
    for (const { item } of this.waiting.slice(0, this.maxBatchSize)) {
      total += weight.of(item);
      if (count > 0 && total > weight.max) break;
      count += 1;
    }
    return this.waiting.splice(0, count);
  }

  private async attempt(items: readonly QueuedItem<In, Out>[]): Promise<void> {
    try {
      const results = await this.run(items.map(({ item }) => item));
      if (results.length !== items.length) throw new Error(`${results.length} results for ${items.length} items`);
      // `results` has the same length as `items`; a result itself may be undefined.
      results.forEach((result, n) => {
        items[n]?.resolve(result);
      });
    } catch (error) {
      if (items.length === 1 || this.options.onBatchFailure === 'together')
        for (const { reject } of items) reject(error);
      else for (const item of items) await this.attempt([item]);
    }
  }
}
