import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { buildApplication } from '../../src/application.js';
import { MINUTE_MS } from '../../src/platform/base/durations.js';
import { loadConfig } from '../../src/platform/config/config.js';
import { programPath } from '../../src/platform/config/environment.js';
import { Database } from '../../src/platform/database/database.js';
import { Publisher } from '../../src/skills/publishing/publisher.service.js';
import { Reconciler } from '../../src/skills/publishing/reconciler.service.js';
import { RemotePusher } from '../../src/skills/publishing/remote-pusher.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { openTestDatabase } from '../support/database.js';
import { submitTestProposal } from '../support/proposal-input.js';

jest.setTimeout(120_000);

const WORKERS = [Publisher, RemotePusher, Reconciler, Publisher, Reconciler];

describe('a database with one skills folder', () => {
  let app: TestApplication;
  let base: string;

  const git = (directory: string, ...args: string[]) =>
    execFileSync('git', ['-C', directory, ...args], { encoding: 'utf8', env: { PATH: programPath() } }).trim();
  type Application = Awaited<ReturnType<typeof buildApplication>>;
  const work = async (server: Application) => {
    for (const type of WORKERS) {
      const worker = server.get<{ wake(): void; idle(): Promise<void> }>(type);
      worker.wake();
      await worker.idle();
    }
  };
  const approve = async (title: string) => {
    const { id, artifactSha256 } = await submitTestProposal(app, title);
    await app.admin.proposals.approve(id, artifactSha256);
    await work(app.app);
  };
  let others: Application[];
  /** A second server on the same database, of which the embedded kind has one session: it is closed by the first. */
  const start = async (skillsDir: string, database: Database = app.database) => {
    const settings = { GUILDBOOK_SKILLS_DIR: skillsDir, GUILDBOOK_JOURNAL_KEY_FILE: `${base}/journal-key.pem` };
    const open: Database = Object.create(database, { close: { value: async () => {} } });
    const server = await buildApplication(loadConfig(settings), open, { clock: app.clock, logger: false });
    await server.init();
    others.push(server);
    return server;
  };
  const idOf = (skillsDir: string) => readFileSync(join(skillsDir, '.git', 'guildbook', 'id'), 'utf8').trim();
  const entries = async () => (await app.admin.journal.list({ order: 'newest', limit: 1 })).items[0]?.seq;

  beforeEach(async () => {
    base = mkdtempSync(join(tmpdir(), 'guildbook-folders-'));
    others = [];
    app = await startTestApplication();
  });
  afterEach(async () => {
    for (const other of others) await other.close();
    await app.close();
    rmSync(base, { recursive: true, force: true });
  });

  it('is refused with another folder at the start, before and after the first publication, and leaves that folder alone', async () => {
    await expect(start(join(base, 'other'))).rejects.toThrow(/publishes to another skills folder.*docs\/operate\.md/);
    await approve('Alpha');
    await expect(start(join(base, 'other'))).rejects.toThrow(/publishes to another skills folder/);
    expect(existsSync(join(base, 'other'))).toBe(false);
    git(base, 'init', '-q', 'foreign');
    await expect(start(join(base, 'foreign'))).rejects.toThrow(/publishes to another skills folder/);
  });

  it('is refused with the folder of another database, and a new database with a folder that is not new', async () => {
    await approve('Alpha');
    const { database, drop } = await openTestDatabase({ fresh: true });
    try {
      await expect(start(app.skillsDir, database)).rejects.toThrow(/belongs to another database/);
      const own = join(base, 'own');
      await start(own, database);
      expect(idOf(own)).not.toBe(idOf(app.skillsDir));
      await expect(start(own)).rejects.toThrow(/belongs to another database/);
    } finally {
      for (const other of others.splice(0)) await other.close();
      await database.close();
      await drop();
    }
  });

  it('is refused with a copy of its folder from before the last publication', async () => {
    await approve('Alpha');
    const copy = join(base, 'copy');
    cpSync(app.skillsDir, copy, { recursive: true });
    await approve('Bravo');
    await expect(start(copy)).rejects.toThrow(/lacks commits that this database has published/);
  });

  it('takes a clone of what it published in place of its folder', async () => {
    await approve('Alpha');
    const clone = join(base, 'clone');
    git(base, 'clone', '-q', app.skillsDir, clone);
    await start(clone);
    expect(idOf(clone)).toBe(idOf(app.skillsDir));
  });

  it('publishes everything again into a new folder once its record is deleted, with the same commits', async () => {
    await approve('Alpha');
    await approve('Bravo');
    const head = git(app.skillsDir, 'rev-parse', 'main');
    await app.database.client.$executeRawUnsafe('DELETE FROM "skills_repository"');
    await app.database.client.publication.updateMany({ data: { state: 'pending', commit: null, publishedAt: null } });
    const server = await start(join(base, 'new'));
    await work(server);
    expect(git(join(base, 'new'), 'rev-parse', 'main')).toBe(head);
  });

  it.each([
    ['waits', 0],
    ['pushes', MINUTE_MS],
  ])(
    'is published by one of two servers with copies of the folder: the other %s and stops, and the journal stays as it is',
    async (_what, later) => {
      await approve('Alpha');
      const copy = join(base, 'copy');
      cpSync(app.skillsDir, copy, { recursive: true });
      const other = await start(copy);
      // After a minute, the lease to push is free.
      app.clock.advance(later);
      await work(other);
      const head = git(copy, 'rev-parse', 'main');
      await approve('Bravo');
      await work(app.app);
      const before = await entries();
      for (const server of [other, app.app, other, app.app]) await work(server);
      expect(await entries()).toBe(before);
      expect(git(copy, 'rev-parse', 'main')).toBe(head);
      expect((await app.admin.skills.show('bravo')).publication.commit).toBe(git(app.skillsDir, 'rev-parse', 'main'));
    },
  );
});
