import { compareText } from '../../platform/base/compare-text.js';

/** The main file of a skill. */
export const SKILL_FILE = 'SKILL.md';

const REFERENCE = /^references\/[a-z0-9]+(?:-[a-z0-9]+)*\.md$/;
const MARK = /^<file (references\/[a-z0-9-]{1,64}\.md)>\n/gm;

/** True for `references/<name>.md`: readers of skills expect one level only. */
export function isReference(path: string): boolean {
  return path.length <= 80 && REFERENCE.test(path);
}

/**
 * Joins a skill into one text: its SKILL.md, then each reference file after a line with its path. A reviewer reads this
 * text, and the hash of an approval covers it. No published file contains such a line: an angle bracket before a path is
 * refused (`lintSkill`), so the text splits in exactly one way. A skill with one file equals that file, byte for byte.
 */
export function bundleOf(skill: string, references: ReadonlyMap<string, string>): string {
  const sorted = [...references].sort(([a], [b]) => compareText(a, b));
  return skill + sorted.map(([path, text]) => `<file ${path}>\n${text}`).join('');
}

/** Splits the text into files, path → text, SKILL.md first. */
export function filesOf(artifact: string): Map<string, string> {
  const files = new Map<string, string>();
  let [path, start]: [string, number] = [SKILL_FILE, 0];
  for (const mark of artifact.matchAll(MARK)) {
    files.set(path, artifact.slice(start, mark.index));
    [path, start] = [mark[1] ?? '', mark.index + mark[0].length];
  }
  return files.set(path, artifact.slice(start));
}
