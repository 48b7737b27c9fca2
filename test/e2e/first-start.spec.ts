import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Guildbook } from '../../src/client/guildbook.js';
import { adminTokenFile, readAdminToken } from '../support/admin-token.js';
import { build } from '../support/cli.js';
import { createServerDatabase, type ServerDatabase } from '../support/server-database.js';
import { type StartedProcess, startAtOnce } from '../support/starts-at-once.js';

// Each start is a separate process, and the first one creates the database.
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

/** Starts `count` processes on one database and one skills repository; `apart` gives each its own other files. */
async function start(count: number, settings: Readonly<Record<string, string>> = {}, apart = false) {
  const started = await startAtOnce(count, (n) => ({
    DATABASE_URL: database?.url ?? '',
    GUILDBOOK_DATA_DIR: dataDir(apart ? n : 0),
    GUILDBOOK_JOURNAL_KEY_FILE: join(folder, 'journal-key.pem'),
    GUILDBOOK_SKILLS_DIR: join(folder, 'skills'),
    ...settings,
  }));
  running.push(...started);
  return started;
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
  it.each([1, 2, 3, 4, 5])('start both, with one administrator and one token that works (time %d)', async (time) => {
    const started = await start(2, {}, time % 2 === 0);
    const listening = started.filter(({ url }) => url !== '');
    for (const { log } of started) expect(log).not.toContain('gbo_');
    if (database === undefined && time % 2 === 1) {
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
    const [first] = await start(1);
    expect(first?.log).not.toContain('gbo_');
    expect(first?.log).toContain(`--token - < ${adminTokenFile(dataDir(0))}`);
    expect((await stat(adminTokenFile(dataDir(0)))).mode & 0o777).toBe(0o600);
    const token = readAdminToken(dataDir(0));
    await first?.stop();
    const [second] = await start(1);
    expect(second?.log).not.toContain('gbo_');
    expect(second?.log).toContain(adminTokenFile(dataDir(0)));
    expect(readAdminToken(dataDir(0))).toBe(token);
    if (second === undefined) throw new Error('the server did not start');
    expect(await works(token ?? '', second)).toBe(true);
    await second.stop();
    const [third] = await start(1);
    expect(third?.log).not.toContain('administrator');
    expect(readAdminToken(dataDir(0))).toBeUndefined();
  });

  it('accepts a token from outside, once, and replaces a lost one with it', async () => {
    const [first] = await start(1);
    const lost = readAdminToken(dataDir(0)) ?? '';
    await first?.stop();
    await writeFile(join(folder, 'secret'), `${GIVEN}\n`, { mode: 0o600 });
    const [second] = await start(1, { GUILDBOOK_ADMIN_TOKEN_FILE: join(folder, 'secret') });
    if (second === undefined) throw new Error('the server did not start');
    expect(second.log).toContain('the one-time token of GUILDBOOK_ADMIN_TOKEN');
    expect(second.log).not.toContain('gbo_');
    const admin = await signIn(second, GIVEN);
    expect(await works(GIVEN, second)).toBe(false);
    // The lost token ends with the sign-in.
    expect(await works(lost, second)).toBe(false);
    await admin.signOut();
    await second.stop();
    const [third] = await start(1, { GUILDBOOK_ADMIN_TOKEN: GIVEN });
    expect(third?.log).toContain('Set a new one and start again');
  });

  it('is refused with a weak token, a token given twice, and a file that cannot be read, by name and without the value', async () => {
    const refused = async (settings: Readonly<Record<string, string>>) => {
      const [one] = await start(1, settings);
      expect(one?.url).toBe('');
      return one?.log ?? '';
    };
    const weak = 'gbo_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
    const log = await refused({ GUILDBOOK_ADMIN_TOKEN: weak });
    expect(log).toContain('GUILDBOOK_ADMIN_TOKEN: must be gbo_ and 32 to 96 random');
    expect(log).not.toContain(weak);
    const both = { GUILDBOOK_ADMIN_TOKEN: GIVEN, GUILDBOOK_ADMIN_TOKEN_FILE: join(folder, 'secret') };
    expect(await refused(both)).toContain('GUILDBOOK_ADMIN_TOKEN_FILE: set this or GUILDBOOK_ADMIN_TOKEN, not both');
    const missing = await refused({ GUILDBOOK_ADMIN_TOKEN_FILE: join(folder, 'missing') });
    expect(missing).toContain('GUILDBOOK_ADMIN_TOKEN_FILE: the file cannot be read (ENOENT)');
    expect(missing).not.toContain(folder);
  });
});
