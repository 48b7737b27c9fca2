import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../platform/base/canonical-json.js';
import { filesOf } from '../document/bundle.js';
import type { CommitAuthor, CommitMessage } from './commit-message.js';
import type { GitCommand } from './git-command.repository.js';
import { blobId } from './git-object.js';
import { type MainState, skillNameOf, treeSkill } from './main-history.repository.js';
import { MainTrees } from './main-trees.repository.js';
import type { PackBuilder } from './pack.js';
import { type PlannedCommit, packCommits } from './planned-commit.js';
import { type Generator, pathsOfSkill, regenerate, type SkillTree, withoutSkill, withSkill } from './skill-tree.js';
import { writeDurably } from './worktree.repository.js';

/** The folder of packs in `.git`. */
export const PACKS = join('objects', 'pack');

export interface CommitRequest {
  /** `<name>/SKILL.md`. */
  path: string;
  message: CommitMessage;
  author: CommitAuthor;
  /**
   * Time of the decision, ISO 8601 with its offset. It is the date of the commit, so that a replay makes the same one.
   */
  when: string;
}

/** With bytes a publication, without them a retirement. */
export interface SkillChange extends CommitRequest {
  bytes?: string;
  /** The file under the skill's previous name, removed in the same commit. */
  replaces?: string;
}

/** The commits of the changes that have none yet, in order, and the tree after them. */
export interface CommitPlan {
  readonly commits: readonly PlannedCommit[];
  /** The approvals of the commits, in the same order. */
  readonly approvals: readonly string[];
  readonly tree: SkillTree;
}

/** Builds the commits of decisions. The same decisions on the same parent give the same ids everywhere. */
export class CommitBuilder {
  readonly #trees: MainTrees;

  constructor(
    private readonly git: GitCommand,
    private readonly generator: Generator | undefined,
  ) {
    this.#trees = new MainTrees(git);
  }

  async plan(before: Pick<MainState, 'tree' | 'commits'>, changes: readonly SkillChange[]): Promise<CommitPlan> {
    const format = await this.git.format();
    const blobOf = (text: string): string => blobId(text, format);
    const commits = new Map<string, PlannedCommit>();
    let { tree } = before;
    for (const { path, bytes, replaces, message, author, when } of changes) {
      const { proposalId, name } = message.facts;
      if (before.commits.has(proposalId) || commits.has(proposalId)) continue;
      const previousName = skillNameOf(replaces ?? '') ?? name;
      const own = bytes === undefined ? new Map<string, string>() : filesOf(bytes);
      const oldPaths = [...pathsOfSkill(tree, name), ...pathsOfSkill(tree, previousName), path];
      const skill = [...own].map(([file, text]) => [file, blobOf(text)] as const);
      const contents = new Map([...own].map(([file, text]) => [file, Buffer.from(text)]));
      tree = withoutSkill(withoutSkill(tree, previousName), name);
      if (bytes !== undefined) tree = withSkill(tree, treeSkill(name, new Map(skill), contents));
      const writes = new Map([...own].map(([file, text]) => [`${name}/${file}`, text]));
      const files = this.generator ? regenerate(tree, this.generator, blobOf) : { tree, writes: [], removes: [] };
      tree = files.tree;
      commits.set(proposalId, {
        message: message.toString(),
        author,
        when,
        writes: new Map([...writes, ...files.writes]),
        removes: [...new Set(oldPaths.filter((it) => !writes.has(it))), ...files.removes],
      });
    }
    return { commits: [...commits.values()], approvals: [...commits.keys()], tree };
  }

  /** The ids that the commits have on top of `parent`. Writes nothing. */
  async idsOf(parent: string | undefined, commits: readonly PlannedCommit[]): Promise<string[]> {
    return (await this.#pack(parent, commits)).ids;
  }

  /** Writes the commits on top of `parent` and returns their ids. Nothing refers to them yet. */
  async write(parent: string | undefined, commits: readonly PlannedCommit[]): Promise<string[]> {
    const { ids, trees, pack: builder } = await this.#pack(parent, commits);
    await addPack(this.git, builder);
    this.#trees.advance(ids.at(-1), trees);
    return ids;
  }

  async #pack(parent: string | undefined, commits: readonly PlannedCommit[]) {
    const paths = commits.flatMap(({ writes, removes }) => [...writes.keys(), ...removes]);
    const trees = await this.#trees.at(parent, paths);
    return { trees, ...packCommits(parent, trees, commits, await this.git.format()) };
  }
}

function requirePath(path: string): void {
  if (skillNameOf(path) === undefined) throw new TypeError('path must be <skill name>/SKILL.md');
}

/** Adds a pack to the repository. It is moved to the others only once it is complete. */
export async function addPack(git: GitCommand, builder: PackBuilder): Promise<void> {
  const { name, pack, index } = builder.finish();
  const packs = join(git.gitDir, PACKS);
  await git.scratch(async (folder) => {
    await mkdir(packs, { recursive: true });
    await Promise.all([writeDurably(join(folder, 'pack'), pack), writeDurably(join(folder, 'idx'), index)]);
    // The index is moved last, because git uses a pack as soon as it finds the index.
    for (const part of ['pack', 'idx']) await rename(join(folder, part), join(packs, `${name}.${part}`));
  });
}

/** Throws TypeError for a change that cannot be published. */
export function requireValidChange({ path, replaces, message, when, bytes }: SkillChange): void {
  requirePath(path);
  if (replaces !== undefined) requirePath(replaces);
  if (skillNameOf(path) !== message.facts.name) throw new TypeError('the message names another skill');
  // Git stores times as seconds since 1970.
  if (!(Date.parse(when) >= 0 && when.includes('T'))) throw new TypeError('when must be an ISO 8601 time');
  if (bytes !== undefined && sha256(bytes) !== message.facts.artifactSha256)
    throw new TypeError('the bytes are not the ones that were approved');
}
