import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { Ids } from '../../platform/base/ids.js';
import type { Config } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { reasonOf, startError } from '../../platform/start/start.errors.js';
import { FirstAdministrator } from '../identity/first-administrator.service.js';

/** How an administrator signs in after this start. */
export interface AdministratorAccess {
  readonly state: 'signed_in' | 'issued' | 'invited' | 'spent';
  /** Undefined if this process does not know it, and for the token of the setting. Never logged. */
  readonly token?: string;
  /** The file with the token. */
  readonly file?: string;
  readonly expiresAt?: Date;
  /** The token is the one of GUILDBOOK_ADMIN_TOKEN. */
  readonly given: boolean;
}

/** Gives the first administrator a way to sign in without a token in a log. */
@Injectable()
export class FirstStart {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly ids: Ids,
    private readonly administrator: FirstAdministrator,
  ) {}

  /** Beside the data, as the journal's key is. */
  get tokenFile(): string {
    return join(dirname(this.config.dataDir), 'admin-token');
  }

  /** Issues a one-time token if no administrator can sign in. Throws if its file cannot be written. */
  async run(): Promise<AdministratorAccess> {
    const { adminToken } = this.config;
    const known = await this.administrator.look();
    if (known?.state === 'signed_in') {
      await removeTokenFile(this.tokenFile);
      return { state: 'signed_in', given: false };
    }
    if (adminToken === undefined) return known === undefined ? this.issue() : this.earlier(known);
    const result = await this.administrator.ensure(adminToken, { given: true });
    return { ...stateOf(result), given: true };
  }

  private async issue(): Promise<AdministratorAccess> {
    const token = this.administrator.newToken();
    const file = this.tokenFile;
    const draft = await draftTokenFile(file, token, this.ids.uuid()).catch((error: unknown) => {
      throw startError('token.unwritable', { folder: dirname(file), reason: reasonOf(error) }, { cause: error });
    });
    try {
      const result = await this.administrator.ensure(token);
      if (result.state !== 'issued') return await this.earlier(result);
      await draft.keep();
      return { state: 'issued', token, file, expiresAt: result.expiresAt, given: false };
    } finally {
      await draft.discard();
    }
  }

  /** Another start issued the token: an earlier one, or another process at this moment. */
  private async earlier(result: { readonly state: AdministratorAccess['state']; readonly expiresAt?: Date }) {
    const token = await readTokenFile(this.tokenFile);
    const isKnown = token !== undefined && (await this.administrator.isOpen(token));
    return { ...stateOf(result), given: false, ...(isKnown ? { token, file: this.tokenFile } : {}) };
  }
}

const stateOf = ({
  state,
  expiresAt,
}: {
  readonly state: AdministratorAccess['state'];
  readonly expiresAt?: Date;
}) => ({
  state,
  ...(expiresAt === undefined ? {} : { expiresAt }),
});

/** A token in a file that has not its final name yet. */
interface TokenDraft {
  /** Gives the file its name, in place of an older one. */
  keep(): Promise<void>;
  /** Removes the file unless it was kept. */
  discard(): Promise<void>;
}

/**
 * Writes the token into a file that only this user can read, before the token works: a token that is issued and then
 * cannot be written would be lost. `suffix` keeps processes apart that start at once.
 */
async function draftTokenFile(file: string, token: string, suffix: string): Promise<TokenDraft> {
  const draft = `${file}.${suffix}`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(draft, `${token}\n`, { mode: 0o600, flag: 'wx' });
  return { keep: () => rename(draft, file), discard: () => rm(draft, { force: true }) };
}

/** The token in the file; undefined if there is no such file or it cannot be read. */
async function readTokenFile(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Removes a file whose token is of no use any more. */
async function removeTokenFile(file: string): Promise<void> {
  // Left behind in a folder that cannot be written, it signs no one in.
  await rm(file, { force: true }).catch(() => undefined);
}
