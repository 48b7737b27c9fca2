import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parseJson } from '../../capture/importers/import-tally.js';
import { compareText } from '../../platform/base/compare-text.js';

/**
 * OpenCode kept a session in many files until 1.1, and keeps it in a database since: `storage/session/<project>/<session>.json`,
 * `storage/message/<session>/<message>.json` and `storage/part/<message>/<part>.json`. The ids sort by time.
 */
const SESSION = /[\\/]session[\\/][^\\/]{1,200}[\\/]ses_\w{1,100}\.json$/;
const OTHER_FILE =
  /[\\/](?:message[\\/]ses_\w{1,100}[\\/]msg_\w{1,100}|part[\\/]msg_\w{1,100}[\\/]prt_\w{1,100}|(?:session_diff|session_share|todo)[\\/]ses_\w{1,100}|storage[\\/]project[\\/]\w{1,100})\.json$/;
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_FILES = 200_000;

/** Whether the file is a part of a stored session, which is read with it. */
export const isStoredPart = (file: string): boolean => OTHER_FILE.test(file);

/** Whether the file begins a stored session of OpenCode. */
export const isStoredSession = (file: string): boolean => SESSION.test(file);

/**
 * The stored session as one document, as `opencode export` prints it. A file that is no JSON stands in it as null, so that
 * the importer counts it. Throws what reading a file throws, and a `RangeError` for a session that is too large.
 */
export async function readStoredSession(file: string): Promise<{ text: string; modifiedAt: string }> {
  const storage = resolve(dirname(file), '..', '..');
  const session = basename(file, '.json');
  const budget = { bytes: MAX_BYTES, files: MAX_FILES };
  const info = await jsonOf(file, budget);
  const messages: { info: unknown; parts: unknown[] }[] = [];
  for (const message of await jsonFilesIn(join(storage, 'message', session))) {
    const parts: unknown[] = [];
    for (const part of await jsonFilesIn(join(storage, 'part', basename(message, '.json'))))
      parts.push(await jsonOf(part, budget));
    messages.push({ info: await jsonOf(message, budget), parts });
  }
  const { mtime } = await stat(file);
  return { text: JSON.stringify({ info, messages }), modifiedAt: mtime.toISOString() };
}

async function jsonFilesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  return names
    .filter((name) => name.endsWith('.json'))
    .sort(compareText)
    .map((name) => join(folder, name));
}

async function jsonOf(file: string, budget: { bytes: number; files: number }): Promise<unknown> {
  budget.bytes -= (await stat(file)).size;
  budget.files -= 1;
  if (budget.bytes < 0 || budget.files < 0) throw new RangeError('the session is too large');
  return parseJson(await readFile(file, 'utf8')) ?? null;
}
