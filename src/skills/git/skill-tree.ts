import type { ListedSkill } from '../document/repository-files.js';

/** One skill of a commit: `<name>/SKILL.md` and its reference files. */
export interface TreeSkill extends ListedSkill {
  /** Path in its folder → git object, SKILL.md first. */
  readonly files: ReadonlyMap<string, string>;
  /** SHA-256 of its text (`bundleOf`), hex; undefined if it was too large, or cannot be read. */
  readonly sha256: string | undefined;
  /** Those of its files whose object is missing or damaged. */
  readonly unreadable?: readonly string[];
}

/** A file outside skills: generated, or committed by others. The path of an unreadable folder ends in a slash. */
export interface TreeFile {
  readonly blob: string;
  /** A link, a submodule, a folder, or a path that no file may have. It is never written to the skills folder. */
  readonly foreign?: boolean;
  /** The object of a folder is missing or damaged. */
  readonly unreadable?: boolean;
  /** Its content, if it is the generated one. */
  readonly text?: string;
  readonly generated: boolean;
}

/** The content of a commit. Immutable: a publication that loses its race leaves nothing behind. */
export interface SkillTree {
  /** Sorted by name. */
  readonly skills: readonly TreeSkill[];
  readonly others: ReadonlyMap<string, TreeFile>;
}

/**
 * Returns the files beside the skills, path → text. `skills` are sorted by name. The same skills give the same files.
 */
export type Generator = (skills: readonly ListedSkill[]) => ReadonlyMap<string, string>;

export const EMPTY_TREE: SkillTree = { skills: [], others: new Map() };

export function skillNamed(tree: SkillTree, name: string): TreeSkill | undefined {
  const skill = tree.skills[skillIndex(tree, name)];
  return skill?.name === name ? skill : undefined;
}

/** Adds a skill; replaces a skill or other files of its name. */
export function withSkill(tree: SkillTree, skill: TreeSkill): SkillTree {
  const at = skillIndex(tree, skill.name);
  const replaced = tree.skills[at]?.name === skill.name ? 1 : 0;
  const paths = [...skill.files.keys()].map((file) => `${skill.name}/${file}`);
  return {
    skills: tree.skills.toSpliced(at, replaced, skill),
    others: withoutPaths(tree.others, skill.name, ...paths),
  };
}

export function withoutSkill(tree: SkillTree, name: string): SkillTree {
  const at = skillIndex(tree, name);
  const skills = tree.skills[at]?.name === name ? tree.skills.toSpliced(at, 1) : tree.skills;
  return { skills, others: withoutPaths(tree.others, `${name}/SKILL.md`) };
}

/** The object of a file, or undefined. */
export function blobAt(tree: SkillTree, path: string): string | undefined {
  const slash = path.indexOf('/');
  return skillNamed(tree, path.slice(0, slash))?.files.get(path.slice(slash + 1)) ?? tree.others.get(path)?.blob;
}

/** The paths of a skill's files; empty if there is no such skill. */
export function pathsOfSkill(tree: SkillTree, name: string): string[] {
  return [...(skillNamed(tree, name)?.files.keys() ?? [])].map((file) => `${name}/${file}`);
}

/** True if the tree holds something below this path, with or without a slash at its end. */
export function hasFolder({ skills, others }: SkillTree, path: string): boolean {
  const folder = path.endsWith('/') ? path : `${path}/`;
  const isBelow = (file: string) => file.startsWith(folder);
  return (
    [...others.keys()].some(isBelow) ||
    skills.some(({ name, files }) => [...files.keys()].some((file) => isBelow(`${name}/${file}`)))
  );
}

/** Marks the files that the generator writes, and those of them that are up to date. */
export function markGenerated(tree: SkillTree, generator: Generator, blobOf: (text: string) => string): SkillTree {
  const others = new Map(tree.others);
  for (const [path, text] of generator(tree.skills)) {
    const file = others.get(path);
    if (!file || file.foreign === true) continue;
    others.set(path, { blob: file.blob, generated: true, ...(file.blob === blobOf(text) ? { text } : {}) });
  }
  return { ...tree, others };
}

interface Regeneration {
  readonly tree: SkillTree;
  readonly writes: ReadonlyMap<string, string>;
  readonly removes: readonly string[];
}

/** The generated files of these skills, and the writes and removals needed to get them. */
export function regenerate(tree: SkillTree, generator: Generator, blobOf: (text: string) => string): Regeneration {
  const files = generator(tree.skills);
  const writes = new Map([...files].filter(([path, text]) => tree.others.get(path)?.text !== text));
  const removes = [...tree.others].filter(([path, file]) => file.generated && !files.has(path)).map(([path]) => path);
  if (writes.size === 0 && removes.length === 0) return { tree, writes, removes };
  const others = new Map(tree.others);
  for (const path of removes) others.delete(path);
  for (const [path, text] of writes) others.set(path, { blob: blobOf(text), text, generated: true });
  return { tree: { ...tree, others }, writes, removes };
}

function withoutPaths(others: SkillTree['others'], ...paths: readonly string[]): SkillTree['others'] {
  return paths.some((path) => others.has(path))
    ? new Map([...others].filter(([path]) => !paths.includes(path)))
    : others;
}

/** The index of the skill with this name, or the index at which it would be inserted. */
function skillIndex({ skills }: SkillTree, name: string): number {
  let low = 0;
  let high = skills.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((skills[middle]?.name ?? '') < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
