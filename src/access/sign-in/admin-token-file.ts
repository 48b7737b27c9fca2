import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A token in a file that has not its final name yet. */
export interface TokenDraft {
  /** Gives the file its name, in place of an older one. */
  keep(): Promise<void>;
  /** Removes the file unless it was kept. */
  discard(): Promise<void>;
}

/**
 * Writes the token into a file that only this user can read, before the token works: a token that is issued and then
 * cannot be written would be lost. `suffix` keeps processes apart that start at once.
 */
export async function draftTokenFile(file: string, token: string, suffix: string): Promise<TokenDraft> {
  const draft = `${file}.${suffix}`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(draft, `${token}\n`, { mode: 0o600, flag: 'wx' });
  return { keep: () => rename(draft, file), discard: () => rm(draft, { force: true }) };
}

/** The token in the file; undefined if there is no such file or it cannot be read. */
export async function readTokenFile(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Removes a file whose token is of no use any more. */
export async function removeTokenFile(file: string): Promise<void> {
  // Left behind in a folder that cannot be written, it signs no one in.
  await rm(file, { force: true }).catch(() => undefined);
}
