import { mkdir, readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { bundleOf, SKILL_FILE } from '../document/bundle.js';
import { MANIFEST_PATHS } from '../document/marketplace.js';
import {
  CommitBuilder,
  type CommitRequest,
  requireValidChange,
  type SkillChange,
} from './commit-builder.repository.js';
import {
  type CommitResult,
  CommitWriter,
  eachInOrder,
  type QueuedChange,
  REFERENCE_LOCKS,
} from './commit-writer.repository.js';
import { FolderIdentity } from './folder-identity.repository.js';
import { type GitBinary, GitCommand, lstatOrUndefined } from './git-command.repository.js';
import { type DecisionLookup, type HeldCommit, KnownChain } from './known-chain.repository.js';
import { MainHistory, type MainState } from './main-history.repository.js';
import type { PlannedCommit } from './planned-commit.js';
import {
  commitFiles,
  fetchReferences,
  type MissingFiles,
  missingFiles,
  type PushResult,
  type PushTarget,
  pushCommit,
  type RemoteReference,
} from './push.repository.js';
import { blobAt, type Generator, hasFolder, pathsOfSkill, type SkillTree, skillNamed } from './skill-tree.js';
import { type Removal, UnknownEntries } from './unknown-entries.repository.js';
import { Worktree } from './worktree.repository.js';
import { type WorktreeEdit, WorktreeEdits } from './worktree-edits.repository.js';

/** Queued publications share one import, at most this many. */
export const MAX_COMMITS_PER_BATCH = 64;

export type { CommitRequest, SkillChange } from './commit-builder.repository.js';
export type { CommitResult } from './commit-writer.repository.js';

export interface GitRepositoryOptions extends GitBinary {
  /** Generates the files beside the skills: manifest and README. They are updated in every commit. */
  generated?: Generator;
}

/** The repository for the reconciler, all of it at one commit. */
export interface RepositorySnapshot {
  head: string | undefined;
  tree: SkillTree;
  /** Proposal id → the commit on main that carries it out. */
  commits: ReadonlyMap<string, string>;
  /** Undefined if main is not checked out: then the files belong to another branch. */
  edits: readonly WorktreeEdit[] | undefined;
}

/**
 * The published repository and its verbs. Commits are built outside the working tree and reach main by compare-and-set.
 * So a crash at any point loses nothing, never mixes two decisions and never publishes twice, and neither another git's
 * lock nor an external edit blocks a publication. See docs/durability.md.
 */
export class GitRepository {
  readonly #git: GitCommand;
  readonly #worktree: Worktree;
  readonly #edits: WorktreeEdits;
  readonly #history: MainHistory;
  readonly #commitWriter: CommitWriter;
  /** The history that may be pushed. */
  readonly known: KnownChain;
  /** Tells this folder from others. */
  readonly identity: FolderIdentity;
  readonly #queue: QueuedChange[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  readonly #unknown: UnknownEntries;
  #removals: Removal[] = [];

  constructor(directory: string, options: GitRepositoryOptions) {
    this.#git = new GitCommand(resolve(directory), options);
    this.#worktree = new Worktree(this.#git);
    this.identity = new FolderIdentity(this.#git);
    this.#unknown = new UnknownEntries(this.#git, this.#worktree);
    this.#edits = new WorktreeEdits(this.#git, this.#worktree);
    this.#history = new MainHistory(this.#git, options.generated);
    const builder = () => new CommitBuilder(this.#git, options.generated);
    this.#commitWriter = new CommitWriter(this.#git, this.#history, this.#worktree, builder());
    this.known = new KnownChain(this.#git, this.#worktree, builder(), new MainHistory(this.#git, options.generated));
  }

  /** Creates the folder and its repository if they are missing. Never uses the repository of a parent folder. */
  async ensure(): Promise<void> {
    const { root, gitDir } = this.#git;
    await mkdir(root, { recursive: true });
    const entry = await lstatOrUndefined(gitDir);
    if (entry && !entry.isDirectory()) throw new Error('the skills folder is part of another git repository');
    await this.#git.create();
    const scratch = (await readdir(gitDir)).filter((name) => this.#git.isScratch(name));
    const left = [...(await this.known.locks()), ...(await this.#commitWriter.abandonedPackFiles())];
    await this.#git.sweep([...scratch, ...REFERENCE_LOCKS, ...left]);
  }

  close(): Promise<void> {
    return this.#git.close();
  }

  head(): Promise<string | undefined> {
    return this.#git.head();
  }

  /**
   * Publishes a skill in one commit. `bytes` is one file, or the files of a long skill as one text. Throws TypeError if
   * the bytes are not those that the approval names. If the approval already has its commit, only the working tree is
   * updated: a replay must not restore an old version. Calls made without waiting for each other share one import, in
   * their order. Within a batch, a call that fails also fails later calls for the same skill, and no others.
   */
  publishSkill(change: CommitRequest & { bytes: string; replaces?: string }): Promise<CommitResult> {
    return this.#enqueue(change);
  }

  /** Retires a skill in one commit, even if the file is gone: every decision is visible in the history. */
  retireSkill({ path, message, author, when }: CommitRequest): Promise<CommitResult> {
    return this.#enqueue({ path, message, author, when });
  }

  /** The skill on main as one text (`bundleOf`); undefined if there is none, or if one of its files cannot be read. */
  async read(name: string): Promise<string | undefined> {
    const files = new Map<string, string>();
    for (const [file, blob] of skillNamed((await this.#state()).tree, name)?.files ?? []) {
      const [object] = await this.#git.objects([blob]);
      if (object === undefined) return undefined;
      files.set(file, object.content.toString('utf8'));
    }
    const skill = files.get(SKILL_FILE);
    files.delete(SKILL_FILE);
    return skill === undefined ? undefined : bundleOf(skill, files);
  }

  /** The content of main, and how the folder differs from it. */
  snapshot(): Promise<RepositorySnapshot> {
    return this.#inTurn(async () => {
      await this.#git.check();
      const { head, tree, commits } = await this.#history.at(await this.head());
      const edits = (await this.#worktree.isOnMain()) ? await this.#edits.list(tree) : undefined;
      return { head, tree, commits: new Map(commits), edits };
    });
  }

  /** The files of a skill in the folder, path → object and bytes; undefined if one cannot be read. */
  async readEdited(name: string): Promise<Map<string, { blob: string; bytes: Buffer }> | undefined> {
    const files = new Map<string, { blob: string; bytes: Buffer }>();
    for (const path of pathsOfSkill((await this.#state()).tree, name)) {
      const file = await this.#edits.read(path);
      if (file === undefined) return undefined;
      files.set(path, file);
    }
    return files;
  }

  /**
   * Restores a file of the folder from main if it still is as in `seen`: the object of an edit, or undefined for a
   * missing file. Returns false if it changed since, or if main does not hold it.
   */
  restoreFile(path: string, seen: string | undefined): Promise<boolean> {
    return this.#inTurn(async () => {
      const wanted = blobAt((await this.#state()).tree, path);
      if (wanted === undefined || !(await this.#worktree.isOnMain())) return false;
      return this.#worktree.restore(path, wanted, seen);
    });
  }

  /** Removes from main what is neither a skill nor written by us. `when` is the date of the commit. */
  removeUnknown(when: string): Promise<void> {
    return this.#inTurn(() => this.#removeUnknown(when));
  }

  /** What was removed from main since the last call, here or before a publication. */
  takeRemovals(): Removal[] {
    return this.#removals.splice(0);
  }

  /** Moves an entry of the folder into `.git`: a manifest, or one that main does not have. False if main has it by now. */
  setEntryAside(path: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const { tree } = await this.#state();
      const isOfMain = blobAt(tree, path) !== undefined || hasFolder(tree, path);
      if ((isOfMain && !MANIFEST_PATHS.has(path)) || !(await this.#worktree.isOnMain())) return false;
      await this.#unknown.setAside(path);
      return true;
    });
  }

  async #removeUnknown(when: string): Promise<void> {
    const removal = await this.#unknown.removeFromMain(await this.#state(), when);
    if (removal) this.#removals.push(removal);
  }

  /** Pushes a commit to a remote. Refusals and failures are results; only invalid arguments throw. */
  async push(commit: string | undefined, target: PushTarget): Promise<PushResult> {
    return pushCommit(this.#git, commit, target);
  }

  /** The commits of references of a remote, with their objects (`fetchReferences`). */
  fetch(references: readonly RemoteReference[], target: PushTarget): ReturnType<typeof fetchReferences> {
    return fetchReferences(this.#git, references, target);
  }

  /** What a commit of the remote lacks of the known history. */
  missingFiles(known: string, base: string, decided: ReadonlySet<string>): Promise<MissingFiles> {
    return missingFiles(this.#git, known, base, decided);
  }

  /** Writes a commit that gives `base` these files, without a reference to it. Returns its id. */
  commitFiles(
    base: string,
    files: MissingFiles,
    commit: Pick<PlannedCommit, 'message' | 'author' | 'when'>,
  ): Promise<string> {
    return commitFiles(this.#git, base, files, commit);
  }

  /**
   * Follows main from the last known commit, as far as every commit is what the decisions give. Returns the last one,
   * and the first commit after it that is not.
   */
  async follow(
    known: string | undefined,
    decisions: DecisionLookup,
  ): Promise<{ known: string | undefined; end: HeldCommit | undefined }> {
    const head = await this.head();
    if (head === known) return { known, end: undefined };
    if (head === undefined)
      return { known, end: known === undefined ? undefined : { commit: known, reason: 'rewound' } };
    if (this.#commitWriter.wroteAll(known, head)) return { known: head, end: undefined };
    const line = await this.known.lineSince(known, head);
    const followed = await this.known.follow(known, line.commits, decisions);
    return { known: followed.known, end: followed.end ?? line.end };
  }

  /** True if this process wrote everything on main from `from` to `to`. */
  wroteAll(from: string | undefined, to: string): boolean {
    return from !== to && this.#commitWriter.wroteAll(from, to);
  }

  /** Call when this commit is recorded as known. */
  async keepKnown(known: string): Promise<void> {
    if (known === (await this.head())) this.#commitWriter.forgetWritten();
    await this.known.keep(known);
  }

  /** The head of main, if main holds the same files as the known history by other commits. */
  async settledHead(known: string): Promise<string | undefined> {
    const main = await this.#state();
    return main.head !== known && (await this.known.isSettled(known, main)) ? main.head : undefined;
  }

  /** Makes the known history main and keeps the commits that main had. Returns false if main is not `head` any more. */
  setAside(known: string, head: string): Promise<boolean> {
    return this.#inTurn(async () => this.known.setAside(known, head, await this.#state()));
  }

  /** Makes this history main, with its files. Returns false if main has moved. */
  adopt(known: string): Promise<boolean> {
    return this.#inTurn(async () => this.known.adopt(known, await this.#state()));
  }

  /** Writes the files of main that a killed process left unwritten. */
  writeLeftFiles(): Promise<void> {
    return this.#inTurn(async () => this.#edits.writeLeft(await this.#state()));
  }

  async #state(): Promise<MainState> {
    return this.#history.at(await this.head());
  }

  // Publications of one process run one after the other. Those of several processes are ordered by the compare-and-set.
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #enqueue(change: SkillChange): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ change, resolve, reject });
      void this.#inTurn(() => this.#writeQueued());
    });
  }

  async #writeQueued(): Promise<void> {
    const batch = this.#queue.splice(0, MAX_COMMITS_PER_BATCH);
    const valid: QueuedChange[] = [];
    await eachInOrder(batch, async (queued) => {
      requireValidChange(queued.change);
      valid.push(queued);
    });
    if (valid[0] === undefined) return;
    // A publication builds on nothing unknown. A failure is left for the reconciler, which names it.
    await this.#removeUnknown(valid[0].change.when).catch(() => undefined);
    try {
      const publications = await this.#commitWriter.write(valid.map(({ change }) => change));
      for (const [index, publication] of publications.entries()) valid[index]?.resolve(publication);
    } catch (error) {
      if (valid.length === 1) valid[0]?.reject(error);
      else
        await eachInOrder(valid, async ({ change, resolve }) => {
          const [publication] = await this.#commitWriter.write([change]);
          if (publication) resolve(publication);
        });
    }
    await this.#commitWriter.repackIfMany();
  }
}
