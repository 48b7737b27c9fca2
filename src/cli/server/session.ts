import { Guildbook } from '../../client/guildbook.js';
import { clientEnvironment } from '../../platform/config/environment.js';
import { CliError, EXIT } from '../terminal/cli-error.js';
import { commandProcess } from '../terminal/command-process.js';
import { type OutputOptions, print, printJson, table } from '../terminal/terminal.js';
import { addressOf, type SignIns, signInAt, signInFile } from './sign-in-file.js';

export const DEFAULT_SERVER = 'http://127.0.0.1:4747';

export interface ConnectionOptions extends OutputOptions {
  server?: string;
}

/** The variables that name a server and a token instead of a sign-in. */
interface Variables {
  readonly server?: string;
  readonly token?: string;
}

/** The address of the server that the option, GUILDBOOK_SERVER or the current sign-in names, in this order. */
export function serverOf(
  options: ConnectionOptions,
  signIns: SignIns,
  { server }: Variables = clientEnvironment(commandProcess().env),
): string {
  const given = options.server ?? server;
  return given === undefined ? (signIns.current ?? DEFAULT_SERVER) : addressOf(signIns, given);
}

/**
 * The token for a server: GUILDBOOK_TOKEN if that server issued it, or the token of the sign-in there. Undefined without
 * one, since no server may see the token of another.
 */
export function tokenFor(
  server: string,
  signIns: SignIns,
  variables: Variables = clientEnvironment(commandProcess().env),
): string | undefined {
  const { token } = variables;
  if (token !== undefined && issuerOf(variables, signIns, server) === server) return token;
  return signInAt(signIns, server)?.token;
}

/** The server that issued GUILDBOOK_TOKEN. */
function issuerOf({ server }: Variables, signIns: SignIns, chosen: string): string {
  if (server !== undefined) return addressOf(signIns, server);
  const [only, ...others] = signIns.servers;
  if (others.length > 0)
    throw new CliError(
      EXIT.usage,
      'server.needed',
      'GUILDBOOK_TOKEN is set, and you are signed in to several servers. Set GUILDBOOK_SERVER to the server that issued the token.',
    );
  return only?.server ?? chosen;
}

/** A client for the server that `serverOf` names, with the credential for it. Throws a `CliError` without one. */
export async function connect(options: ConnectionOptions): Promise<Guildbook> {
  const signIns = await signInFile().read();
  const server = serverOf(options, signIns);
  const token = tokenFor(server, signIns);
  if (token === undefined) throw notSignedIn(server, signIns);
  return new Guildbook({ server, token });
}

function notSignedIn(server: string, { servers }: SignIns): CliError {
  const known = servers.map(({ name, server: address }) => name ?? address);
  return new CliError(
    EXIT.notPermitted,
    'server.not_signed_in',
    [
      `You are not signed in to ${server}. Sign in with: guildbook login --server ${server} --token <one-time token>`,
      ...(known.length > 0
        ? [`You are signed in to ${known.join(', ')}. Choose with: guildbook servers use <server>`]
        : []),
      'For an agent or service, set GUILDBOOK_SERVER and GUILDBOOK_TOKEN.',
    ].join('\n'),
  );
}

/** The URL of the page that signs in a browser with a one-time token. */
export async function signInLink(options: ConnectionOptions, token: string): Promise<string> {
  return `${serverOf(options, await signInFile().read())}/sign-in?token=${token}`;
}

/** Asks the server that the options name, and prints its answer: as JSON if they say so, or else as `show` does. */
export async function answer<T>(
  options: ConnectionOptions,
  ask: (client: Guildbook) => Promise<T>,
  show: (found: T) => void | Promise<void>,
): Promise<void> {
  const found = await ask(await connect(options));
  if (options.json) return printJson(found);
  await show(found);
}

/** Prints what the server lists: the items as JSON, or else as a table, or as the text `none` if there are none. */
export const printList = <T>(
  options: ConnectionOptions,
  ask: (client: Guildbook) => Promise<{ readonly items: readonly T[] }>,
  head: readonly string[],
  row: (item: T) => readonly (string | number)[],
  none?: string,
): Promise<void> =>
  answer(
    options,
    async (client) => (await ask(client)).items,
    (items) => print(items.length === 0 && none !== undefined ? none : table(head, items.map(row))),
  );
