import { compareText } from '../../platform/base/compare-text.js';

/** The file of a skill that every reader opens. */
export const SKILL_FILE = 'SKILL.md';

const REFERENCE = /^references\/[a-z0-9]+(?:-[a-z0-9]+)*\.md$/;
const MARK = /^<file (references\/[a-z0-9-]{1,64}\.md)>\n/gm;

/** True for `references/<name>.md`: one level deep, as readers of skills expect it. */
export function isReference(path: string): boolean {
  return path.length <= 80 && REFERENCE.test(path);
}

/**
 * A skill as one text: its SKILL.md, and behind it each reference file under a line with its path. This text is what a
 * reviewer reads and what the hash of an approval covers. No published file holds an angle bracket (`lintSkill`), so
 * the text can be taken apart in one way only; a skill of one file is that file, byte for byte.
 */
export function bundleOf(skill: string, references: ReadonlyMap<string, string>): string {
  const sorted = [...references].sort(([a], [b]) => compareText(a, b));
  return skill + sorted.map(([path, text]) => `<file ${path}>\n${text}`).join('');
}

/** The files of a skill, path → text, SKILL.md first. */
export function filesOf(artifact: string): Map<string, string> {
  const files = new Map<string, string>();
  let [path, start]: [string, number] = [SKILL_FILE, 0];
  for (const mark of artifact.matchAll(MARK)) {
    files.set(path, artifact.slice(start, mark.index));
    [path, start] = [mark[1] ?? '', mark.index + mark[0].length];
  }
  return files.set(path, artifact.slice(start));
}
