import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { Guildbook } from '../../client/guildbook.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { clientEnvironment } from '../../platform/config/environment.js';
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

/** The last sign-in on this machine, if any. */
export async function readSession(): Promise<Session | undefined> {
  const text = await readFile(file(), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // A damaged file is none: signing in again writes a new one.
  const parsed = Session.safeParse(parseJson(text));
  return parsed.success ? parsed.data : undefined;
}

/** The server that the option, GUILDBOOK_SERVER or the sign-in names, spelt in one way. */
export function serverOf(options: ConnectionOptions, session: Session | undefined): string {
  return serverAddress(options.server ?? clientEnvironment().server ?? session?.server ?? DEFAULT_SERVER);
}

/** Keeps a sign-in, readable by this user only. */
export async function writeSession(session: Session): Promise<void> {
  await mkdir(dirname(file()), { recursive: true, mode: 0o700 });
  await writeFile(file(), `${JSON.stringify(session, null, 2)}\n`, { mode: 0o600 });
  await chmod(file(), 0o600);
}

export async function forgetSession(): Promise<void> {
  await rm(file(), { force: true });
}

export interface ConnectionOptions {
  server?: string;
  json?: boolean;
}

/** A client for the server that `serverOf` names, with its credential. */
export async function connect(options: ConnectionOptions): Promise<Guildbook> {
  const session = await readSession();
  const server = serverOf(options, session);
  const token = clientEnvironment().token ?? (session?.server === server ? session.token : undefined);
  if (token === undefined)
    throw new Error(
      `You are not signed in at ${server}. Sign in with: guildbook login --server ${server} --token <one-time token>\n(or set GUILDBOOK_TOKEN for an agent or service)`,
    );
  return new Guildbook({ server, token });
}

/** The address that signs a browser in, by its button, with a one-time token. */
export async function signInLink(options: ConnectionOptions, token: string): Promise<string> {
  return `${serverOf(options, await readSession())}/sign-in?token=${token}`;
}
