import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { SystemClock } from '../../platform/base/clock.js';
import { messageOf } from '../../platform/base/error-text.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { clientEnvironment } from '../../platform/config/environment.js';
import { DirectoryInUseError, lockDirectory } from '../../platform/database/single-process-lock.js';
import { CliError } from '../terminal/cli-error.js';
import { commandProcess } from '../terminal/command-process.js';
import { EXIT } from '../terminal/exit-codes.js';
import { printError } from '../terminal/terminal.js';
import { NO_SIGN_INS, SignIns } from './sign-ins.js';

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
