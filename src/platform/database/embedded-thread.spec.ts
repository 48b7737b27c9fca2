import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { EmbeddedThread } from './embedded-thread.js';
import { createPglitePool } from './pglite-stream.js';

describe('an embedded database in its own thread', () => {
  let database: EmbeddedThread;
  let pool: pg.Pool;

  beforeAll(async () => {
    database = await EmbeddedThread.open(undefined);
    pool = createPglitePool(database);
  });
  afterAll(async () => {
    await pool.end();
    await database.close();
  });

  it('answers as one in the same thread', async () => {
    await pool.query('CREATE TABLE shoe (size integer, note text)');
    await pool.query('INSERT INTO shoe VALUES ($1, $2), (40, NULL)', [43, 'zwölf']);
    expect((await pool.query('SELECT * FROM shoe ORDER BY size')).rows).toEqual([
      { size: 40, note: null },
      { size: 43, note: 'zwölf' },
    ]);
    await expect(pool.query('SELECT no_such_column FROM shoe')).rejects.toMatchObject({ code: '42703' });
    expect((await pool.query('SELECT count(*)::int AS "n" FROM shoe')).rows).toEqual([{ n: 2 }]);
  });

  it('lets the event loop run while a statement takes long', async () => {
    const slow = pool.query('SELECT count(*)::int AS "n" FROM generate_series(1, 300000) AS a(n)');
    let turns = 0;
    let isRunning = true;
    const counting = (async () => {
      for (; isRunning; turns += 1) await nextTurn();
    })();
    expect((await slow).rows).toEqual([{ n: 300_000 }]);
    isRunning = false;
    await counting;
    expect(turns).toBeGreaterThan(20);
  });

  it('a statement of several megabytes arrives whole', async () => {
    const text = 'a line of text that is repeated\n'.repeat(120_000);
    const { rows } = await pool.query('SELECT length($1::text) AS "n", $1::text AS "text"', [text]);
    expect(rows[0]?.n).toBe(text.length);
    expect(rows[0]?.text === text).toBe(true);
  });

  it('refuses statements once it is closed', async () => {
    const other = await EmbeddedThread.open(undefined);
    const its = createPglitePool(other);
    await its.query('SELECT 1');
    await other.close();
    await expect(its.query('SELECT 1')).rejects.toThrow('the embedded database has stopped');
    await its.end();
  });

  it('says why it cannot be opened', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'guildbook-embedded-'));
    writeFileSync(join(folder, 'file'), 'not a folder');
    await expect(EmbeddedThread.open(join(folder, 'file', 'database'))).rejects.toThrow(/ENOTDIR|not a directory/);
    rmSync(folder, { recursive: true });
  });
});
