import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Guildbook } from '../../client/guildbook.js';
import { clientEnvironment } from '../../platform/config/environment.js';
import { commandProcess } from '../terminal/command-process.js';
import { type ConnectionOptions, connect } from './session.js';
import { serverAddress } from './sign-in-file.js';

/** A server that hangs must not keep a process in the background for long. */
const TIMEOUT_MS = 20_000;

/** How one session is reported. */
interface SessionReporter {
  readonly client: Guildbook;
  /** True if the credential is an agent's: the server knows the agent, and no other name is allowed. */
  readonly isAgent: boolean;
}

/** The settings file of a product, as `guildbook connect` writes it for its hooks. */
export const settingsFile = (product: string, { home } = clientEnvironment(commandProcess().env)): string =>
  join(home, 'guildbook', `${product}.conf`);

/**
 * The client of the product's agent, from the product's settings file; without one, of the usual sign-in. A server that
 * the command line names is used with the file's token only if the file names the same server.
 */
export async function sessionReporter(product: string, options: ConnectionOptions): Promise<SessionReporter> {
  const settings = await readSettings(settingsFile(product));
  const isWanted = options.server === undefined || options.server === settings?.server;
  if (settings !== undefined && isWanted)
    return { client: new Guildbook({ ...settings, timeoutMs: TIMEOUT_MS }), isAgent: true };
  const client = await connect(options);
  return { client, isAgent: (await client.me()).principal.kind === 'agent' };
}

/**
 * The settings as `guildbook connect` writes them (`server=…`), or as a person does (`GUILDBOOK_SERVER='…'`). Undefined
 * without a file, and for one that names no server or no token.
 */
export async function readSettings(file: string): Promise<{ server: string; token: string } | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const [server, token] = ['server', 'token'].map(
    (name) => shellValue(text, `GUILDBOOK_${name.toUpperCase()}`) ?? plainValue(text, name),
  );
  return server === undefined || token === undefined ? undefined : { server: serverAddress(server), token };
}

/** The value of `NAME='value'`, in which the shell writes a quotation mark as `'\''`. */
function shellValue(text: string, name: string): string | undefined {
  const prefix = `${name}='`;
  const line = text.split('\n').findLast((one) => one.startsWith(prefix) && one.trimEnd().endsWith("'"));
  const value = line?.trimEnd().slice(prefix.length, -1).replaceAll("'\\''", "'");
  return value === '' ? undefined : value;
}

const plainValue = (text: string, name: string): string | undefined =>
  text
    .split('\n')
    .findLast((line) => line.startsWith(`${name}=`))
    ?.slice(name.length + 1)
    .trim() || undefined;
