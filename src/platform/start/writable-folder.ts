import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, constants, mkdir, open, rm, stat, statfs } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { reasonOf, type StartError, startError } from './start.errors.js';

const PROBE = '.guildbook-writable-';
/** True for the file that another process writes for a moment to find out the same. */
export const isProbe = (name: string): boolean => name.startsWith(PROBE);
/** More than a file system keeps in a directory or an inode itself. */
const PROBE_BYTES = 64 * 1024;

/**
 * Creates the folder if it is missing and writes a file in it for a moment. Throws StartError, naming the setting, if the
 * folder cannot be written: later the failure would be one of git or of the database, which names neither.
 */
export async function requireWritableFolder(folder: string, setting: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode });
    await probeFolder(folder);
  } catch (error) {
    throw folderError(error, await existingPart(folder), setting);
  }
}

/** Writes a file in the folder for a moment. Throws the error of the system if that fails. */
export async function probeFolder(folder: string): Promise<void> {
  const file = join(folder, `${PROBE}${randomUUID()}`);
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(Buffer.alloc(PROBE_BYTES));
    await handle.sync();
  } finally {
    await handle.close();
    await rm(file, { force: true });
  }
}

/** The part of a skills folder to probe: not among the skills, where a running server would see an unknown file. */
export function probedPartOf(skillsDir: string): string {
  const repository = join(skillsDir, '.git');
  return existsSync(repository) ? repository : skillsDir;
}

/** Throws StartError if one of the files exists and cannot be read and written, as after a start as another user. */
export async function requireOwnFiles(folder: string, files: readonly string[], setting: string): Promise<void> {
  for (const file of files)
    await access(join(folder, file), constants.R_OK | constants.W_OK).catch((error: unknown) => {
      throw folderError(error, folder, setting);
    });
}

/** Throws StartError if the disk of the folder has less than `bytes` left. */
export async function requireSpace(folder: string, bytes: number, setting: string): Promise<void> {
  const { bavail, bfree, bsize } = await statfs(folder);
  const blocks = process.getuid?.() === 0 ? bfree : bavail;
  if (blocks * bsize < bytes) throw startError('folder.full', { folder, setting });
}

/** The error for a failed system call in a folder. */
export function folderError(error: unknown, folder: string, setting: string): StartError {
  const reason = reasonOf(error);
  const options = { cause: error };
  if (reason === 'ENOSPC' || reason === 'EDQUOT') return startError('folder.full', { folder, setting }, options);
  if (reason === 'EROFS') return startError('folder.read_only', { folder, setting }, options);
  return startError('folder.unwritable', { folder, reason, user: userName(), setting }, options);
}

/** The folder itself, or the nearest parent that exists: that one cannot be written. */
async function existingPart(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : existingPart(dirname(folder));
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run a user id that has no name.
    return String(process.getuid?.() ?? '');
  }
}
