import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Guildbook } from '../../src/client/guildbook.js';
import { readAdminToken } from '../support/admin-token.js';
import { build } from '../support/cli.js';
import { migratedFolder } from '../support/database.js';
import { createServerDatabase, type ServerDatabase } from '../support/server-database.js';
import { type StartedProcess, startAtOnce } from '../support/starts-at-once.js';

// Two processes start at once and create the database.
jest.setTimeout(300_000);

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

/**
 * Starts two processes on one database and one skills repository; `apart` gives each its own other files, among them the
 * embedded database.
 */
async function startTwo(apart: boolean): Promise<StartedProcess[]> {
  // Creating a database takes seconds, and one start of two that share a folder shows it.
  if (apart && database === undefined)
    for (const n of [0, 1]) await cp(await migratedFolder(), dataDir(n), { recursive: true });
  const started = await startAtOnce(2, (n) => settings(apart ? n : 0));
  running.push(...started);
  return started;
}
const dataDir = (n: number): string => join(folder, `process-${n}`, 'database');
const signIn = async ({ url }: StartedProcess, token: string) => {
  const signedIn = await new Guildbook({ server: url }).signIn(token);
  return new Guildbook({ server: url, token: signedIn.token });
};

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
