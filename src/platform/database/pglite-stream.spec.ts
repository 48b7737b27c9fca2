import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { embeddedPool, type ScratchPool } from '../../../test/support/scratch-pool.js';
import { PgliteStream } from './pglite-stream.js';

describe('the embedded database behind a node-postgres pool', () => {
  let scratch: ScratchPool;

  beforeAll(async () => {
    scratch = await embeddedPool();
    await scratch.pool.query('CREATE TABLE note (id int PRIMARY KEY, body text)');
  });
  afterAll(() => scratch.close());

  it('returns text, bytes, arrays and JSON unchanged, even if larger than one network read', async () => {
    const body = 'déjà vu 🦉 '.repeat(80_000);
    const { rows } = await scratch.pool.query(
      'SELECT $1::text AS text, $2::bytea AS bytes, $3::text[] AS list, $4::jsonb AS json',
      [body, Buffer.from([0, 255, 10]), ['a', 'b,"c'], { deep: [1, null] }],
    );
    expect(rows).toEqual([
      { text: body, bytes: Buffer.from([0, 255, 10]), list: ['a', 'b,"c'], json: { deep: [1, null] } },
    ]);
  });

  it('gives every caller its own result when queries and failures are concurrent', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 200 }, (_, n) =>
        n % 3 === 0
          ? scratch.pool.query(`SELECT ${n} / 0 AS n`)
          : n % 3 === 1
            ? scratch.pool.query<{ n: number }>('SELECT $1::int AS n', [n])
            : scratch.pool.query<{ n: number }>(`SELECT ${n} AS n`),
      ),
    );
    const seen = answers.map((answer) =>
      answer.status === 'fulfilled' ? answer.value.rows[0]?.n : String(answer.reason.message),
    );
    expect(seen).toEqual(Array.from({ length: 200 }, (_, n) => (n % 3 === 0 ? 'division by zero' : n)));
  });

  it('reports a violated constraint with its SQLSTATE and keeps the session usable', async () => {
    await scratch.pool.query(`INSERT INTO note VALUES (1, 'first')`);
    await expect(scratch.pool.query(`INSERT INTO note VALUES (1, 'again')`)).rejects.toMatchObject({
      code: '23505',
      constraint: 'note_pkey',
    });
    expect((await scratch.pool.query('SELECT body FROM note')).rows).toEqual([{ body: 'first' }]);
  });

  it('does not leak an open transaction or a setting of a lost client into the next one', async () => {
    const client = await scratch.pool.connect();
    await client.query(`BEGIN; INSERT INTO note VALUES (2, 'never committed'); SET application_name = 'gone'`);
    client.release(true);
    const { rows } = await scratch.pool.query(
      `SELECT current_setting('application_name') AS name, (SELECT count(*)::int FROM note WHERE id = 2) AS notes`,
    );
    expect(rows).toEqual([{ name: '', notes: 0 }]);
  });
});

describe('the wire of the embedded database', () => {
  let database: PGlite;

  beforeAll(async () => {
    database = await PGlite.create();
  });
  afterAll(() => database.close());

  it('waits for the rest of a message that arrives in parts', async () => {
    const stream = new PgliteStream(database);
    const received: Buffer[] = [];
    stream.on('data', (bytes: Buffer) => received.push(bytes));
    const startUp = Buffer.from([0, 0, 0, 8, 0, 3, 0, 0]);
    const query = Buffer.concat([Buffer.from([0x51, 0, 0, 0, 16]), Buffer.from('SELECT 4242\0')]);
    for (const byte of Buffer.concat([startUp, query])) {
      await new Promise((resolve) => stream.write(Buffer.from([byte]), resolve));
    }
    await new Promise(setImmediate);
    expect(Buffer.concat(received).toString('latin1')).toContain('4242');
  });

  it('declines TLS and then serves the client', async () => {
    const stream = new PgliteStream(database);
    const first = new Promise<Buffer>((resolve) => stream.once('data', resolve));
    stream.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
    expect((await first).toString()).toBe('N');
    const ready = new Promise<Buffer>((resolve) => stream.once('data', resolve));
    stream.write(Buffer.from([0, 0, 0, 8, 0, 3, 0, 0]));
    expect((await ready).at(0)).toBe('R'.charCodeAt(0));
  });

  it('closes the connection when the client terminates it', async () => {
    // The types of node-postgres require a socket; it uses the Duplex part and the few methods that PgliteStream has.
    const stream = (() => new PgliteStream(database)) as unknown as never;
    const client = new pg.Client({ user: 'postgres', stream });
    await client.connect();
    await client.query('SELECT 1');
    await client.end();
    await expect(client.query('SELECT 1')).rejects.toThrow();
  });
});
