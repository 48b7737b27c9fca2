import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { Guildbook } from '../../client/guildbook.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { clientEnvironment } from '../../platform/config/environment.js';
import { CliError } from '../terminal/cli-error.js';
import { EXIT } from '../terminal/exit-codes.js';
import type { OutputOptions } from '../terminal/terminal.js';
import { serverAddress } from './server-address.js';

export const DEFAULT_SERVER = 'http://127.0.0.1:4747';

const Session = z.object({
  server: z.url(),
  token: z.string(),
  expiresAt: z.string(),
  signInToken: z.string().optional(),
  name: z.string(),
});
export type Session = z.infer<typeof Session>;

const file = (): string => join(clientEnvironment().home, 'guildbook', 'session.json');

/** The last sign-in on this machine; undefined without one. */
export async function readSession(): Promise<Session | undefined> {
  const text = await readFile(file(), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // Ignore a damaged file: the next sign-in replaces it.
  const parsed = Session.safeParse(parseJson(text));
  return parsed.success ? parsed.data : undefined;
}

/** The normalised address from the option, GUILDBOOK_SERVER or the last sign-in, in this order. */
export function serverOf(options: ConnectionOptions, session: Session | undefined): string {
  return serverAddress(options.server ?? clientEnvironment().server ?? session?.server ?? DEFAULT_SERVER);
}

/** Stores a sign-in. Only this user can read the file. */
export async function writeSession(session: Session): Promise<void> {
  await mkdir(dirname(file()), { recursive: true, mode: 0o700 });
  await writeFile(file(), `${JSON.stringify(session, null, 2)}\n`, { mode: 0o600 });
  await chmod(file(), 0o600);
}

export async function forgetSession(): Promise<void> {
  await rm(file(), { force: true });
}

export interface ConnectionOptions extends OutputOptions {
  server?: string;
}

/** A client for the server that `serverOf` names, with the stored credential. Throws without one. */
export async function connect(options: ConnectionOptions): Promise<Guildbook> {
  const session = await readSession();
  const server = serverOf(options, session);
  const token = clientEnvironment().token ?? (session?.server === server ? session.token : undefined);
  if (token === undefined)
    throw new CliError(
      EXIT.notPermitted,
      'server.not_signed_in',
      `You are not signed in to ${server}.`,
      `Sign in with: guildbook login --server ${server} --token <one-time token>\nFor an agent or service, set GUILDBOOK_TOKEN.`,
    );
  return new Guildbook({ server, token });
}

/** The URL of the page that signs in a browser with a one-time token. */
export async function signInLink(options: ConnectionOptions, token: string): Promise<string> {
  return `${serverOf(options, await readSession())}/sign-in?token=${token}`;
}
