import { Duplex } from 'node:stream';
import pg from 'pg';
import type { EmbeddedSession } from './embedded-thread.js';

/** Message types of the PostgreSQL wire protocol (version 3) that this stream must distinguish. */
const QUERY = 0x51; // 'Q'
const SYNC = 0x53; // 'S'
const FLUSH = 0x48; // 'H'
const TERMINATE = 0x58; // 'X'
const SSL_REQUEST_CODE = 80877103;
const AUTHENTICATION_OK = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);
const READY_FOR_QUERY_IDLE = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
const NOTHING = Buffer.alloc(0);

type Done = (error?: Error | null) => void;

/**
 * A socket-like stream to an in-process PGlite, for node-postgres' `stream` option. Every pg client gets its own.
 *
 * PGlite's own bridge shares one connection object among all clients: after a failed query pg-pool drops its client,
 * and the next client receives the dropped one's end and late responses. Here clients share only the database. The
 * stream answers the start-up message itself, since PGlite's single session is always open.
 */
export class PgliteStream extends Duplex {
  #unsent: Buffer = NOTHING;
  #sessionOpen = false;

  constructor(private readonly database: EmbeddedSession) {
    super();
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  // node-postgres calls these four methods on its socket; there is none.
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#receive(chunk).then(() => done(), done);
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: Done): void {
    this.#receive(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => done(), done);
  }

  async #receive(chunk: Buffer): Promise<void> {
    this.#unsent = this.#unsent.length > 0 ? Buffer.concat([this.#unsent, chunk]) : chunk;
    while (!this.#sessionOpen) if (!(await this.#startUp())) return;
    await this.#sendWholeBatches();
  }

  /** Processes one start-up message, which has a length but no type byte. Returns false if it is incomplete. */
  async #startUp(): Promise<boolean> {
    if (this.#unsent.length < 8) return false;
    const length = this.#unsent.readInt32BE(0);
    if (this.#unsent.length < length) return false;
    const code = this.#unsent.readInt32BE(4);
    this.#unsent = this.#unsent.subarray(length);
    if (code === SSL_REQUEST_CODE) {
      this.push('N');
      return true;
    }
    await this.#resetSession();
    this.#sessionOpen = true;
    this.push(Buffer.concat([AUTHENTICATION_OK, READY_FOR_QUERY_IDLE]));
    return true;
  }

  /** A client that disappeared inside a transaction must not leak the transaction or its settings into this session. */
  async #resetSession(): Promise<void> {
    await this.database.runExclusive(async () => {
      await this.database.execProtocolRaw(queryMessage('ROLLBACK'), { throwOnError: false });
      await this.database.execProtocolRaw(queryMessage('DISCARD ALL'), { throwOnError: false });
    });
  }

  /**
   * PGlite responds to whole batches only. A batch ends with Query, Sync or Flush, where a server would respond as
   * well.
   */
  async #sendWholeBatches(): Promise<void> {
    const bytes = this.#unsent;
    let sent = 0;
    for (let at = 0; at + 5 <= bytes.length; ) {
      const type = bytes[at];
      const next = at + 1 + bytes.readInt32BE(at + 1);
      if (next > bytes.length) break;
      if (type === TERMINATE) {
        this.#unsent = NOTHING;
        this.push(null);
        return;
      }
      if (type === QUERY || type === SYNC || type === FLUSH) {
        await this.#exchange(bytes.subarray(sent, next));
        sent = next;
      }
      at = next;
    }
    this.#unsent = bytes.subarray(sent);
  }

  async #exchange(batch: Buffer): Promise<void> {
    const reply = await this.database.runExclusive(() => this.database.execProtocolRaw(batch, { throwOnError: false }));
    if (reply.length > 0 && !this.destroyed) this.push(Buffer.from(reply));
  }
}

function queryMessage(sql: string): Buffer {
  const body = Buffer.from(`${sql}\0`, 'utf8');
  const head = Buffer.alloc(5);
  head[0] = QUERY;
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Creates the pool for an embedded database: one connection, kept open. */
export function createPglitePool(database: EmbeddedSession): pg.Pool {
  return new pg.Pool({
    user: 'postgres',
    database: 'postgres',
    max: 1,
    idleTimeoutMillis: 0,
    // The types of node-postgres require a socket; it uses the Duplex part and the few methods that PgliteStream has.
    stream: (() => new PgliteStream(database)) as unknown as never,
  });
}
