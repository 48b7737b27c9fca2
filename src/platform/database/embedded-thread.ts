import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

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

export type EmbeddedAnswer = { readonly id: number } & ({ readonly reply: Uint8Array } | { readonly error: string });

interface Waiting {
  readonly resolve: (reply: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

const FILE = new URL(`./embedded-database.thread${extname(import.meta.url.replace(/\?.*$/, ''))}`, import.meta.url);

/**
 * An embedded database in a separate thread: in the thread of the event loop, every statement would block all
 * requests, a report of some megabytes for a tenth of a second and a long search for as long as it takes.
 */
export class EmbeddedThread implements EmbeddedSession {
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private failure: Error | undefined;
  private exclusive: Promise<unknown> = Promise.resolve();

  private constructor(private readonly thread: Worker) {
    thread.on('message', (answer: EmbeddedAnswer) => this.receive(answer));
    thread.on('error', (error) => this.fail(error));
    thread.on('exit', () => this.fail(new Error('the embedded database has stopped')));
  }

  /** Opens the database in the folder, or one in memory. Rejects if it cannot be opened. */
  static async open(dataDir: string | undefined): Promise<EmbeddedThread> {
    const opened = new EmbeddedThread(new Worker(FILE, { workerData: dataDir }));
    // The thread answers 0 once the database is open.
    await new Promise<Uint8Array>((resolve, reject) => opened.waiting.set(0, { resolve, reject }));
    return opened;
  }

  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = this.exclusive.then(work);
    this.exclusive = result.catch(() => undefined);
    return result;
  }

  execProtocolRaw(batch: Uint8Array): Promise<Uint8Array> {
    return this.request(batch);
  }

  async close(): Promise<void> {
    await this.runExclusive(() => this.request('close'));
    await this.thread.terminate();
  }

  private request(batch: EmbeddedRequest['batch']): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) return reject(this.failure);
      this.lastId += 1;
      this.waiting.set(this.lastId, { resolve, reject });
      this.thread.postMessage({ id: this.lastId, batch } satisfies EmbeddedRequest);
    });
  }

  private receive(answer: EmbeddedAnswer): void {
    const waiting = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    if ('error' in answer) waiting?.reject(new Error(answer.error));
    else waiting?.resolve(answer.reply);
  }

  private fail(error: Error): void {
    this.failure ??= error;
    for (const { reject } of this.waiting.values()) reject(this.failure);
    this.waiting.clear();
  }
}
