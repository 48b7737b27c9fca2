import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Tinypool } from 'tinypool';
import { DomainError } from '../base/domain.errors.js';
import { messageOf } from '../base/error-text.js';
import type { Constants } from '../config/constants.js';
import { hasShare } from './round-robin.js';
import { Yielder } from './yielder.js';

interface ThreadRun {
  /** Who asked: one run of each at a time, in turn, so that no caller waits for all runs of another. */
  readonly key: string;
  /** Characters of the input, for the limit of what may wait. */
  readonly size: number;
  /** Milliseconds after which the thread is ended and the run fails. The start of a thread is not counted. */
  readonly limitMs: number;
}

interface QueuedRun {
  readonly size: number;
  readonly start: () => Promise<void>;
}

/** One core stays for the event loop. */
const MAX_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));
const IDLE_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;

export type ThreadPoolSettings = Pick<
  Constants,
  'inlineCharacters' | 'threadStartMs' | 'threadHeapMiB' | 'waitingCharacters' | 'waitingCharactersOfCaller'
>;

/**
 * Runs costly pure functions so that the event loop stays free: with little input in turns with everything else, with
 * more in threads. Callers take turns. A thread that exceeds
 * its time or its memory is ended; its run fails, and the next run gets a new thread.
 */
export class ThreadPool implements OnApplicationShutdown {
  private readonly logger = new Logger(ThreadPool.name);
  /** Runs that wait, by caller; the order of the callers is the order of their turns. */
  private readonly queues = new Map<string, QueuedRun[]>();
  private readonly activeCallers = new Set<string>();
  private waitingSize = 0;
  private readonly turns = new Turns();
  private pool: Tinypool | undefined;
  private isStopped = false;

  constructor(private readonly settings: ThreadPoolSettings) {}

  /**
   * Returns the task's result for the input. Rejects with the task's own error, with an error if its thread was ended,
   * and with `rate_limited` or `unavailable` if too much is waiting.
   */
  async run<In, Out>(task: ThreadTask<In, Out>, input: In, { key, size, limitMs }: ThreadRun): Promise<Out> {
    if (size <= this.settings.inlineCharacters) {
      await this.turns.next();
      return task.work(input);
    }
    const queue = this.queues.get(key) ?? [];
    this.requireSpace(queue, size);
    return new Promise<Out>((resolve, reject) => {
      const start = () => this.execute(task, input, limitMs).then(resolve, reject);
      this.queues.set(key, [...queue, { size, start }]);
      this.waitingSize += size;
      this.startNext();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await this.pool?.destroy();
  }

  private requireSpace(queue: readonly QueuedRun[], size: number): void {
    const ofCaller = queue.reduce((sum, one) => sum + one.size, size);
    const { waitingCharactersOfCaller: most, waitingCharacters } = this.settings;
    // The more others have waiting, the smaller is the share of one: a few callers may not refuse all others.
    const hasMore = ofCaller > most || !hasShare(ofCaller - size, this.waitingSize, waitingCharacters);
    if (queue.length > 0 && hasMore)
      throw new DomainError(
        'rate_limited',
        'request.rate_limited',
        `You send large requests faster than they can be processed. Try again in ${RETRY_AFTER_SECONDS} s.`,
        [],
        RETRY_AFTER_SECONDS,
      );
    const isFull = this.waitingSize > 0 && this.waitingSize + size > waitingCharacters;
    if (isFull || this.isStopped)
      throw new DomainError(
        'unavailable',
        'server.busy',
        `The server has too many large requests to process. Try again in ${RETRY_AFTER_SECONDS} s.`,
        [],
        RETRY_AFTER_SECONDS,
      );
  }

  private startNext(): void {
    for (const [key, [next, ...rest]] of this.queues) {
      if (this.activeCallers.size >= MAX_THREADS) return;
      if (next === undefined || this.activeCallers.has(key)) continue;
      // Deleted and set again, so that the caller goes to the end of the line.
      this.queues.delete(key);
      if (rest.length > 0) this.queues.set(key, rest);
      this.waitingSize -= next.size;
      this.activeCallers.add(key);
      void next.start().finally(() => {
        this.activeCallers.delete(key);
        this.startNext();
      });
    }
  }

  private async execute<In, Out>({ file }: ThreadTask<In, Out>, input: In, limitMs: number): Promise<Out> {
    this.pool ??= this.openPool();
    // The types of the pool know no task; `file` exports its function.
    return (await this.pool.run(input, {
      filename: file,
      signal: AbortSignal.timeout(this.settings.threadStartMs + limitMs),
    })) as Out;
  }

  private openPool(): Tinypool {
    const pool = new Tinypool({
      minThreads: 0,
      maxThreads: MAX_THREADS,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: this.settings.threadHeapMiB },
    });
    // Without a listener, the failure of an idle thread would end the process.
    pool.on('error', (error: unknown) => this.logger.warn(`a thread ended: ${messageOf(error)}`));
    return pool;
  }
}

/** A function that can run in a thread. Input and output are copied there, so they are plain data. */
export interface ThreadTask<In, Out> {
  readonly work: (input: In) => Out;
  /** Exports the function as its default. */
  readonly file: string;
}

/**
 * The task of a `.thread.ts` file: its default export, and its path without an extension, relative to the caller
 * (`import.meta.url`).
 */
export function threadTask<In, Out>(work: (input: In) => Out, path: string, caller: string): ThreadTask<In, Out> {
  const url = new URL(caller);
  // Compiled files end in .js; specs and benchmarks run the sources.
  return { work, file: fileURLToPath(new URL(`${path}${extname(url.pathname)}`, url)) };
}

/**
 * Lets short work that arrives at the same time run one piece after the other, with pauses in which the event loop runs
 * everything else: otherwise many requests that arrive together would run without a pause.
 */
class Turns {
  private readonly yielder = new Yielder();
  private last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn. The work must begin at once and be synchronous. */
  next(): Promise<void> {
    this.last = this.last.then(() => this.yielder.yieldIfDue());
    return this.last;
  }
}
