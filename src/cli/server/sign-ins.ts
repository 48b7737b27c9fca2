import { z } from 'zod';
import { optional } from '../../platform/base/optional.js';
import { CliError } from '../terminal/cli-error.js';
import { EXIT } from '../terminal/exit-codes.js';
import { oneLine } from '../terminal/terminal.js';
import { serverAddress } from './server-address.js';

/** Without a colon, so that no short name can be an address. */
const SHORT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

/** The sign-in at one server. */
const SignIn = z.object({
  /** As `serverAddress` spells it. */
  server: z.url(),
  /** The short name that its user gave to the server. */
  name: z.string().regex(SHORT_NAME).optional(),
  person: z.string(),
  token: z.string(),
  expiresAt: z.string(),
  /** Gets a new token without an invitation, until `signInExpiresAt`. */
  signInToken: z.string().optional(),
  signInExpiresAt: z.string().optional(),
});
export type SignIn = z.infer<typeof SignIn>;

/** All sign-ins of a user on this machine, at most one for each server. */
export const SignIns = z.object({
  /** The address of the server that commands talk to if nothing else names one. */
  current: z.url().nullable(),
  servers: z.array(SignIn),
});
export type SignIns = z.infer<typeof SignIns>;

export const NO_SIGN_INS: SignIns = { current: null, servers: [] };

export function signInAt({ servers }: SignIns, address: string): SignIn | undefined {
  return servers.find(({ server }) => server === address);
}

/** The address of a server, from its address or its short name. Throws a `CliError` for anything else. */
export function addressOf({ servers }: SignIns, given: string): string {
  const named = servers.find(({ name }) => name === given);
  if (named) return named.server;
  try {
    return serverAddress(given);
  } catch (error) {
    const names = servers.flatMap(({ name }) => (name === undefined ? [] : [name]));
    const known = names.length > 0 && SHORT_NAME.test(given) ? ` Named servers: ${names.join(', ')}.` : '';
    throw new CliError(
      EXIT.usage,
      'server.invalid_address',
      `${oneLine(error instanceof Error ? error.message : given)}${known}`,
    );
  }
}

/** Adds a sign-in, which replaces an earlier one at the same server, and makes its server the current one. */
export function withSignIn({ servers }: SignIns, signIn: SignIn): SignIns {
  const { server } = signIn;
  const name = signIn.name ?? servers.find((one) => one.server === server)?.name;
  const others = servers.filter((one) => one.server !== server).map((one) => withoutName(one, name));
  const added = { ...signIn, ...optional('name', name) };
  return { current: server, servers: [...others, added].sort((a, b) => (a.server < b.server ? -1 : 1)) };
}

function withoutName({ name, ...signIn }: SignIn, taken: string | undefined): SignIn {
  return name === undefined || name === taken ? signIn : { ...signIn, name };
}

/** Without its current server, no server is current: the next command must not reach one that its user did not choose. */
export function withoutServer({ current, servers }: SignIns, address: string): SignIns {
  return { current: current === address ? null : current, servers: servers.filter(({ server }) => server !== address) };
}

/** Checks a new short name of a server. Throws a `CliError` if it is malformed, or the name of another server. */
export function checkShortName({ servers }: SignIns, address: string, name: string): void {
  if (!SHORT_NAME.test(name))
    throw new CliError(
      EXIT.usage,
      'server.bad_name',
      '--name: must be 1 to 40 letters, digits, dots, dashes or underscores, and start with a letter or digit.',
    );
  const other = servers.find((one) => one.name === name && one.server !== address);
  if (other)
    throw new CliError(
      EXIT.usage,
      'server.name_taken',
      `--name: "${name}" is the name of ${other.server}. Choose another one, or forget that server first.`,
    );
}
