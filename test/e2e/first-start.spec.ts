import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { firstStartNotice } from '../../src/access/sign-in/first-start-notice.js';
import { startApplication } from '../../src/application.js';
import { Guildbook } from '../../src/client/guildbook.js';
import { loadConfig } from '../../src/platform/config/config.js';
import { adminTokenFile, readAdminToken } from '../support/admin-token.js';
import { build } from '../support/cli.js';
import { migratedFolder } from '../support/database.js';
import { createServerDatabase, type ServerDatabase } from '../support/server-database.js';
import { type StartedProcess, startAtOnce } from '../support/starts-at-once.js';

// Two processes start at once and create the database.
jest.setTimeout(300_000);

/** Made up for this spec. */
const GIVEN = 'gbo_Zu4mQ9xWv2Lr7Tn5Kc8Yp3Hd6Bf1Gs0J';

let folder: string;
let database: ServerDatabase | undefined;
let running: StartedProcess[] = [];

beforeAll(() => build());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildbook-first-'));
  database = await createServerDatabase();
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.stop()));
  running = [];
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

const settings = (place: number): Record<string, string> => ({
  DATABASE_URL: database?.url ?? '',
  GUILDBOOK_DATA_DIR: dataDir(place),
  GUILDBOOK_JOURNAL_KEY_FILE: join(folder, 'journal-key.pem'),
  GUILDBOOK_SKILLS_DIR: join(folder, 'skills'),
});

/** Puts a migrated embedded database at a place that has none: creating one takes seconds. */
async function placeDatabase(place: number): Promise<void> {
  if (database === undefined && !existsSync(dataDir(place)))
    await cp(await migratedFolder(), dataDir(place), { recursive: true });
}

/**
 * Starts two processes on one database and one skills repository; `apart` gives each its own other files, among them the
 * embedded database.
 */
async function startTwo(apart: boolean): Promise<StartedProcess[]> {
  if (apart) for (const place of [0, 1]) await placeDatabase(place);
  const started = await startAtOnce(2, (n) => settings(apart ? n : 0));
  running.push(...started);
  return started;
}

/** Starts the server in the process of the test. */
async function startHere(more: Readonly<Record<string, string>> = {}): Promise<StartedProcess> {
  await placeDatabase(0);
  const lines: string[] = [];
  const add = (line: unknown) => void lines.push(String(line));
  const logger = { log: add, warn: add, error: add, fatal: add };
  const config = loadConfig({ GUILDBOOK_PORT: '0', ...settings(0), ...more });
  const server = await startApplication(config, logger);
  let stopped: Promise<void> | undefined;
  const one = {
    url: server.url,
    log: [...lines, firstStartNotice(server.administrator, server.url, false)].join('\n'),
    stop: () => (stopped ??= server.close()),
  };
  running.push(one);
  return one;
}
const dataDir = (n: number): string => join(folder, `process-${n}`, 'database');
const signIn = async ({ url }: StartedProcess, token: string) => {
  const signedIn = await new Guildbook({ server: url }).signIn(token);
  return new Guildbook({ server: url, token: signedIn.token });
};
const works = async (token: string, server: StartedProcess): Promise<boolean> =>
  signIn(server, token).then(
    () => true,
    () => false,
  );

describe('two processes that start at once on nothing', () => {
  it.each([
    ['one folder', false],
    ['separate folders', true],
  ])('start both in %s, with one administrator and one token that works', async (_where, apart) => {
    const started = await startTwo(apart);
    const listening = started.filter(({ url }) => url !== '');
    for (const { log } of started) expect(log).not.toContain('gbo_');
    if (database === undefined && !apart) {
      // The embedded database allows one process: the other one says so and changes nothing.
      expect(listening).toHaveLength(1);
      expect(started.find(({ url }) => url === '')?.log).toContain('is in use by another process');
    } else expect(started.map(({ url, log }) => (url === '' ? log : 'listens'))).toEqual(['listens', 'listens']);
    const tokens = [0, 1].flatMap((n) => readAdminToken(dataDir(n)) ?? []);
    if (database !== undefined) {
      expect(tokens).toHaveLength(1);
      expect(started.filter(({ log }) => log.includes('admin-token')).length).toBeGreaterThanOrEqual(1);
    }
    const [server] = listening;
    if (server === undefined) throw new Error('no process listens');
    const [token = ''] = tokens;
    const admin = await signIn(server, token);
    expect((await admin.people.list()).items.map(({ name }) => name)).toEqual(['Administrator']);
    expect(await admin.journal.verify()).toMatchObject({ intact: true });
  });
});

describe('a start without a terminal', () => {
  it('writes the token into a file that only its user reads, and a second start revokes nothing', async () => {
    const first = await startHere();
    expect(first.log).not.toContain('gbo_');
    expect(first.log).toContain(`--token - < ${adminTokenFile(dataDir(0))}`);
    expect((await stat(adminTokenFile(dataDir(0)))).mode & 0o777).toBe(0o600);
    const token = readAdminToken(dataDir(0));
    await first.stop();
    const second = await startHere();
    expect(second.log).not.toContain('gbo_');
    expect(second.log).toContain(adminTokenFile(dataDir(0)));
    expect(readAdminToken(dataDir(0))).toBe(token);
    expect(await works(token ?? '', second)).toBe(true);
    await second.stop();
    const third = await startHere();
    expect(third.log).not.toContain('administrator');
    expect(readAdminToken(dataDir(0))).toBeUndefined();
  });

  it('accepts a token from outside, once, and replaces a lost one with it', async () => {
    const first = await startHere();
    const lost = readAdminToken(dataDir(0)) ?? '';
    await first.stop();
    await writeFile(join(folder, 'secret'), `${GIVEN}\n`, { mode: 0o600 });
    const second = await startHere({ GUILDBOOK_ADMIN_TOKEN_FILE: join(folder, 'secret') });
    expect(second.log).toContain('the one-time token of GUILDBOOK_ADMIN_TOKEN');
    expect(second.log).not.toContain('gbo_');
    const admin = await signIn(second, GIVEN);
    expect(await works(GIVEN, second)).toBe(false);
    // The lost token ends with the sign-in.
    expect(await works(lost, second)).toBe(false);
    await admin.signOut();
    await second.stop();
    const third = await startHere({ GUILDBOOK_ADMIN_TOKEN: GIVEN });
    expect(third.log).toContain('Set a new one and start again');
  });
});
