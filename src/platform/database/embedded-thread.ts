import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { SECOND_MS } from '../base/durations.js';

/** What the protocol stream needs of an embedded database; PGlite itself has it as well. */
export interface EmbeddedSession {
  runExclusive<T>(work: () => Promise<T>): Promise<T>;
  execProtocolRaw(batch: Uint8Array, options: { readonly throwOnError: false }): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface EmbeddedRequest {
  readonly id: number;
  readonly batch: Uint8Array | 'close';
}

/** `error`: the database has crashed and answers nothing more. */
export type EmbeddedAnswer = { readonly id: number } & ({ readonly reply: Uint8Array } | { readonly error: string });

interface Waiting {
  readonly resolve: (reply: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

const FILE = new URL(`./embedded-database.thread${extname(import.meta.url.replace(/\?.*$/, ''))}`, import.meta.url);

/** After an attempt to open the database again failed, requests fail for this long before the next one. */
const REOPEN_PAUSE_MS = 2 * SECOND_MS;

/** That a server crashed: the request may be repeated. */
const CRASH_SHUTDOWN = '57P02';

/**
 * An embedded database in a separate thread: in the thread of the event loop, every statement would block all
 * requests, a report of some megabytes for a tenth of a second and a long search for as long as it takes. A database that
 * crashed, as a full disk makes it do, is opened again by the next request, as a server would be: from its folder.
 */
export class EmbeddedThread implements EmbeddedSession {
  private readonly logger = new Logger('Database');
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private thread: Worker | undefined;
  private failure: Error | undefined;
  private openedAt = 0;
  private isClosed = false;
  private exclusive: Promise<unknown> = Promise.resolve();

  private constructor(private readonly dataDir: string | undefined) {}

  /** Opens the database in the folder, or one in memory. Rejects if it cannot be opened. */
  static async open(dataDir: string | undefined): Promise<EmbeddedThread> {
    const opened = new EmbeddedThread(dataDir);
    await opened.start();
    return opened;
  }

  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = this.exclusive.then(work);
    this.exclusive = result.catch(() => undefined);
    return result;
  }

  async execProtocolRaw(batch: Uint8Array): Promise<Uint8Array> {
    if (this.mayReopen()) await this.reopen();
    return this.request(batch);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.runExclusive(() => this.request('close')).catch(() => undefined);
    await this.thread?.terminate();
  }

  /** Not one in memory: its data is lost. */
  private mayReopen(): boolean {
    if (this.failure === undefined || this.isClosed || this.dataDir === undefined) return false;
    return performance.now() - this.openedAt > REOPEN_PAUSE_MS;
  }

  private async reopen(): Promise<void> {
    this.failure = undefined;
    await this.start();
    this.logger.log('the embedded database was opened again');
  }

  private start(): Promise<Uint8Array> {
    const thread = new Worker(FILE, { workerData: this.dataDir });
    this.thread = thread;
    this.openedAt = performance.now();
    thread.on('message', (answer: EmbeddedAnswer) => this.receive(thread, answer));
    thread.on('error', (error) => this.fail(thread, error.message));
    thread.on('exit', () => this.fail(thread, 'its thread has ended'));
    // The thread answers 0 once the database is open.
    return new Promise<Uint8Array>((resolve, reject) => this.waiting.set(0, { resolve, reject }));
  }

  private request(batch: EmbeddedRequest['batch']): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) return reject(this.failure);
      this.lastId += 1;
      this.waiting.set(this.lastId, { resolve, reject });
      this.thread?.postMessage({ id: this.lastId, batch } satisfies EmbeddedRequest);
    });
  }

  private receive(thread: Worker, answer: EmbeddedAnswer): void {
    if ('error' in answer) this.fail(thread, answer.error);
    else this.waiting.get(answer.id)?.resolve(answer.reply);
    this.waiting.delete(answer.id);
  }

  private fail(thread: Worker, reason: string): void {
    if (thread !== this.thread || this.failure !== undefined) return;
    this.failure = Object.assign(new Error(`the embedded database has stopped: ${reason}`), { code: CRASH_SHUTDOWN });
    if (!this.isClosed) this.logger.error(this.failure.message);
    void thread.terminate();
    for (const { reject } of this.waiting.values()) reject(this.failure);
    this.waiting.clear();
  }
}
