import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeEmptyFolders } from './product-files.js';
import { type Folders, SETUPS } from './products.js';
import { failureOf } from './run-program.js';
import type { SkillsOutcome, SkillsTarget } from './skills-outcome.js';
import { isFolderOfSkill, removeSkillsRecord, type SkillsRecord, writeSkillsRecord } from './skills-record.js';
import { geminiSkills } from './skills-setup.js';

/**
 * Lets Gemini CLI copy the skills from a clone. It could clone by itself, but then leaves out the person's git settings
 * and credentials, so that it has no access to a private remote over https:. A skill of the person is not overwritten.
 */
export async function installCopies(
  { folders, program = '' }: SkillsTarget,
  from: string,
  record: SkillsRecord | undefined,
): Promise<SkillsOutcome> {
  const clone = await mkdtemp(join(tmpdir(), 'guildbook-skills-'));
  try {
    const failed = (command: string, said: string): SkillsOutcome => ({ state: 'failed', from, command, said });
    const said = await failureOf('git', ['clone', '--quiet', '--depth', '1', '--', from, clone], folders);
    if (said !== undefined) return failed(`git clone ${from}`, said);
    const earlier = record?.names ?? [];
    const published = await skillsIn(clone);
    const present = new Set(await skillsIn(geminiSkills(folders)));
    const ownKept = published.filter((name) => present.has(name) && !earlier.includes(name));
    const names = published.filter((name) => !ownKept.includes(name));
    if (published.length === 0) return { state: 'not installed', reason: 'nothing published' };
    if (names.length === 0 && record === undefined) return { state: 'kept', from };
    for (const name of ownKept) await rm(join(clone, name), { recursive: true });
    await writeSkillsRecord(folders, 'gemini', { from, names: [...new Set([...earlier, ...names])] });
    const args = ['skills', 'install', clone, '--consent'];
    const refused = names.length === 0 ? undefined : await failureOf(program, args, folders);
    if (refused !== undefined) {
      if (record === undefined) await removeCopies(folders, names);
      if (record === undefined) await removeSkillsRecord(folders, 'gemini');
      return failed([SETUPS.gemini.program, ...args].join(' '), refused);
    }
    await removeCopies(
      folders,
      earlier.filter((name) => !names.includes(name)),
    );
    await writeSkillsRecord(folders, 'gemini', { from, names });
    return { state: 'installed', from, ownKept };
  } finally {
    await rm(clone, { recursive: true, force: true });
  }
}

export const hasCopies = (folders: Folders, names: readonly string[]): boolean =>
  names.every((name) => existsSync(join(geminiSkills(folders), name)));

/** Its own command would be started once for each skill, which takes seconds. */
export async function removeCopies(folders: Folders, names: readonly string[]): Promise<void> {
  const folder = geminiSkills(folders);
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true });
  await removeEmptyFolders(folder, folder);
}

/** The skills at the root of a folder. Links are none: they could lead anywhere. */
async function skillsIn(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && isFolderOfSkill(entry.name))
    .map(({ name }) => name)
    .filter((name) => existsSync(join(folder, name, 'SKILL.md')))
    .sort();
}
