import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ServerProcesses } from '../../src/platform/background/server-processes.service.js';
import { testDatabaseUrl } from '../../src/platform/config/environment.js';
import { WriteCheck } from '../../src/platform/health/write-check.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { report } from '../support/reports.js';

let app: TestApplication;
beforeAll(async () => {
  app = await startTestApplication();
});
afterAll(() => app.close());

const readiness = async (): Promise<unknown> => (await fetch(`${app.url}/readyz`)).json();
const checked = async (): Promise<unknown> => {
  await app.app.get(WriteCheck).check();
  return readiness();
};

describe('/readyz', () => {
  it('is degraded while the database stores nothing, although it can be read', async () => {
    expect(await readiness()).toMatchObject({ status: 'ready', problems: [] });
    await app.database.client.$executeRawUnsafe(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'secret detail' USING ERRCODE = '53100'; END $$`);
    await app.database.client.$executeRawUnsafe(
      'CREATE TRIGGER refuse BEFORE UPDATE ON "server_process" FOR EACH ROW EXECUTE FUNCTION refuse()',
    );
    const degraded = await checked();
    expect(degraded).toMatchObject({ status: 'degraded', problems: [{ code: 'database.write_failed' }] });
    expect(JSON.stringify(degraded)).not.toContain('secret');
    await app.database.client.$executeRawUnsafe('DROP FUNCTION refuse() CASCADE');
    expect(await checked()).toMatchObject({ status: 'ready', problems: [] });
  });

  it('is degraded while the skills folder cannot be written', async () => {
    const [repository, aside] = [join(app.skillsDir, '.git'), `${app.skillsDir}.aside`];
    renameSync(repository, aside);
    // Not even root creates a file in a file.
    writeFileSync(repository, '');
    const degraded = await checked();
    rmSync(repository);
    renameSync(aside, repository);
    expect(degraded).toMatchObject({ status: 'degraded', problems: [{ code: 'skills.write_failed' }] });
    expect(JSON.stringify(degraded)).not.toContain(app.skillsDir);
    expect(await checked()).toMatchObject({ status: 'ready', problems: [] });
  });

  it('writes nothing for a request', async () => {
    let writes = 0;
    const processes = app.app.get(ServerProcesses);
    const requireWritable = processes.requireWritable.bind(processes);
    processes.requireWritable = () => {
      writes += 1;
      return requireWritable();
    };
    await Promise.all(Array.from({ length: 50 }, readiness));
    // Those of the timer.
    expect(writes).toBeLessThan(5);
  });
});

if (testDatabaseUrl() !== undefined)
  describe('a PostgreSQL server that only reads, as after a failover', () => {
    it('degrades /readyz and refuses reports with a pause, but answers recalls, until it stores again', async () => {
      if (app.databaseUrl === undefined) throw new Error('this database has no address');
      const client = new pg.Client({
        connectionString: app.databaseUrl,
        options: '-c default_transaction_read_only=off',
      });
      await client.connect();
      const setReadOnly = async (value: 'on' | 'off') => {
        const { rows } = await client.query<{ name: string }>('SELECT current_database() AS "name"');
        await client.query(`ALTER DATABASE "${rows[0]?.name}" SET default_transaction_read_only = ${value}`);
        // It holds for new connections.
        await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()`);
      };
      const { token } = await app.agent('Ada');
      const send = async (path: string, body: unknown) => {
        const answer = await fetch(`${app.url}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        return [path, answer.status, answer.headers.get('retry-after')];
      };
      await setReadOnly('on');
      const degraded = await checked();
      const whileReadOnly = [await send('/v1/executions', report()), await send('/v1/recall', { query: 'anything' })];
      await setReadOnly('off');
      await client.end();
      expect(whileReadOnly).toEqual([
        ['/v1/executions', 503, '5'],
        ['/v1/recall', 200, null],
      ]);
      expect(await send('/v1/executions', report())).toEqual(['/v1/executions', 202, null]);
      expect(degraded).toMatchObject({ status: 'degraded', problems: [{ code: 'database.write_failed' }] });
      expect(await checked()).toMatchObject({ status: 'ready', problems: [] });
    });
  });
