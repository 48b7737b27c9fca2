import type { ListedSkill } from './repository-readme.js';

/** One skill of a commit: `<name>/SKILL.md`, and its reference files. */
export interface TreeSkill extends ListedSkill {
  /** Path below its folder → git object, SKILL.md first. */
  readonly files: ReadonlyMap<string, string>;
  /** Of its bytes, as one text (`bundleOf`), hex; undefined when it is too large to be a skill and was not read. */
  readonly sha256: string | undefined;
}

/** A file that is no skill: generated, or committed by somebody. */
export interface TreeFile {
  readonly blob: string;
  /** Its content, where it is what the generator made. */
  readonly text?: string;
  readonly generated: boolean;
}

/** What a commit holds. Never changed in place: a publication that loses its race leaves nothing behind. */
export interface SkillTree {
  /** Sorted by name. */
  readonly skills: readonly TreeSkill[];
  readonly others: ReadonlyMap<string, TreeFile>;
}

/** Gives the files beside the skills, path → text; `skills` are sorted by name. The same skills give the same files. */
export type Generator = (skills: readonly ListedSkill[]) => ReadonlyMap<string, string>;

export const EMPTY_TREE: SkillTree = { skills: [], others: new Map() };

export function skillNamed(tree: SkillTree, name: string): TreeSkill | undefined {
  const skill = tree.skills[skillIndex(tree, name)];
  return skill?.name === name ? skill : undefined;
}

/** The tree with this skill, in place of one of its name and of whatever else was there. */
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

/** The object of a file of the tree, or undefined. */
export function blobAt(tree: SkillTree, path: string): string | undefined {
  const slash = path.indexOf('/');
  return skillNamed(tree, path.slice(0, slash))?.files.get(path.slice(slash + 1)) ?? tree.others.get(path)?.blob;
}

/** The paths of a skill's files; none where there is no such skill. */
export function pathsOfSkill(tree: SkillTree, name: string): string[] {
  return [...(skillNamed(tree, name)?.files.keys() ?? [])].map((file) => `${name}/${file}`);
}

/** Says of each file which the generator makes that it is generated, and which of them are up to date. */
export function markGenerated(tree: SkillTree, generator: Generator, blobOf: (text: string) => string): SkillTree {
  const others = new Map(tree.others);
  for (const [path, text] of generator(tree.skills)) {
    const file = others.get(path);
    if (!file) continue;
    others.set(path, { blob: file.blob, generated: true, ...(file.blob === blobOf(text) ? { text } : {}) });
  }
  return { ...tree, others };
}

export interface Regeneration {
  readonly tree: SkillTree;
  readonly writes: ReadonlyMap<string, string>;
  readonly removes: readonly string[];
}

/** The generated files of these skills, and what has to be written and removed to have them. */
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

/** Where the skill of this name is, or would be. */
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
