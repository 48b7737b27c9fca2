import { createHash } from 'node:crypto';
import { compareText } from '../../platform/base/compare-text.js';
import { sumBy } from '../../platform/base/sum.js';
import { isReference, SKILL_FILE } from '../document/bundle.js';
import { isStrangePath } from '../document/repository-files.js';
import { isSkillName } from '../document/slug.js';
import { readFrontmatter } from '../document/validate.js';
import { APPROVAL_TRAILER } from './commit-message.js';
import type { GitCommand } from './git-command.repository.js';
import { blobId } from './git-object.js';
import { PLAIN_FILE } from './git-tree.js';
import { MainTrees } from './main-trees.repository.js';
import {
  EMPTY_TREE,
  type Generator,
  markGenerated,
  type SkillTree,
  type TreeFile,
  type TreeSkill,
} from './skill-tree.js';

const SKILL_PATH = /^([^/]+)\/SKILL\.md$/;
const CHANGE = /^:\d{6} (\d{6}) [0-9a-f]+ ([0-9a-f]+) [A-Z]$/;
// The folders of skills, of their references, and those of generated files.
const READ_FOLDER = /^(?:[^/]+\/(?:references\/)?|\.github\/plugin\/)$/;
const MAX_SKILL_BYTES = 1024 * 1024;
const READ_AT_ONCE = 16 * 1024 * 1024;

/** An entry of a commit that differs from the one before; its mode is 000000 if there is none. */
interface TreeChange {
  readonly path: string;
  readonly mode: string;
  readonly blob: string;
  readonly unreadable: boolean;
}

/** The content of main at one commit; `head` is undefined if there is none. */
export interface MainState {
  readonly head: string | undefined;
  readonly tree: SkillTree;
  /** Proposal id → the commit on main that carries it out. Entries are added as main moves. */
  readonly commits: Map<string, string>;
}

/** The skill name of a path `<name>/SKILL.md`, if it is valid. */
export function skillNameOf(path: string): string | undefined {
  const name = SKILL_PATH.exec(path)?.[1];
  return name !== undefined && isSkillName(name) ? name : undefined;
}

/** The skill and the file of a path `<name>/SKILL.md` or `<name>/references/<file>.md`. */
export function skillFileOf(path: string): { name: string; file: string } | undefined {
  const slash = path.indexOf('/');
  const [name, file] = [path.slice(0, slash), path.slice(slash + 1)];
  return slash > 0 && isSkillName(name) && (file === SKILL_FILE || isReference(file)) ? { name, file } : undefined;
}

/** Makes a tree entry of a skill; `bytes` are its files. */
export function treeSkill(
  name: string,
  files: ReadonlyMap<string, string>,
  bytes: ReadonlyMap<string, Buffer>,
): TreeSkill {
  const skill = bytes.get(SKILL_FILE) ?? Buffer.alloc(0);
  const { entries } = readFrontmatter(skill.toString('utf8'));
  const description = entries.find(({ group, key }) => group === 'top' && key === 'description')?.value ?? '';
  const hash = createHash('sha256').update(skill);
  // Hashes the bytes of `bundleOf`; the files may have any encoding.
  for (const [path, text] of bytes) if (path !== SKILL_FILE) hash.update(`<file ${path}>\n`).update(text);
  return { name, description, files, sha256: hash.digest('hex') };
}

/**
 * Caches main and follows it: after a commit of this process nothing is read, after commits of others only their
 * changes. Reading a tree of 10,000 skills and its log would cost more than the publication. The state belongs to a
 * commit id, so it cannot be stale.
 */
export class MainHistory {
  #known: MainState | undefined;

  constructor(
    private readonly git: GitCommand,
    private readonly generator: Generator | undefined,
  ) {}

  async at(head: string | undefined): Promise<MainState> {
    if (this.#known && this.#known.head === head) return this.#known;
    const state = head === undefined ? { head, tree: EMPTY_TREE, commits: new Map() } : await this.#read(head);
    this.#known = state;
    return state;
  }

  /** Advances the state by commits of this process. */
  advance(state: MainState, head: string, tree: SkillTree, commits: ReadonlyMap<string, string>): MainState {
    for (const [approval, commit] of commits) state.commits.set(approval, commit);
    this.#known = { head, tree, commits: state.commits };
    return this.#known;
  }

  async #read(head: string): Promise<MainState> {
    const from = this.#known;
    if (!(await this.git.succeeds(['cat-file', '-e', `${head}^{commit}`])))
      throw new Error('the newest commit of main cannot be read');
    // A branch that was rewound holds less than the cached state.
    const follows =
      from?.head !== undefined && (await this.git.succeeds(['merge-base', '--is-ancestor', from.head, head]));
    const base = follows && from?.head !== undefined ? { ...from, head: from.head } : undefined;
    const tree = await this.#readTree(base, head);
    const commits = await this.#readLog(base?.head, head);
    if (base) for (const [approval, commit] of commits) base.commits.set(approval, commit);
    return { head, tree, commits: base?.commits ?? commits };
  }

  async #readLog(from: string | undefined, head: string): Promise<Map<string, string>> {
    const format = `--format=%H %(trailers:key=${APPROVAL_TRAILER},valueonly,separator=%x2C)`;
    const range = from === undefined ? [head] : [head, `^${from}`];
    const out = await this.git.text(['log', '--reverse', format, '--end-of-options', ...range, '--']);
    const commits = new Map<string, string>();
    for (const line of out.split('\n')) {
      const [commit, approval] = line.split(' ');
      if (commit && approval) commits.set(approval, commit);
    }
    return commits;
  }

  /** The entries of a commit, or their changes since another. */
  async #readChanges(from: string | undefined, head: string): Promise<{ isWhole: boolean; changes: TreeChange[] }> {
    const empty = from ?? (await this.git.text(['hash-object', '-t', 'tree', '--stdin']));
    const args = ['diff-tree', '-r', '-z', '--no-renames', '--no-abbrev', '--end-of-options', empty, head];
    try {
      const out = (await this.git.bytes(args)).toString('utf8').split('\0');
      const changes: TreeChange[] = [];
      for (let at = 0; at + 1 < out.length; at += 2) {
        const [, mode = '', blob = ''] = CHANGE.exec(out[at] ?? '') ?? [];
        changes.push({ path: out[at + 1] ?? '', mode, blob, unreadable: false });
      }
      return { isWhole: from === undefined, changes };
    } catch {
      // Git stops at the first damaged folder, or writes without end for folders within folders.
      const isEntered = (folder: string) => READ_FOLDER.test(folder);
      const entries = await new MainTrees(this.git).walk(head, isEntered);
      return { isWhole: true, changes: entries.map(({ id, ...entry }) => ({ ...entry, blob: id })) };
    }
  }

  async #readTree(base: { head: string; tree: SkillTree } | undefined, head: string): Promise<SkillTree> {
    const { isWhole, changes } = await this.#readChanges(base?.head, head);
    const skills = new Map(isWhole ? [] : base?.tree.skills.map((skill) => [skill.name, skill]));
    const others = new Map<string, TreeFile>(isWhole ? [] : base?.tree.others);
    const touched = new Map<string, Map<string, string>>();
    for (const { path, mode, blob, unreadable } of changes) {
      const { name, file } = skillFileOf(path) ?? {};
      // An entry may replace a folder that could not be read.
      for (const old of [path, `${path.slice(0, path.indexOf('/') + 1)}`]) others.delete(old);
      const isPlain = PLAIN_FILE.test(mode);
      if (mode !== '000000' && (name === undefined || !isPlain))
        others.set(path, { blob, generated: false, ...othersKind(path, isPlain, unreadable) });
      if (name === undefined || file === undefined) continue;
      const files = touched.get(name) ?? new Map(skills.get(name)?.files ?? referencesIn(others, name));
      touched.set(name, files);
      if (isPlain) files.set(file, blob);
      else files.delete(file);
    }
    const changedSkills: { name: string; files: Map<string, string> }[] = [];
    for (const [name, files] of touched) {
      skills.delete(name);
      for (const [file, blob] of files) {
        // References without a SKILL.md belong to no skill.
        if (files.has(SKILL_FILE)) others.delete(`${name}/${file}`);
        else others.set(`${name}/${file}`, { blob, generated: false });
      }
      if (files.has(SKILL_FILE)) changedSkills.push({ name, files: skillFileFirst(files) });
    }
    for (const skill of await this.#readSkills(changedSkills)) skills.set(skill.name, skill);
    const tree = { skills: [...skills.values()].sort((a, b) => compareText(a.name, b.name)), others };
    if (!this.generator) return tree;
    const format = await this.git.format();
    return markGenerated(tree, this.generator, (text) => blobId(text, format));
  }

  async #readSkills(skills: readonly { name: string; files: Map<string, string> }[]): Promise<TreeSkill[]> {
    if (skills.length === 0) return [];
    const format = await this.git.format();
    const blobs = skills.flatMap(({ files }) => [...files.values()]);
    const input = blobs.map((blob) => `${blob}\n`).join('');
    // A damaged object ends the call. Then each skill is read alone.
    const out = await this.git.text(['cat-file', '--batch-check=%(objectsize)'], { input }).catch(() => '');
    const sizes = out.split('\n').map((size) => (/^\d+$/.test(size) ? Number(size) : 0));
    const sized = skills.map(({ name, files }) => {
      const size = out === '' ? MAX_SKILL_BYTES : sumBy(sizes.splice(0, files.size), (one) => one);
      return { name, files, size };
    });
    const isTooLarge = ({ size }: { size: number }) => size > MAX_SKILL_BYTES;
    const read = sized
      .filter(isTooLarge)
      .map(({ name, files }): TreeSkill => ({ name, files, description: '', sha256: undefined }));
    for (const group of groupsBySize(sized.filter((skill) => !isTooLarge(skill)))) {
      const objects = await this.git.objects(group.flatMap(({ files }) => [...files.values()]));
      for (const { name, files } of group) {
        const own = objects.splice(0, files.size);
        // Git does not compare an object with its id. A forged one counts as one that cannot be read.
        const texts = own.map((object) =>
          object !== undefined && blobId(object.content, format) === object.id ? object.content : undefined,
        );
        const unreadable = [...files.keys()].filter((_file, at) => texts[at] === undefined);
        const contents = [...files.keys()].map((file, at) => [file, texts[at] ?? Buffer.alloc(0)] as const);
        const skill = treeSkill(name, files, new Map(contents));
        read.push(unreadable.length === 0 ? skill : { ...skill, sha256: undefined, unreadable });
      }
    }
    return read;
  }
}

function othersKind(path: string, isPlain: boolean, unreadable: boolean): Pick<TreeFile, 'foreign' | 'unreadable'> {
  if (unreadable) return { foreign: true, unreadable };
  return isPlain && !isStrangePath(path) ? {} : { foreign: true };
}

function referencesIn(others: ReadonlyMap<string, TreeFile>, name: string): [string, string][] {
  return [...others].flatMap(([path, { blob }]): [string, string][] => {
    const file = path.slice(name.length + 1);
    return path.startsWith(`${name}/`) && isReference(file) ? [[file, blob]] : [];
  });
}

/** The order of `bundleOf`. */
function skillFileFirst(files: ReadonlyMap<string, string>): Map<string, string> {
  const rank = (file: string): string => (file === SKILL_FILE ? '' : file);
  return new Map([...files].sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1)));
}

/** Splits the files, in order, into groups that fit into memory. */
function groupsBySize<T extends { readonly size: number }>(files: readonly T[]): T[][] {
  const groups: T[][] = [];
  let room = 0;
  for (const file of files) {
    if (groups.length === 0 || file.size > room) {
      groups.push([]);
      room = READ_AT_ONCE;
    }
    groups.at(-1)?.push(file);
    room -= file.size;
  }
  return groups;
}
