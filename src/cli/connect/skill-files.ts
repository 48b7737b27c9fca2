import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { SkillName } from '../../skills/document/skill-name.schema.js';

/** A skill has about 20 KB; its reference files may be as many again. */
export const MAX_SKILL_BYTES = 500_000;
/**
 * Characters of the names and descriptions of all skills, which stand in each request to a model. Claude Code gives them
 * 1 % of the context window, which is about as much, and Codex 8,000 characters; beyond it they drop descriptions.
 */
export const MAX_LISTED_CHARACTERS = 8_000;

export const SKILL_FILE = 'SKILL.md';

/** True for the paths that a published skill has. Nothing else is written or deleted. */
export const isSkillFile = (path: string): boolean =>
  path.length <= 80 && /^(?:SKILL\.md|references\/[a-z0-9]+(?:-[a-z0-9]+)*\.md)$/.test(path);

const Entry = z.object({
  name: SkillName,
  type: z.enum(['skill-md', 'archive']),
  description: z.string().min(1).max(1_024),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
});
/** A skill in the index of the server. The address of its files follows from name and type, not from what it says. */
export type IndexEntry = z.infer<typeof Entry>;
export const SkillIndex = z.object({ skills: z.array(Entry).max(2_000) });

/** The skills whose names and descriptions fit, in the order of the index, and the names of the others. */
export function withinBudget(entries: readonly IndexEntry[]): { fit: IndexEntry[]; leftOut: string[] } {
  const [fit, leftOut]: [IndexEntry[], string[]] = [[], []];
  let room = MAX_LISTED_CHARACTERS;
  for (const entry of entries) {
    const size = entry.name.length + entry.description.length;
    if (size <= room) fit.push(entry);
    else leftOut.push(entry.name);
    if (size <= room) room -= size;
  }
  return { fit, leftOut };
}

const BLOCK = 512;
const PLAIN_FILE = '0';

/** The files in a `.tar.gz` of the server, by path. Throws an `Error` for anything but the files of one skill. */
export function filesInArchive(archive: Uint8Array): Map<string, Buffer> {
  const tar = gunzipSync(archive, { maxOutputLength: MAX_SKILL_BYTES });
  const field = (from: number, length: number): string =>
    tar.toString('latin1', from, from + length).replace(/\0.*$/s, '');
  const files = new Map<string, Buffer>();
  for (let at = 0; at < tar.length && tar[at] !== 0; ) {
    const [path, size, start] = [field(at, 100), Number.parseInt(field(at + 124, 12), 8), at + BLOCK];
    const isFile = field(at + 156, 1) === PLAIN_FILE && isSkillFile(path) && !files.has(path);
    if (!isFile || !(size >= 0) || start + size > tar.length)
      throw new Error('its archive holds something other than a SKILL.md and reference files');
    files.set(path, tar.subarray(start, start + size));
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  if (!files.has(SKILL_FILE)) throw new Error('its archive holds no SKILL.md');
  return files;
}
