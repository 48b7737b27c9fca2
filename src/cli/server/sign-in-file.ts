import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { SystemClock } from '../../platform/base/clock.js';
import { messageOf } from '../../platform/base/error-text.js';
import { optional } from '../../platform/base/optional.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { clientEnvironment } from '../../platform/config/environment.js';
import { DirectoryInUseError, lockDirectory } from '../../platform/database/single-process-lock.js';
import { CliError, EXIT } from '../terminal/cli-error.js';
import { commandProcess } from '../terminal/command-process.js';
import { oneLine, printError } from '../terminal/terminal.js';

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

/** Each try waits up to half a second for other commands, which hold the lock for milliseconds. */
const TRIES = 20;

/** The file with the only sign-in, as versions before the first release wrote it. */
const SingleSignIn = z
  .object({
    server: z.url(),
    token: z.string(),
    expiresAt: z.string(),
    signInToken: z.string().optional(),
    name: z.string(),
  })
  .transform(
    ({ name, ...signIn }): SignIns => ({
      current: signIn.server,
      servers: [{ ...signIn, person: name }],
    }),
  );

/**
 * The file of all sign-ins, which only its user can read. It is replaced as a whole by a rename, so that a reader sees it
 * before or after a change, and changes wait for each other, so that two commands at once lose nothing.
 */
export class SignInFile {
  readonly path: string;
  private readonly earlierPath: string;

  constructor(
    private readonly folder: string,
    private readonly warn: (text: string) => void = printError,
  ) {
    this.path = join(folder, 'sessions.json');
    this.earlierPath = join(folder, 'session.json');
  }

  /** All sign-ins. A file that cannot be understood is set aside with a message, and never overwritten. */
  async read(): Promise<SignIns> {
    const { signIns } = await this.stored();
    return signIns ?? this.inTurn(async () => (await this.readOrSetAside()).signIns);
  }

  /** Stores what `change` makes of the sign-ins. Writes nothing if it throws. */
  change(change: (signIns: SignIns) => SignIns): Promise<SignIns> {
    return this.inTurn(async () => {
      const { path, signIns } = await this.readOrSetAside();
      const changed = change(signIns);
      await this.write(changed);
      if (path !== this.path) await rm(path, { force: true });
      return changed;
    });
  }

  /** The sign-ins and the file that they are in; undefined if the file cannot be understood. */
  private async stored(): Promise<{ path: string; signIns: SignIns | undefined }> {
    const text = await textOf(this.path);
    if (text.trim() !== '') return { path: this.path, signIns: parsed(text, SignIns) };
    const earlier = await textOf(this.earlierPath);
    if (earlier.trim() === '') return { path: this.path, signIns: NO_SIGN_INS };
    return { path: this.earlierPath, signIns: parsed(earlier, SingleSignIn) };
  }

  /** Called in turn, since another command may have set the file aside meanwhile. */
  private async readOrSetAside(): Promise<{ path: string; signIns: SignIns }> {
    const { path, signIns } = await this.stored();
    if (signIns) return { path, signIns };
    const aside = `${path}.unreadable-${new SystemClock().now().toISOString().replaceAll(/[:.]/g, '-')}`;
    await rename(path, aside);
    this.warn(`The file of your sign-ins cannot be read and is now ${aside}. Sign in again with: guildbook login`);
    return { path: this.path, signIns: NO_SIGN_INS };
  }

  private async write(signIns: SignIns): Promise<void> {
    const part = `${this.path}.part`;
    // One that a killed command left behind may have other permissions.
    await rm(part, { force: true });
    const file = await open(part, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(signIns, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, this.path);
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    // Only what exists can be locked. An empty file holds no sign-in.
    await (await open(this.path, 'a', 0o600)).close();
    const release = await this.locked();
    try {
      return await work();
    } finally {
      await release();
    }
  }

  private async locked(): Promise<() => Promise<void>> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await lockDirectory(this.path);
      } catch (error) {
        if (!(error instanceof DirectoryInUseError)) throw error;
        if (tries === TRIES)
          throw new CliError(EXIT.failed, 'sign_ins.busy', `${this.path} is in use by other commands. Try again.`);
      }
    }
  }
}

/** The sign-ins of this user. */
export const signInFile = (): SignInFile =>
  new SignInFile(join(clientEnvironment(commandProcess().env).home, 'guildbook'));

/** Empty without a file. */
async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw new CliError(
      EXIT.failed,
      'sign_ins.unreadable',
      `The file of your sign-ins cannot be read: ${messageOf(error)}`,
    );
  }
}

function parsed<T>(text: string, schema: z.ZodType<T>): T | undefined {
  const read = schema.safeParse(parseJson(text));
  return read.success ? read.data : undefined;
}

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

/** `http://host:port` without a slash at the end, so that a server has one spelling. Throws a `CliError`. */
export function serverAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw invalidAddress(`"${address}" is not a server address. Example: http://127.0.0.1:4747`);
  if (url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw invalidAddress(`A server address has no path, query or user. Use ${url.origin}`);
  return url.origin;
}

const invalidAddress = (message: string): CliError => new CliError(EXIT.usage, 'server.invalid_address', message);
