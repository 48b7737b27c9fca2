import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { buildApplication } from '../../src/application.js';
import { CaptureWorker } from '../../src/capture/analysis/capture-worker.service.js';
import { loadConfig } from '../../src/platform/config/config.js';
import { testDatabaseUrl } from '../../src/platform/config/environment.js';
import { Database } from '../../src/platform/database/database.js';
import { MIGRATIONS } from '../../src/platform/database/migrate.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.js';
import { report } from '../support/reports.js';

const NO_PROPOSAL = '00000000-0000-4000-8000-000000000000';
const UNAVAILABLE = { status: 503, code: 'database.unavailable', title: 'Unavailable' };

const problemOf = async (answer: Response): Promise<unknown> => ({
  ...Object(await answer.json()),
  pause: answer.headers.get('retry-after'),
  type: answer.headers.get('content-type'),
});

describe('a database that cannot store anything', () => {
  let app: TestApplication;
  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  it.each([
    ['a full disk', '53100'],
    ['no memory', '53200'],
    ['too many connections', '53300'],
    ['a configured limit', '53400'],
    ['a server that only reads', '25006'],
    ['an input or output error', '58030'],
    ['a shutdown by an administrator', '57P01'],
    ['a crash of the server', '57P02'],
    ['a server that starts', '57P03'],
    ['a lost connection', '08006'],
    ['write conflicts without an end', '40001'],
    ['a lock that is not released', '55P03'],
    ['a file system that became read only', '42501', 'could not extend file "base/1": Read-only file system'],
    ['a file that may not grow', 'XX000', 'could not write to file "base/1": File too large'],
  ])('is a 503 that says when to try again: %s (%s)', async (_what, state, message = 'secret detail') => {
    const { token } = await app.agent(`Ada ${state}`);
    await app.database.client.$executeRawUnsafe(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = '${state}'; END $$`);
    await app.database.client.$executeRawUnsafe(
      'CREATE TRIGGER refuse BEFORE INSERT ON "execution" FOR EACH ROW EXECUTE FUNCTION refuse()',
    );
    const send = () =>
      fetch(`${app.url}/v1/executions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(report({ executionId: `execution ${state}` })),
      });
    const refused = await send();
    expect(await problemOf(refused)).toMatchObject({
      ...UNAVAILABLE,
      pause: '5',
      detail: expect.not.stringMatching(/secret|base\/1/),
    });
    await app.database.client.$executeRawUnsafe('DROP FUNCTION refuse() CASCADE');
    expect((await send()).status).toBe(202);
  });
});

const server = testDatabaseUrl();
if (server !== undefined)
  describe('a PostgreSQL server that is away', () => {
    let origin: TestApplication;
    let proxy: DatabaseProxy;
    let app: NestFastifyApplication;
    let url: string;
    let agent: string;
    beforeAll(async () => {
      origin = await startTestApplication();
      agent = (await origin.agent('Ada')).token;
      if (origin.databaseUrl === undefined) throw new Error('this database has no address');
      proxy = await startDatabaseProxy(origin.databaseUrl);
      const database = await Database.open({ url: proxy.url, migrationsDir: MIGRATIONS });
      const config = loadConfig({
        GUILDBOOK_SKILLS_DIR: origin.skillsDir,
        GUILDBOOK_JOURNAL_KEY_FILE: `${origin.skillsDir}.journal-key.pem`,
      });
      app = await buildApplication(config, database, { clock: origin.clock, logger: false });
      await app.init();
      await app.listen(0, '127.0.0.1');
      url = await app.getUrl();
    });
    afterAll(async () => {
      await app.close();
      await proxy.close();
      await origin.close();
    });

    const routes = (): [method: string, path: string, token: string | undefined, body?: unknown][] => [
      ['GET', '/readyz', undefined],
      ['GET', '/v1/proposals', origin.adminToken],
      ['POST', '/v1/executions', agent, report({ executionId: 'while it is away' })],
      ['POST', '/v1/traces', agent, { resourceSpans: [] }],
      ['POST', '/v1/hooks/claude-code', agent, {}],
      ['POST', '/v1/recall', agent, { task: 'anything' }],
      ['POST', '/v1/gate', agent, {}],
      ['POST', '/mcp', agent, { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
      ['POST', '/v1/evolver/cycles', origin.adminToken, {}],
      ['GET', '/.well-known/agent-skills/no-such-skill/SKILL.md', undefined],
      ['GET', '/', origin.adminToken],
      ['GET', `/review/${NO_PROPOSAL}`, origin.adminToken],
      ['GET', '/skills', origin.adminToken],
      ['GET', '/settings', origin.adminToken],
    ];
    const send = ([method, path, token, body]: ReturnType<typeof routes>[number]) =>
      fetch(`${url}${path}`, {
        method,
        redirect: 'manual',
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(body ? { 'content-type': 'application/json', accept: 'application/json, text/event-stream' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });

    it('answers 503 on every route, with the pause, and goes on when it is back', async () => {
      const before = new Map<string, number>();
      for (const route of routes()) before.set(route[1], (await send(route)).status);
      await proxy.cut();
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      for (const route of routes()) {
        const answer = await send(route);
        expect([route[1], answer.status, answer.headers.get('retry-after')]).toEqual([route[1], 503, '5']);
        const text = await answer.text();
        expect(text).toContain('database.unavailable');
        expect(text).not.toMatch(/ECONNREFUSED|127\.0\.0\.1|terminated/);
      }
      await proxy.restore();
      for (const route of routes()) {
        const { status } = await send(route);
        // The same report a second time.
        const expected = route[1] === '/v1/executions' ? 202 : before.get(route[1]);
        expect([route[1], status]).toEqual([route[1], expected]);
      }
    });

    it('does not stop background work: a report from after the outage is captured', async () => {
      await proxy.cut();
      await send(['POST', '/v1/executions', agent, report({ executionId: 'lost' })]);
      await proxy.restore();
      expect((await send(['POST', '/v1/executions', agent, report({ executionId: 'afterwards' })])).status).toBe(202);
      await app.get(CaptureWorker).idle();
      expect(await origin.database.client.execution.findFirst({ orderBy: { receivedAt: 'desc' } })).toMatchObject({
        captureState: expect.not.stringContaining('pending'),
      });
    });
  });
