import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServerProcesses } from '../../src/platform/background/server-processes.service.js';
import { VERSION } from '../../src/platform/config/version.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { startBeside } from '../support/application-beside.js';
import { Console, decoded } from '../support/console.js';
import { report } from '../support/reports.js';

const JOBS = [
  'consolidation',
  'journal-checkpoint',
  'memory-upkeep',
  'proposal-expiry',
  'skill-merges',
  'webhook-purge',
];
const QUEUES = ['capture', 'fragments', 'promotion', 'proposer', 'publications', 'summaries', 'webhooks'];

describe('the state of the server', () => {
  let app: TestApplication;
  let other: Awaited<ReturnType<typeof startBeside>>;

  beforeAll(async () => {
    app = await startTestApplication();
    other = await startBeside(app);
  });
  afterAll(() => app.close());

  it('names both processes of one database, and after the end of one of them the other', async () => {
    const { processes } = await app.admin.serverState();
    expect(processes.map(({ version, pid, isThis }) => ({ version, pid, isThis }))).toEqual([
      { version: VERSION, pid: process.pid, isThis: true },
      { version: VERSION, pid: process.pid, isThis: false },
    ]);
    await other.close();
    expect((await app.admin.serverState()).processes).toHaveLength(1);
  });

  it('names the address with the port at which the process listens, also where the system chose it', async () => {
    await app.app.get(ServerProcesses).heartbeat();
    const { processes } = await app.admin.serverState();
    const { hostname, port } = new URL(app.url);
    expect(processes.find(({ isThis }) => isThis)?.address).toBe(`${hostname}:${port}`);
    const admin = await Console.signedIn(app, 'Pat Port', { admin: true });
    expect(decoded((await admin.get('/settings/server')).text)).toContain(`${hostname}:${port}`);
  });

  it('names each queue with its length and the age of its oldest item', async () => {
    const { client } = await app.agent('Ada');
    await app.database.client.$executeRawUnsafe('ALTER TABLE "observation" RENAME COLUMN "body" TO "gone"');
    await client.executions.report(report());
    app.clock.advance(90_000);
    const { queues } = await app.admin.serverState();
    expect(queues.map(({ name }) => name)).toEqual(QUEUES);
    expect(queues.find(({ name }) => name === 'capture')).toMatchObject({ length: 1 });
    expect(queues.find(({ name }) => name === 'capture')?.oldestSeconds).toBeGreaterThanOrEqual(90);
    expect(queues.find(({ name }) => name === 'webhooks')).toMatchObject({ length: 0, oldestSeconds: null });
    await app.database.client.$executeRawUnsafe('ALTER TABLE "observation" RENAME COLUMN "gone" TO "body"');
    await app.settled();
    const [capture] = (await app.admin.serverState()).queues;
    expect(capture).toEqual({ name: 'capture', length: 0, oldestSeconds: null });
  });

  it('names each scheduled job with its last and next run', async () => {
    const { jobs } = await app.admin.serverState();
    expect(jobs.map(({ name }) => name)).toEqual(JOBS);
    for (const { nextRunAt, lastRunAt, state } of jobs) {
      expect(new Date(nextRunAt).getTime()).toBeGreaterThan(app.clock.now().getTime() - 120_000);
      expect([lastRunAt, state]).toEqual([null, 'waiting']);
    }
  });

  it('is for administrators', async () => {
    const { client } = await app.person('Ron Reader', { reviewer: true });
    await expect(client.serverState()).rejects.toMatchObject({ problem: { status: 403 } });
  });

  it('is in the settings of the console', async () => {
    await app.app.get(ServerProcesses).heartbeat();
    const admin = await Console.signedIn(app, 'Ada Admin', { admin: true });
    const text = decoded((await admin.get('/settings/server')).text);
    for (const part of ['Processes', VERSION, 'Reports for capture', 'Signature of the journal', 'every 10 minutes'])
      expect(text).toContain(part);
    expect(text).not.toMatch(/every \d+ s\b/);
  });
});
