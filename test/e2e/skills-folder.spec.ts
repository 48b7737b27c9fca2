import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SchedulerRegistry } from '@nestjs/schedule';
import { buildApplication } from '../../src/application.js';
import { MINUTE_MS } from '../../src/platform/base/durations.js';
import { loadConfig } from '../../src/platform/config/config.js';
import { programPath } from '../../src/platform/config/environment.js';
import { Database } from '../../src/platform/database/database.js';
import { Readiness } from '../../src/platform/http/readiness.service.js';
import { Publisher } from '../../src/skills/publishing/publisher.service.js';
import { Reconciler } from '../../src/skills/publishing/reconciler.service.js';
import { RemotePusher } from '../../src/skills/publishing/remote-pusher.service.js';
import { SkillsFollower } from '../../src/skills/publishing/skills-follower.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { openTestDatabase } from '../support/database.js';
import { submitTestProposal } from '../support/proposal-input.js';

jest.setTimeout(120_000);

const WORKERS = [SkillsFollower, Publisher, RemotePusher, Reconciler, Publisher, Reconciler];

describe('a database with several skills folders', () => {
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
    return id;
  };
  let others: Application[];
  let remote: Record<string, string>;
  /** A second server on the same database, of which the embedded kind has one session: it is closed by the first. */
  const start = async (skillsDir: string, database: Database = app.database) => {
    const settings = {
      GUILDBOOK_SKILLS_DIR: skillsDir,
      GUILDBOOK_JOURNAL_KEY_FILE: `${app.skillsDir}.journal-key.pem`,
      ...remote,
    };
    const open: Database = Object.create(database, { close: { value: async () => {} } });
    const server = await buildApplication(loadConfig(settings), open, { clock: app.clock, logger: false });
    await server.init();
    stopTimers(server);
    others.push(server);
    return server;
  };
  const idOf = (skillsDir: string) =>
    readFileSync(join(skillsDir, '.git', 'guildbook', 'id'), 'utf8')
      .split('\n')[0]
      ?.trim();
  /** A process works only when the spec says so, as if it were suspended otherwise. */
  const stopTimers = (server: Application) => {
    const timers = server.get(SchedulerRegistry);
    for (const name of timers.getIntervals()) timers.deleteInterval(name);
  };
  const headOf = (skillsDir: string) => git(skillsDir, 'rev-parse', 'main');
  const problemsOf = (server: Application) =>
    server
      .get(Readiness)
      .problems()
      .map(({ code }) => code);
  const journalled = async (action: string) => (await app.admin.journal.list({ action, limit: 50 })).items.length;
  const entries = async () => (await app.admin.journal.list({ order: 'newest', limit: 1 })).items[0]?.seq;

  beforeEach(async () => {
    base = mkdtempSync(join(tmpdir(), 'guildbook-folders-'));
    others = [];
    remote = {};
    app = await startTestApplication();
    stopTimers(app.app);
  });
  afterEach(async () => {
    for (const other of others) await other.close();
    await app.close();
    rmSync(base, { recursive: true, force: true });
  });

  it('is refused with a folder that holds something else, and leaves it alone', async () => {
    await approve('Alpha');
    git(base, 'init', '-q', '-b', 'main', 'foreign');
    git(
      join(base, 'foreign'),
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@b',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'own',
    );
    await expect(start(join(base, 'foreign'))).rejects.toThrow(/publishes to another skills folder.*docs\/operate\.md/);
    mkdirSync(join(base, 'home'));
    writeFileSync(join(base, 'home', 'notes.txt'), 'mine');
    await expect(start(join(base, 'home'))).rejects.toThrow(/publishes to another skills folder/);
    expect(readdirSync(join(base, 'home'))).toEqual(['notes.txt']);
  });

  it('lets a new folder follow: the same commits and files, and neither alarm, journal entry nor publication', async () => {
    const alpha = await approve('Alpha');
    const own = join(base, 'own');
    const other = await start(own);
    await work(other);
    expect(headOf(own)).toBe(headOf(app.skillsDir));
    expect(readFileSync(join(own, 'alpha', 'SKILL.md'))).toEqual(
      readFileSync(join(app.skillsDir, 'alpha', 'SKILL.md')),
    );
    await approve('Bravo');
    await approve('Charlie');
    await app.admin.retireSkill(alpha, 'no longer true');
    await work(app.app);
    const before = await entries();
    for (const server of [other, app.app, other, app.app]) await work(server);
    expect(headOf(own)).toBe(headOf(app.skillsDir));
    expect(git(own, 'status', '--porcelain')).toBe('');
    expect(existsSync(join(own, 'alpha'))).toBe(false);
    expect(await entries()).toBe(before);
    expect([problemsOf(other), problemsOf(app.app)]).toEqual([[], []]);
    expect(other.get(Reconciler).findings()).toEqual([]);
    expect(git(own, 'rev-list', '--count', 'main')).toBe('4');
  });

  it('lets a follower take over 30 seconds after the processes of the publishing folder are gone; the other then follows', async () => {
    const origin = join(base, 'remote.git');
    git(base, 'init', '-q', '--bare', '-b', 'main', 'remote.git');
    remote = { GUILDBOOK_SKILLS_REMOTE: `file://${origin}` };
    await approve('Alpha');
    const own = join(base, 'own');
    const other = await start(own);
    const { id, artifactSha256 } = await submitTestProposal(app, 'Bravo');
    await work(other);
    await app.admin.proposals.approve(id, artifactSha256);
    await app.app.get(Publisher).idle();
    await work(app.app);
    await work(other);
    expect(await journalled('skills.folder_changed')).toBe(0);
    // The first process is suspended; nothing renews the lease of its folder.
    app.clock.advance(31_000);
    await work(other);
    expect(await journalled('skills.folder_changed')).toBe(1);
    await approve('Charlie');
    expect(existsSync(join(app.skillsDir, 'charlie'))).toBe(false);
    await work(other);
    await work(app.app);
    for (const skills of [own, app.skillsDir]) {
      expect(git(skills, 'rev-list', '--count', 'main')).toBe('3');
      expect(existsSync(join(skills, 'charlie', 'SKILL.md'))).toBe(true);
    }
    expect(headOf(app.skillsDir)).toBe(headOf(own));
    expect(git(origin, 'rev-parse', 'main')).toBe(headOf(own));
    expect(await journalled('skill.published')).toBe(3);
    expect([problemsOf(other), problemsOf(app.app)]).toEqual([[], []]);
    expect(await journalled('skills.repository_repaired')).toBe(0);
    expect(await journalled('skills.push_held')).toBe(0);
  });

  it.each([
    ['by the last decision', false],
    ['by an earlier decision', true],
  ])('writes the files that a killed process left %s, and keeps an external edit', async (_which, isEarlier) => {
    const alpha = await approve('Alpha');
    await approve('Bravo');
    const own = join(base, 'own');
    const killed = await start(own);
    await work(killed);
    const old = join(base, 'old');
    cpSync(own, old, { recursive: true });
    await app.admin.retireSkill(alpha, 'no longer true');
    await approve('Charlie');
    await work(killed);
    await killed.close();
    others.splice(0);
    // The commits are there, files and index are not.
    for (const path of ['README.md', join('.git', 'index'), '.claude-plugin', 'alpha'])
      cpSync(join(old, path), join(own, path), { recursive: true });
    rmSync(join(own, 'charlie'), { recursive: true });
    writeFileSync(join(own, 'bravo', 'SKILL.md'), 'my own words');
    if (isEarlier) await approve('Delta');
    await work(await start(own));
    expect(headOf(own)).toBe(headOf(app.skillsDir));
    expect(git(own, 'status', '--porcelain')).toBe('M bravo/SKILL.md');
    expect(readFileSync(join(own, 'bravo', 'SKILL.md'), 'utf8')).toBe('my own words');
    expect(readdirSync(own)).toEqual(readdirSync(app.skillsDir));
  });

  it('brings a folder in line that committed what another folder published in another order', async () => {
    await approve('Alpha');
    const own = join(base, 'own');
    const other = await start(own);
    await work(other);
    const diverged = git(
      own,
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@b',
      'commit-tree',
      '-p',
      'main',
      '-m',
      'late',
      'main^{tree}',
    );
    git(own, 'update-ref', 'refs/heads/main', diverged);
    await approve('Bravo');
    await work(other);
    expect(headOf(own)).toBe(headOf(app.skillsDir));
    expect(git(own, 'rev-parse', `refs/guildbook/held/${diverged}`)).toBe(diverged);
    expect(problemsOf(other)).toEqual([]);
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

  it('brings a copy of its folder from before the last publication up to date', async () => {
    await approve('Alpha');
    const copy = join(base, 'copy');
    cpSync(app.skillsDir, copy, { recursive: true });
    await approve('Bravo');
    const before = await entries();
    const other = await start(copy);
    expect(idOf(copy)).not.toBe(idOf(app.skillsDir));
    await work(other);
    expect(headOf(copy)).toBe(headOf(app.skillsDir));
    expect(await entries()).toBe(before);
    expect(problemsOf(other)).toEqual([]);
  });

  it.each([
    ['follows beside it', 0],
    ['takes its place once that one is gone', 31_000],
  ])('takes a clone of what it published as a folder, which %s', async (_what, later) => {
    await approve('Alpha');
    const clone = join(base, 'clone');
    git(base, 'clone', '-q', app.skillsDir, clone);
    app.clock.advance(later);
    await start(clone);
    expect(idOf(clone) === idOf(app.skillsDir)).toBe(later > 0);
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
    ['at once', 0],
    ['after a minute', MINUTE_MS],
  ])(
    'is published by one of two servers with copies of the folder: the other follows %s, and the journal stays as it is',
    async (_when, later) => {
      await approve('Alpha');
      const copy = join(base, 'copy');
      cpSync(app.skillsDir, copy, { recursive: true });
      const other = await start(copy);
      app.clock.advance(later);
      await work(other);
      await approve('Bravo');
      await work(app.app);
      const before = await entries();
      for (const server of [other, app.app, other, app.app]) await work(server);
      expect(await entries()).toBe(before);
      expect(headOf(copy)).toBe(headOf(app.skillsDir));
      expect((await app.admin.skills.show('bravo')).publication.commit).toBe(headOf(app.skillsDir));
    },
  );
});
