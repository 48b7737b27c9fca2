import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import type { EmbeddedAnswer, EmbeddedRequest } from './embedded-thread.js';

// The thread of `EmbeddedThread`: it opens the database and answers one message of the protocol after the other.
const database = await PGlite.create(typeof workerData === 'string' ? { dataDir: workerData } : {});

async function answer({ id, batch }: EmbeddedRequest): Promise<void> {
  try {
    if (batch === 'close') await database.close();
    const reply = batch === 'close' ? new Uint8Array() : await database.execProtocolRaw(batch, { throwOnError: false });
    const crash = crashOf(reply);
    send(crash === undefined ? { id, reply } : { id, error: crash });
  } catch (error) {
    send({ id, error: error instanceof Error ? error.message : String(error) });
  }
  if (batch === 'close') parentPort?.close();
}

/** The type of an error in the protocol. */
const ERROR = 0x45;

/** The reason if the database ended with this reply. A server would close the connection; this one answers with nothing. */
function crashOf(reply: Uint8Array): string | undefined {
  const bytes = Buffer.from(reply.buffer, reply.byteOffset, reply.byteLength);
  for (let at = 0, next = 0; at + 5 <= bytes.length; at = next) {
    next = at + 1 + bytes.readInt32BE(at + 1);
    if (bytes[at] !== ERROR) continue;
    const fields = bytes.toString('utf8', at + 5, next).split('\0');
    if (fields.includes('VPANIC') || fields.includes('VFATAL'))
      return fields.find((field) => field.startsWith('M'))?.slice(1) ?? 'no reason';
  }
  return undefined;
}

const send = (message: EmbeddedAnswer): void => parentPort?.postMessage(message);

parentPort?.on('message', (request: EmbeddedRequest) => void answer(request));
send({ id: 0, reply: new Uint8Array() });
