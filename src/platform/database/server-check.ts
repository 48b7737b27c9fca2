import pg from 'pg';
import { SettingsError } from '../config/config.errors.js';
import { reasonOf, type StartError, startError } from '../start/start.errors.js';
import { CONNECTING } from './sql-client.js';

/** The oldest major version that the tests run on. */
const OLDEST = 15;

/** SQLSTATE of a wrong password. A login that is refused for another reason has the server's own words. */
const WRONG_PASSWORD = '28P01';
const NO_DATABASE = '3D000';
/** The driver's own messages, which have no code: the address names no password although the server asks for one. */
const NO_PASSWORD = /^SASL: .*password/;
const NO_ANSWER = /^(?:timeout expired|Connection terminated)/;

interface Found {
  readonly version: string;
  readonly number: number;
  readonly encoding: string;
  readonly mayCreate: boolean;
  readonly login: string;
}

/** Parts of the address that a message may name: neither the user nor the password. */
interface Address {
  readonly server: string;
  readonly database: string;
}

/** Opens a pool after one connection has shown that the server can be used. Throws StartError or SettingsError. */
export async function openedServer(url: string, open: () => pg.Pool): Promise<pg.Pool> {
  const client = clientOf(url);
  const address = { server: serverOf(client), database: client.database ?? '' };
  // A connection that is lost fails its query as well.
  client.on('error', () => undefined);
  try {
    await client.connect();
    requireUsable(await inspect(client), address);
  } catch (error) {
    throw isOfDriver(error) ? connectionError(error, address) : error;
  } finally {
    await client.end().catch(() => undefined);
  }
  return open();
}

function clientOf(url: string): pg.Client {
  try {
    return new pg.Client({ connectionString: url, ...CONNECTING });
  } catch {
    throw new SettingsError(
      'DATABASE_URL: must be a postgresql: address in which special characters of the user and the password are percent-encoded',
    );
  }
}

/** A path is the folder of a Unix socket. */
const serverOf = ({ host, port }: pg.Client): string => (host.startsWith('/') ? host : `${host}:${port}`);

async function inspect(client: pg.Client): Promise<Found> {
  const { rows } = await client.query<Found>(
    `SELECT current_setting('server_version') AS "version", current_setting('server_version_num')::int AS "number",
            current_setting('server_encoding') AS "encoding", current_user::text AS "login",
            coalesce(has_schema_privilege(current_user, current_schema(), 'CREATE'), false) AS "mayCreate"`,
  );
  const [found] = rows;
  if (found === undefined) throw new Error('the server does not describe itself');
  return found;
}

/** Throws StartError if Guildbook cannot work with what was found. */
export function requireUsable({ version, number, encoding, mayCreate, login }: Found, { server, database }: Address) {
  const found = version.split(' ')[0] ?? version;
  if (number < OLDEST * 10_000) throw startError('database.too_old', { server, found });
  if (encoding !== 'UTF8') throw startError('database.encoding', { database, found: encoding });
  if (!mayCreate) throw startError('database.not_owned', { database, login });
}

/** The errors of node-postgres and of the network have a code; its own timeout and refusals of TLS do not. */
const isOfDriver = (error: unknown): error is Error => error instanceof Error && error.name !== 'StartError';

/** The error for a connection that failed. */
export function connectionError(error: Error, { server, database }: Address): StartError {
  const reason = reasonOf(error);
  const options = { cause: error };
  if (reason === WRONG_PASSWORD || NO_PASSWORD.test(error.message))
    return startError('database.login_refused', { server }, options);
  if (reason === NO_DATABASE) return startError('database.missing', { server, database }, options);
  const isNetwork = reason !== error.message && !(error instanceof pg.DatabaseError);
  if (!isNetwork && !NO_ANSWER.test(error.message))
    return startError('database.refused', { server, reason: error.message }, options);
  return startError('database.unreachable', { server, reason }, options);
}
