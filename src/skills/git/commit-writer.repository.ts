import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type CommitBuilder, type CommitPlan, PACKS, type SkillChange } from './commit-builder.repository.js';
import type { GitCommand } from './git-command.repository.js';
import { KNOWN } from './known-chain.repository.js';
import { type MainHistory, type MainState, skillFileOf } from './main-history.repository.js';
import { blobAt, type SkillTree } from './skill-tree.js';
import { type FileChange, MAIN, type Worktree, type WorktreeState } from './worktree.repository.js';

/** References that a killed git may leave locked. */
export const REFERENCE_LOCKS = ['HEAD.lock', 'packed-refs.lock', `${MAIN}.lock`, `${KNOWN}.lock`];

// Each lost attempt means that another process published first.
const MAX_ATTEMPTS = 20;
// Refused without a concurrent publication: a lock of a killed git, which is removed after the first refusal, or a full
// disk.
const MAX_REFUSALS = 2;
// Each import is a pack. Git itself gets slow only at far more packs.
const MAX_PACKS = 40;

export interface CommitResult {
  commit: string;
  /** False if this approval already had its commit. One approval is one commit. */
  created: boolean;
  worktree: WorktreeState;
}

/** A decision that waits for its commit. */
export interface QueuedChange {
  change: SkillChange;
  resolve: (publication: CommitResult) => void;
  reject: (reason: unknown) => void;
}

/** Writes decisions as commits on main, then as files. */
export class CommitWriter {
  /** Heads that this process wrote → the commit below its own. Forgotten once they are followed. */
  readonly #written = new Map<string, string | undefined>();

  constructor(
    private readonly git: GitCommand,
    private readonly history: MainHistory,
    private readonly worktree: Worktree,
    private readonly builder: CommitBuilder,
  ) {}

  /** Makes one commit for each change that has none. Afterwards all of them are on main, or none is. */
  async write(changes: readonly SkillChange[]): Promise<CommitResult[]> {
    let failure: unknown;
    let refusals = 0;
    for (let round = 0; round < MAX_ATTEMPTS && refusals < MAX_REFUSALS; round++) {
      const before = await this.history.at(await this.git.head());
      const plan = await this.builder.plan(before, changes);
      if (plan.commits.length === 0) return this.#syncWorktree(changes, before, before, plan);
      const ids = await this.builder.write(before.head, plan.commits);
      const head = ids.at(-1) ?? '';
      const expected = before.head ?? '0'.repeat(head.length);
      try {
        await this.git.text(['update-ref', '-m', 'guildbook', '--end-of-options', MAIN, head, expected]);
      } catch (error) {
        failure = error;
        if ((await this.git.head()) !== before.head) continue;
        refusals += 1;
        await this.git.sweep(REFERENCE_LOCKS);
        continue;
      }
      this.#written.set(head, before.head);
      const made = new Map(plan.approvals.map((approval, index) => [approval, ids[index] ?? '']));
      return this.#syncWorktree(changes, before, this.history.advance(before, head, plan.tree, made), plan);
    }
    throw new Error('the publication could not be recorded in git', { cause: failure });
  }

  /** True if this process wrote everything from `from` to `to`, so that each commit is a decision. */
  wroteAll(from: string | undefined, to: string): boolean {
    let at: string | undefined = to;
    while (at !== undefined && at !== from && this.#written.has(at)) at = this.#written.get(at);
    return at === from;
  }

  /** Forgets what it wrote, once that is known. */
  forgetWritten(): void {
    this.#written.clear();
  }

  /** Joins packs once there are many. A failure is left for the next time. */
  async repackIfMany(): Promise<void> {
    const packs = (await this.#packFiles()).filter((name) => name.endsWith('.pack'));
    if (packs.length > MAX_PACKS) await this.git.succeeds(['repack', '--geometric=2', '-d', '-q', '-n']);
  }

  /** Temporary pack files of a killed git, as entries of `.git`. */
  async abandonedPackFiles(): Promise<string[]> {
    return (await this.#packFiles())
      .filter((name) => name.startsWith('tmp_') || name.startsWith('.tmp-'))
      .map((name) => join(PACKS, name));
  }

  #packFiles(): Promise<string[]> {
    return readdir(join(this.git.gitDir, PACKS)).catch(() => []);
  }

  async #syncWorktree(
    changes: readonly SkillChange[],
    before: MainState,
    after: MainState,
    plan: CommitPlan,
  ): Promise<CommitResult[]> {
    const created = new Set(plan.approvals);
    const previousBlobs = await this.#previousBlobs(changes, created, before, after);
    const touched = new Set([
      ...previousBlobs.keys(),
      ...plan.commits.flatMap(({ writes, removes }) => [...writes.keys(), ...removes]),
      // A replay follows a crash, which may have happened before the generated files were written.
      ...(created.size < changes.length ? generatedPaths(after.tree) : []),
    ]);
    const contents = new Map(plan.commits.flatMap(({ writes }) => [...writes]));
    let states = new Map<string, WorktreeState>();
    let state = after;
    let from = before.head;
    for (let round = 0; round < MAX_ATTEMPTS && state.head !== undefined; round++) {
      const { head, tree } = state;
      const files = [...touched].map((path): FileChange => {
        const wanted = blobAt(tree, path);
        const known = wanted === blobAt(after.tree, path) ? contents.get(path) : undefined;
        const generated = skillFileOf(path) === undefined;
        const oldBlobs = previousBlobs.get(path) ?? new Set([blobAt(before.tree, path)]);
        return { path, wanted, before: oldBlobs, generated, content: known };
      });
      const entries = new Map(files.map(({ path, wanted }) => [path, wanted]));
      states = await this.worktree.sync(files, { from, head, entries });
      // Another process may have published meanwhile, and this older index may have replaced its newer one.
      const now = await this.git.head();
      if (now === head) break;
      state = await this.history.at(now);
      from = undefined;
    }
    return changes.map(({ path, message: { facts } }) => ({
      commit: after.commits.get(facts.proposalId) ?? '',
      created: created.delete(facts.proposalId),
      worktree: states.get(path) ?? 'other-branch',
    }));
  }

  /** Path → objects that main held before the decisions. Another file is an external edit and stays. */
  async #previousBlobs(
    changes: readonly SkillChange[],
    created: ReadonlySet<string>,
    before: MainState,
    after: MainState,
  ): Promise<Map<string, Set<string | undefined>>> {
    const previousBlobs = new Map<string, Set<string | undefined>>();
    const add = (path: string, blob: string | undefined) =>
      previousBlobs.set(path, (previousBlobs.get(path) ?? new Set<string | undefined>()).add(blob));
    for (const { path, message } of changes) {
      if (created.has(message.facts.proposalId)) {
        add(path, blobAt(before.tree, path));
        continue;
      }
      const commit = after.commits.get(message.facts.proposalId) ?? '';
      const parent = await this.#parentOf(commit);
      for (const own of new Set([path, ...(await this.#skillFilesIn(commit))]))
        add(own, parent && (await this.git.blobAt(parent, own)));
    }
    return previousBlobs;
  }

  /** Files of skills that a commit changed. A long skill has several, and a rename leaves a folder. */
  async #skillFilesIn(commit: string): Promise<string[]> {
    const args = ['diff-tree', '-r', '-z', '--root', '--no-commit-id', '--name-only', '--no-renames'];
    const paths = (await this.git.text([...args, '--end-of-options', commit])).split('\0');
    return paths.filter((path) => skillFileOf(path) !== undefined);
  }

  async #parentOf(commit: string): Promise<string | undefined> {
    return (await this.git.text(['rev-list', '--parents', '--max-count=1', '--end-of-options', commit])).split(' ')[1];
  }
}

function generatedPaths({ others }: SkillTree): string[] {
  return [...others].filter(([, { generated }]) => generated).map(([path]) => path);
}

/**
 * Runs `work` for each change in order. A failure does not affect the others, except later changes of the same skill,
 * which must not overtake it.
 */
export async function eachInOrder(
  batch: readonly QueuedChange[],
  work: (it: QueuedChange) => Promise<void>,
): Promise<void> {
  const failures = new Map<string, unknown>();
  for (const queued of batch) {
    const { path, replaces = path } = queued.change;
    try {
      for (const skillPath of [path, replaces]) if (failures.has(skillPath)) throw failures.get(skillPath);
      await work(queued);
    } catch (error) {
      for (const skillPath of [path, replaces]) failures.set(skillPath, error);
      queued.reject(error);
    }
  }
}
