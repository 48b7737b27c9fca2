import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import type { EmbeddedAnswer, EmbeddedRequest } from './embedded-thread.js';

// The thread of `EmbeddedThread`: it opens the database and answers one message of the protocol after the other.
const database = await PGlite.create(typeof workerData === 'string' ? { dataDir: workerData } : {});

async function answer({ id, batch }: EmbeddedRequest): Promise<void> {
  try {
    if (batch === 'close') await database.close();
    const reply = batch === 'close' ? new Uint8Array() : await database.execProtocolRaw(batch, { throwOnError: false });
    send({ id, reply });
  } catch (error) {
    send({ id, error: error instanceof Error ? error.message : String(error) });
  }
  if (batch === 'close') parentPort?.close();
}

const send = (message: EmbeddedAnswer): void => parentPort?.postMessage(message);

parentPort?.on('message', (request: EmbeddedRequest) => void answer(request));
send({ id: 0, reply: new Uint8Array() });
