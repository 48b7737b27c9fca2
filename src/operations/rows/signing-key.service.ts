import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../../platform/config/config.js';
import { JournalKeys } from './journal-keys.js';
import { OperationError } from './operation.errors.js';

export type KeySettings = Pick<Config, 'journalKey' | 'journalKeyFile' | 'dataDir' | 'journalTrustedKeys'>;

export interface SigningKey {
  readonly pem: string;
  readonly keys: JournalKeys;
}

/** The file in which a server with these settings keeps its signing key. */
const signingKeyFile = ({ journalKeyFile, dataDir }: KeySettings): string =>
  journalKeyFile ?? join(dirname(dataDir), 'journal-key.pem');

/** Reads the key of this server. Throws `OperationError` if there is none. */
export async function readSigningKey(settings: KeySettings): Promise<SigningKey> {
  const file = signingKeyPlace(settings);
  const pem = await ownKey(settings);
  const keys = pem === undefined ? undefined : JournalKeys.read(pem, settings.journalTrustedKeys);
  if (pem !== undefined && keys !== undefined) return { pem, keys };
  const what = pem === undefined ? `The signing key ${file} is missing` : `${file} holds no Ed25519 private key`;
  const message = `${what}. Set GUILDBOOK_JOURNAL_KEY_FILE to the file with the key of this journal, then try again.`;
  throw new OperationError('backup.no_key', message);
}

/** Throws `OperationError` if this machine has another signing key than the one of the backup. */
export async function requireSameKeyOrNone(settings: KeySettings, pem: string): Promise<void> {
  const own = await ownKey(settings);
  if (own === undefined || lettersOf(own) === lettersOf(pem)) return;
  const wayOut =
    settings.journalKey === undefined
      ? 'Move it away, or set GUILDBOOK_JOURNAL_KEY_FILE to another file.'
      : 'Set it to the key of the backup, or leave it out.';
  const message = `${signingKeyPlace(settings)} is another signing key than that of the backup. ${wayOut}`;
  throw new OperationError('restore.other_key', message);
}

/**
 * Puts the key where a server with these settings reads it. A file that is there already stays as it is, and a key that
 * is given by a variable needs none.
 */
export async function placeSigningKey(settings: KeySettings, pem: string): Promise<void> {
  if (settings.journalKey !== undefined) return;
  const file = signingKeyFile(settings);
  const own = `${file}.restoring`;
  await mkdir(dirname(file), { recursive: true });
  await rm(own, { force: true });
  await writeFile(own, pem, { mode: 0o600, flag: 'wx' });
  await chmod(own, 0o600);
  try {
    await link(own, file);
  } catch (error) {
    // Every error of node:fs has this type.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(own);
  }
}

const ownKey = async (settings: KeySettings): Promise<string | undefined> =>
  settings.journalKey ?? (await readIfExists(signingKeyFile(settings)));

/** Where a server with these settings has its key: a file or the variable. */
export const signingKeyPlace = (settings: KeySettings): string =>
  settings.journalKey === undefined ? signingKeyFile(settings) : 'GUILDBOOK_JOURNAL_KEY';

/** A PEM without its line breaks, which two files of one key may have in other places. */
const lettersOf = (pem: string): string => pem.replace(/\s/g, '');

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    // Every error of node:fs has this type.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
