import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { FifoCache } from '../../platform/background/fifo-cache.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { bundleOf, SKILL_FILE } from '../document/bundle.js';
import {
  type CommitRequest,
  type CommitResult,
  CommitWriter,
  REFERENCE_LOCKS,
  type SkillChange,
} from './commit-writer.repository.js';
import { type GitBinary, GitCommand, lstatOrUndefined } from './git-command.repository.js';
import { MainHistory, type MainState, skillNameOf } from './main-history.repository.js';
import { type PushResult, type PushTarget, pushCommit } from './push.repository.js';
import { blobAt, type Generator, pathsOfSkill, type SkillTree, skillNamed } from './skill-tree.js';
import { Worktree } from './worktree.repository.js';
import { type WorktreeEdit, WorktreeEdits } from './worktree-edits.repository.js';

/** Publications that wait for each other become commits of one import, at most this many. */
export const MAX_COMMITS_PER_BATCH = 64;

/** Logs of files. */
const LOGS_KEPT = 1_000;

export type { CommitRequest as SkillDecision, CommitResult as Publication } from './commit-writer.repository.js';

export interface GitRepositoryOptions extends GitBinary {
  /** The files beside the skills: manifest, README. Brought up to date in every commit (formats B). */
  generated?: Generator;
}

export interface LogEntry {
  commit: string;
  author: string;
  /** ISO 8601, the author's date. */
  when: string;
  subject: string;
}

/** What git says, for the reconciler: all of it at one commit. */
export interface RepositorySnapshot {
  head: string | undefined;
  tree: SkillTree;
  /** Approval → the commit on main that carries it out. */
  commits: ReadonlyMap<string, string>;
  /** Undefined when main is not checked out: then the files are another branch's. */
  edits: readonly WorktreeEdit[] | undefined;
}

interface QueuedChange {
  change: SkillChange;
  resolve: (publication: CommitResult) => void;
  reject: (reason: unknown) => void;
}

/**
 * The published repository: the verbs of its history. Commits are built beside the working tree and land by
 * compare-and-set, so a crash at any point loses nothing, bundles nothing and publishes nothing twice; nobody's lock
 * or hand edit is in the way (threats 6, docs/durability.md).
 */
export class GitRepository {
  readonly #git: GitCommand;
  readonly #worktree: Worktree;
  readonly #edits: WorktreeEdits;
  readonly #history: MainHistory;
  readonly #landing: CommitWriter;
  readonly #waiting: QueuedChange[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  readonly #logs = new FifoCache<Promise<readonly LogEntry[]>>(LOGS_KEPT);

  constructor(directory: string, options: GitRepositoryOptions) {
    this.#git = new GitCommand(resolve(directory), options);
    this.#worktree = new Worktree(this.#git);
    this.#edits = new WorktreeEdits(this.#git, this.#worktree);
    this.#history = new MainHistory(this.#git, options.generated);
    this.#landing = new CommitWriter(this.#git, this.#history, this.#worktree, options.generated);
  }

  /** Makes the folder and its repository where they are missing. Never takes the repository of a folder above. */
  async ensure(): Promise<void> {
    const { root, gitDir } = this.#git;
    await mkdir(root, { recursive: true });
    const entry = await lstatOrUndefined(gitDir);
    if (entry && !entry.isDirectory()) throw new Error('the skills folder is a part of another git repository');
    if (!(await lstatOrUndefined(join(gitDir, 'HEAD')))) {
      await this.#git.text(['init', '--quiet', '--template=', '--initial-branch=main']);
      await mkdir(join(gitDir, 'info'), { recursive: true });
      // The project around us tracks this file, to keep the folder.
      await writeFile(join(gitDir, 'info', 'exclude'), '/.gitkeep\n');
    }
    const scratch = (await readdir(gitDir)).filter((name) => this.#git.isScratch(name));
    await this.#git.sweep([...scratch, ...REFERENCE_LOCKS, ...(await this.#landing.abandonedPackFiles())]);
  }

  /** The newest commit of main, or undefined while there is none. */
  head(): Promise<string | undefined> {
    return this.#git.head();
  }

  /**
   * Publishes a skill in one commit: one file, or as one text the several of a long one. The bytes must be the ones
   * that the approval names: TypeError otherwise. Given an approval that has its commit, only brings the working tree
   * up to date, even when main has moved on since: a replay must not bring an old version back. Calls that are made
   * without waiting for each other land together, in the order of the calls: that is many times faster, and each still
   * has a commit of its own. Of up to `TOGETHER` calls, one that fails takes those after it with it that are about the
   * same skill, and no others.
   */
  publishSkill(change: CommitRequest & { bytes: string; replaces?: string }): Promise<CommitResult> {
    return this.#enqueue(change);
  }

  /** Retires a skill in one commit, which is made even when the file is gone: every decision leaves its trace. */
  retireSkill({ path, message, author, when }: CommitRequest): Promise<CommitResult> {
    return this.#enqueue({ path, message, author, when });
  }

  /** The skill as main holds it, as one text (`bundleOf`), or undefined. */
  async read(name: string): Promise<string | undefined> {
    const files = new Map<string, string>();
    for (const [file, blob] of skillNamed((await this.#state()).tree, name)?.files ?? [])
      files.set(file, (await this.#git.bytes(['cat-file', 'blob', blob])).toString('utf8'));
    const skill = files.get(SKILL_FILE);
    files.delete(SKILL_FILE);
    return skill === undefined ? undefined : bundleOf(skill, files);
  }

  /** The commits of main, newest first: all, or those that touched one file. Git is asked once for each head. */
  async log(path?: string, limit = 50): Promise<readonly LogEntry[]> {
    if (path !== undefined) requirePath(path);
    if (!Number.isSafeInteger(limit) || limit < 1) throw new TypeError('limit must be a positive integer');
    const head = await this.head();
    if (!head) return [];
    const asked = `${head} ${limit} ${path ?? ''}`;
    return this.#logs.getOrCreate(asked, () => {
      const log = this.#readLog(head, path, limit);
      // What failed is asked again.
      log.catch(() => this.#logs.delete(asked));
      return log;
    });
  }

  async #readLog(head: string, path: string | undefined, limit: number): Promise<LogEntry[]> {
    const format = '--format=%H%x00%an%x00%aI%x00%s';
    const args = ['log', `--max-count=${limit}`, format, '--end-of-options', head, '--'];
    const out = await this.#git.text(path === undefined ? args : [...args, path]);
    return out.split('\n').map((line) => {
      const [commit = '', author = '', when = '', subject = ''] = line.split('\0');
      return { commit, author, when, subject };
    });
  }

  /** Everything that git has, and how the folder differs from it. */
  snapshot(): Promise<RepositorySnapshot> {
    return this.#inTurn(async () => {
      const { head, tree, commits } = await this.#history.at(await this.head());
      const edits = (await this.#worktree.isOnMain()) ? await this.#edits.list(tree) : undefined;
      return { head, tree, commits: new Map(commits), edits };
    });
  }

  /** The files of a skill as somebody left them, path → object and bytes; undefined where one cannot be read. */
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
   * Puts a file of the folder back to what main holds, when it still is what `seen` says: the object of an edit, or
   * undefined for a missing file. False when it is something else by now, or main does not hold it.
   */
  restoreFile(path: string, seen: string | undefined): Promise<boolean> {
    return this.#inTurn(async () => {
      const wanted = blobAt((await this.#state()).tree, path);
      if (wanted === undefined || !(await this.#worktree.isOnMain())) return false;
      return this.#worktree.restore(path, wanted, seen);
    });
  }

  /** Offers main to a remote. What it says is the result; only wrong arguments are an error. */
  async push(target: PushTarget): Promise<PushResult> {
    return pushCommit(this.#git, await this.head(), target);
  }

  async #state(): Promise<MainState> {
    return this.#history.at(await this.head());
  }

  // Publications of one process go one after the other; those of several meet at the compare-and-set.
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #enqueue(change: SkillChange): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject });
      void this.#inTurn(() => this.#landWaiting());
    });
  }

  async #landWaiting(): Promise<void> {
    const batch = this.#waiting.splice(0, MAX_COMMITS_PER_BATCH);
    const sound: QueuedChange[] = [];
    await eachInOrder(batch, async (waiting) => {
      requireValid(waiting.change);
      sound.push(waiting);
    });
    if (sound.length === 0) return;
    try {
      const publications = await this.#landing.write(sound.map(({ change }) => change));
      for (const [index, publication] of publications.entries()) sound[index]?.resolve(publication);
    } catch (error) {
      if (sound.length === 1) sound[0]?.reject(error);
      else
        await eachInOrder(sound, async ({ change, resolve }) => {
          const [publication] = await this.#landing.write([change]);
          if (publication) resolve(publication);
        });
    }
    await this.#landing.repackIfMany();
  }
}

/** One that fails does not hold up the others, but the later ones of its own skill: they must not overtake it. */
async function eachInOrder(
  batch: readonly QueuedChange[],
  work: (waiting: QueuedChange) => Promise<void>,
): Promise<void> {
  const failures = new Map<string, unknown>();
  for (const waiting of batch) {
    const { path, replaces = path } = waiting.change;
    try {
      for (const own of [path, replaces]) if (failures.has(own)) throw failures.get(own);
      await work(waiting);
    } catch (error) {
      for (const own of [path, replaces]) failures.set(own, error);
      waiting.reject(error);
    }
  }
}

function requirePath(path: string): void {
  if (skillNameOf(path) === undefined) throw new TypeError('path must be <skill name>/SKILL.md');
}

function requireValid({ path, replaces, message, when, bytes }: SkillChange): void {
  requirePath(path);
  if (replaces !== undefined) requirePath(replaces);
  if (skillNameOf(path) !== message.facts.name) throw new TypeError('the message names another skill');
  // Git counts the seconds from 1970 on.
  if (!(Date.parse(when) >= 0 && when.includes('T'))) throw new TypeError('when must be an ISO 8601 time');
  if (bytes !== undefined && sha256(bytes) !== message.facts.artifactSha256)
    throw new TypeError('the bytes are not the ones that were approved');
}
