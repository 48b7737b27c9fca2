import { createHash } from 'node:crypto';
import { APPROVAL_TRAILER } from './commit-message.js';
import type { GitCommand } from './git-command.repository.js';
import { blobId } from './git-object.js';
import {
  EMPTY_TREE,
  type Generator,
  markGenerated,
  type SkillTree,
  type TreeFile,
  type TreeSkill,
} from './skill-tree.js';
import { isSkillName } from './slug.js';
import { readFrontmatter } from './validate.js';

const SKILL_PATH = /^([^/]+)\/SKILL\.md$/;
const CHANGE = /^:\d{6} (\d{6}) [0-9a-f]+ ([0-9a-f]+) [A-Z]$/;
const PLAIN_FILE = /^100(?:644|755)$/;
const MAX_SKILL_BYTES = 1024 * 1024;
const READ_AT_ONCE = 16 * 1024 * 1024;

/** What main holds at one commit, undefined while there is none. */
export interface MainState {
  readonly head: string | undefined;
  readonly tree: SkillTree;
  /** Approval → the commit on main that carries it out. Grows as main does. */
  readonly commits: Map<string, string>;
}

/** `<name>/SKILL.md` of a skill name → the name. */
export function skillNameOf(path: string): string | undefined {
  const name = SKILL_PATH.exec(path)?.[1];
  return name !== undefined && isSkillName(name) ? name : undefined;
}

/** A SKILL.md as the tree lists it. */
export function treeSkill(name: string, blob: string, bytes: Buffer): TreeSkill {
  const { entries } = readFrontmatter(bytes.toString('utf8'));
  const description = entries.find(({ group, key }) => group === 'top' && key === 'description')?.value ?? '';
  return { name, description, blob, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/**
 * Main, read once and then followed: after a commit of our own nothing is read, after commits of others only what
 * they changed. Read anew, a tree of 10,000 skills and its log would cost more than the publication. The state
 * belongs to a commit id, so it cannot be out of date.
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

  /** Main has gone on from `state` by these commits of ours. */
  advance(state: MainState, head: string, tree: SkillTree, commits: ReadonlyMap<string, string>): MainState {
    for (const [approval, commit] of commits) state.commits.set(approval, commit);
    this.#known = { head, tree, commits: state.commits };
    return this.#known;
  }

  async #read(head: string): Promise<MainState> {
    const from = this.#known;
    // A branch that was set back holds less than we know of it.
    const follows =
      from?.head !== undefined && (await this.git.holds(['merge-base', '--is-ancestor', from.head, head]));
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

  async #readTree(base: { head: string; tree: SkillTree } | undefined, head: string): Promise<SkillTree> {
    const from = base?.head ?? (await this.git.text(['hash-object', '-t', 'tree', '--stdin']));
    const args = ['diff-tree', '-r', '-z', '--no-renames', '--no-abbrev', '--end-of-options', from, head];
    const out = (await this.git.bytes(args)).toString('utf8').split('\0');
    const skills = new Map(base?.tree.skills.map((skill) => [skill.name, skill]));
    const others = new Map<string, TreeFile>(base?.tree.others);
    const unread = new Map<string, string>();
    for (let at = 0; at + 1 < out.length; at += 2) {
      const [, mode = '', blob = ''] = CHANGE.exec(out[at] ?? '') ?? [];
      const path = out[at + 1] ?? '';
      const name = skillNameOf(path);
      if (name !== undefined) skills.delete(name);
      others.delete(path);
      if (name !== undefined && PLAIN_FILE.test(mode)) unread.set(name, blob);
      else if (mode !== '000000') others.set(path, { blob, generated: false });
    }
    for (const skill of await this.#readSkills(unread)) skills.set(skill.name, skill);
    const tree = { skills: [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), others };
    if (!this.generator) return tree;
    const format = await this.git.format();
    return markGenerated(tree, this.generator, (text) => blobId(text, format));
  }

  async #readSkills(blobs: ReadonlyMap<string, string>): Promise<TreeSkill[]> {
    if (blobs.size === 0) return [];
    const input = [...blobs.values()].map((blob) => `${blob}\n`).join('');
    const sizes = (await this.git.text(['cat-file', '--batch-check=%(objectsize)'], { input })).split('\n').map(Number);
    const files = [...blobs].map(([name, blob], index) => ({ name, blob, size: sizes[index] ?? 0 }));
    const isTooLarge = ({ size }: { size: number }) => size > MAX_SKILL_BYTES;
    const skills = files
      .filter(isTooLarge)
      .map(({ name, blob }): TreeSkill => ({ name, blob, description: '', sha256: undefined }));
    for (const group of inGroups(files.filter((file) => !isTooLarge(file)))) {
      for (const [index, object] of (await this.git.objects(group.map(({ blob }) => blob))).entries()) {
        const file = group[index];
        if (file && object) skills.push(treeSkill(file.name, file.blob, object.content));
      }
    }
    return skills;
  }
}

/** In this order, in groups of which each fits into memory. */
function inGroups<T extends { readonly size: number }>(files: readonly T[]): T[][] {
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
