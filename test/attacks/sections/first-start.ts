import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adminTokenFile, readAdminToken } from '../../support/admin-token.js';
import { createDatabaseOn, type ServerDatabase } from '../../support/server-database.js';
import { type StartedProcess, startAtOnce } from '../../support/starts-at-once.js';
import { type AttackedServer, type Attempt, attempt, type Section } from '../attack.js';

const TIMES = 5;
const GIVEN = 'gbo_Zu4mQ9xWv2Lr7Tn5Kc8Yp3Hd6Bf1Gs0J';
const WEAK = ['gbo_short', `gbo_${'a'.repeat(40)}`, 'gbo_abcdefghijklmnopqrstuvwxyz0123456789', 'swordfish'];

/** The first start: twice at once, again, and what its log holds. Each attempt has a folder and a database to itself. */
export const section: Section = {
  name: 'first-start',
  async *attempts(server, { isQuick }) {
    yield attempt(
      'the log of a start holds a token',
      !/gb[olpstw]_/.test(server.log),
      `${server.log.length} characters`,
    );
    yield* refusals(server);
    if (isQuick) return;
    for (let time = 1; time <= TIMES; time += 1) yield* twiceAtOnce(server, time);
    yield* again(server);
  },
};

/** Weak and doubled tokens: the server must not start, and must not quote them. */
async function* refusals(server: AttackedServer): AsyncIterable<Attempt> {
  const folder = join(server.folder, 'refused');
  mkdirSync(folder);
  writeFileSync(join(folder, 'secret'), GIVEN);
  const file = { GUILDBOOK_ADMIN_TOKEN_FILE: join(folder, 'secret') };
  const wrong: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    ...WEAK.map((token) => ['a weak token is accepted', { GUILDBOOK_ADMIN_TOKEN: token }, token] as const),
    ['a token is given twice', { GUILDBOOK_ADMIN_TOKEN: GIVEN, ...file }, GIVEN],
    ['a missing file is ignored', { GUILDBOOK_ADMIN_TOKEN_FILE: join(folder, 'missing') }, folder],
    ['an address of a database is quoted', { DATABASE_URL: 'mysql://root:hunter2@db/guildbook' }, 'hunter2'],
  ];
  const started = await startAtOnce(wrong.length, (n) => ({ ...settings(folder, undefined), ...wrong[n]?.[1] }));
  for (const [n, [name, , value]] of wrong.entries()) {
    const { url = '', log = '' } = started[n] ?? {};
    await started[n]?.stop();
    const names = log.includes('GUILDBOOK_ADMIN_TOKEN') || log.includes('DATABASE_URL');
    yield attempt(name, url === '' && names && !log.includes(value), url === '' ? 'does not start' : 'starts');
  }
}

async function* twiceAtOnce(server: AttackedServer, time: number): AsyncIterable<Attempt> {
  await using place = await emptyPlace(server, `twice-${time}`);
  const started = await startAtOnce(2, () => settings(place.folder, place.database));
  try {
    const listening = started.filter(({ url }) => url !== '');
    const logs = started.map(({ log }) => log).join('\n');
    const expected = place.database === undefined ? 1 : 2;
    const refused = place.database !== undefined || logs.includes('is in use by another process');
    const outcome = `${listening.length} of 2 listen`;
    yield attempt(`two first starts at once race (${time})`, listening.length === expected && refused, outcome);
    const token = readAdminToken(join(place.folder, 'database')) ?? '';
    const status = await signIn(listening[0], token);
    yield attempt(`one start revokes the token of the other (${time})`, status === 200, `${status}`);
    yield attempt(`two starts log a token (${time})`, !logs.includes('gbo_'), `${logs.length} characters`);
  } finally {
    await Promise.all(started.map((one) => one.stop()));
  }
}

async function* again(server: AttackedServer): AsyncIterable<Attempt> {
  await using place = await emptyPlace(server, 'again');
  const dataDir = join(place.folder, 'database');
  const one = async (more: Readonly<Record<string, string>> = {}) =>
    (await startAtOnce(1, () => ({ ...settings(place.folder, place.database), ...more })))[0];
  const first = await one();
  const token = readAdminToken(dataDir) ?? '';
  const mode = statSync(adminTokenFile(dataDir)).mode & 0o777;
  await first?.stop();
  yield attempt('others can read the file with the token', mode === 0o600, mode.toString(8));
  const second = await one({ GUILDBOOK_ADMIN_TOKEN: GIVEN });
  const given = await signIn(second, GIVEN);
  yield attempt('a token from outside does not sign in', given === 200, `${given}`);
  const twice = await signIn(second, GIVEN);
  yield attempt('a token from outside signs in twice', twice === 401, `${twice}`);
  const lost = await signIn(second, token);
  yield attempt('the token of an earlier start outlives the sign-in', lost === 401, `${lost}`);
  await second?.stop();
  const log = `${first?.log}${second?.log}`;
  yield attempt('a start logs a token', !log.includes('gbo_'), `${log.length} characters`);
}

async function signIn(server: StartedProcess | undefined, token: string): Promise<number> {
  if (!server?.url) return 0;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ token });
  return (await fetch(`${server.url}/v1/sign-in`, { method: 'POST', headers, body })).status;
}

/** A folder and, on PostgreSQL, a database that no server has used. */
async function emptyPlace({ folder: parent, databaseUrl }: AttackedServer, name: string) {
  const folder = join(parent, name);
  mkdirSync(folder);
  const database = databaseUrl === undefined ? undefined : await createDatabaseOn(databaseUrl);
  return { folder, database, [Symbol.asyncDispose]: async () => database?.drop() };
}

const settings = (folder: string, database: ServerDatabase | undefined) => ({
  DATABASE_URL: database?.url ?? '',
  GUILDBOOK_DATA_DIR: join(folder, 'database'),
  GUILDBOOK_SKILLS_DIR: join(folder, 'skills'),
});
