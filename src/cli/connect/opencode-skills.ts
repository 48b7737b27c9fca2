import { writeFile } from 'node:fs/promises';
import { messageOf } from '../../platform/base/error-text.js';
import { CliError } from '../terminal/cli-error.js';
import { namesIndex, withIndex, withoutIndex } from './opencode-settings.js';
import { textOf } from './product-files.js';
import { type Folders, SETUPS } from './products.js';
import type { SkillsOutcome } from './skills-outcome.js';
import { type SkillsRecord, writeSkillsRecord } from './skills-record.js';

const LIMIT_MS = 10_000;

const settingsOf = (folders: Folders): string => SETUPS.opencode.files(folders)[0]?.path ?? '';

/** Names the server's index in the settings of OpenCode, which has no command for it and fetches the skills by itself. */
export async function installIndex(
  folders: Folders,
  from: string,
  record: SkillsRecord | undefined,
): Promise<SkillsOutcome> {
  const path = settingsOf(folders);
  const before = (await textOf(path)) ?? '{}\n';
  if (record === undefined && namesIndex(before, from)) return { state: 'kept', from };
  const index = `${from}index.json`;
  try {
    // As OpenCode asks: without a credential.
    const { status } = await fetch(index, { signal: AbortSignal.timeout(LIMIT_MS) });
    if (status === 404) return { state: 'not installed', reason: 'not public' };
    if (status !== 200) return { state: 'failed', from, command: `GET ${index}`, said: `status ${status}` };
  } catch (error) {
    return { state: 'failed', from, command: `GET ${index}`, said: messageOf(error) };
  }
  try {
    const after = withIndex(before, from);
    await writeSkillsRecord(folders, 'opencode', { from, names: [] });
    if (after !== before) await writeFile(path, after);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { state: 'failed', from, command: `edit ${path}`, said: error.message };
  }
  return { state: 'installed', from, ownKept: [] };
}

export const hasIndex = async (folders: Folders, from: string): Promise<boolean> =>
  namesIndex((await textOf(settingsOf(folders))) ?? '{}', from);

export async function removeIndex(folders: Folders, from: string): Promise<void> {
  const path = settingsOf(folders);
  const before = await textOf(path);
  const after = before === undefined ? undefined : withoutIndex(before, from);
  if (after !== undefined && after !== before) await writeFile(path, after);
}
