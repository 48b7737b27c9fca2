import { execFile } from 'node:child_process';
import type { Stats } from 'node:fs';
import { lstat, mkdtemp, rm } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MINUTE_MS } from '../../platform/base/durations.js';
import type { GitObject, ObjectFormat } from './git-object.js';
import { IsolatedGitDir, readPlainFile } from './isolated-git-dir.repository.js';

const run = promisify(execFile);

const SCRATCH = 'guildbook-';
const OUTPUT_LIMIT = 64 * 1024 * 1024;
// Git holds a lock for milliseconds. A lock that is this much older belongs to a killed process.
const ABANDONED_MS = MINUTE_MS;

// No call may last forever: a pipe in place of a pack would block git without an error.
const TIMEOUT_MS = 5 * MINUTE_MS;
// `<id>` and a line end, for either hash algorithm.
const MAX_REFERENCE_BYTES = 100;

const FIXED_CONFIG = [
  `core.hooksPath=${devNull}`,
  `core.attributesFile=${devNull}`,
  'core.fsmonitor=false',
  'core.fsync=all',
  'core.filesRefLockTimeout=1000',
  'core.quotePath=false',
  'core.logAllRefUpdates=false',
  // These files only save time, and the skills folder may hold wrong ones.
  'core.commitGraph=false',
  'core.multiPackIndex=false',
  'pack.useBitmaps=false',
  'protocol.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
  // Every import stays one pack: one file to sync to disk instead of one per object.
  'fastimport.unpackLimit=0',
  // Single objects would stay in the folder of our own.
  'fetch.unpackLimit=1',
  'pack.compression=1',
  'log.mailmap=false',
  'log.showSignature=false',
  'i18n.commitEncoding=utf-8',
  'i18n.logOutputEncoding=utf-8',
].flatMap((setting) => ['-c', setting]);

/** Variables of every call. Nothing of the server's own environment reaches git but PATH. */
const FIXED_ENVIRONMENT = {
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: devNull,
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
};
// This variable overrides every setting of a protocol. No protocol has the first name.
const NO_PROTOCOL = 'none';
const PUSH_PROTOCOLS = 'https:ssh:file';

export interface GitBinary {
  gitBinary: string;
  /** PATH, for git to find its own programs. Nothing else of the caller's environment reaches it. */
  path: string;
}

interface RunOptions {
  input?: string | Buffer;
  /** Another index file instead of `.git/index`. */
  index?: string;
  /** Git may reach a network, over the protocols of a push. */
  reachesNetwork?: boolean;
  /** Further variables. None of them comes from a proposal. */
  environment?: Readonly<Record<string, string>>;
  /** Git is killed after this many milliseconds. */
  timeoutMs?: number;
}

/**
 * Runs one git process per call for one repository, without a shell and with a minimal environment. Git works in a
 * folder of our own, so nothing in the repository but its objects and branches has an effect (`IsolatedGitDir`).
 */
export class GitCommand {
  readonly gitDir: string;
  readonly #isolated: IsolatedGitDir;

  constructor(
    readonly root: string,
    private readonly binary: GitBinary,
  ) {
    this.gitDir = join(root, '.git');
    this.#isolated = new IsolatedGitDir(this.gitDir, binary.gitBinary, binary.path);
  }

  /** Creates the repository if it is missing. Throws UnusableRepository. */
  async create(): Promise<void> {
    await this.#isolated.create();
    await this.#isolated.check();
  }

  /** Throws UnusableRepository if the repository has been built in a way that is not supported. */
  async check(): Promise<void> {
    await this.#isolated.check();
  }

  close(): Promise<void> {
    return this.#isolated.close();
  }

  /** Standard output as text without the last line end. Rejects if git fails. */
  async text(args: readonly string[], options: RunOptions = {}): Promise<string> {
    return (await this.bytes(args, options)).toString('utf8').replace(/\n$/, '');
  }

  /** Standard output as bytes. Rejects if git fails. */
  async bytes(args: readonly string[], options: RunOptions = {}): Promise<Buffer> {
    const { input = '', index, reachesNetwork = false, environment, timeoutMs = TIMEOUT_MS } = options;
    const folder = await this.#isolated.folder();
    const env = {
      ...FIXED_ENVIRONMENT,
      PATH: this.binary.path,
      // Set explicitly, so that git never searches for a repository.
      GIT_DIR: folder,
      GIT_ALLOW_PROTOCOL: reachesNetwork ? PUSH_PROTOCOLS : NO_PROTOCOL,
      ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
      ...environment,
    };
    const process = run(this.binary.gitBinary, [...FIXED_CONFIG, ...args], {
      // Outside of the skills folder, whose files would be a working tree with attributes and a mailmap.
      cwd: folder,
      env,
      encoding: 'buffer',
      maxBuffer: OUTPUT_LIMIT,
      windowsHide: true,
      timeout: timeoutMs,
    });
    // A git that fails before it has read its input closes the pipe. Its exit status tells why.
    process.child.stdin?.on('error', () => undefined).end(input);
    return (await process.catch((error: unknown) => Promise.reject(named(error, args[0] ?? '')))).stdout;
  }

  /** True if git exits with status 0, false for another status. Rejects if git cannot be run. */
  async succeeds(args: readonly string[]): Promise<boolean> {
    try {
      await this.bytes(args);
      return true;
    } catch (error) {
      if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'number')
        return false;
      throw error;
    }
  }

  /** The newest commit of main; undefined if there is none. */
  async head(): Promise<string | undefined> {
    // The head is nearly always in a loose file. Otherwise (packed references, a symbolic one) git is asked.
    const loose = await readPlainFile(join(this.gitDir, 'refs', 'heads', 'main'), MAX_REFERENCE_BYTES);
    const id = /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.exec(loose?.toString('latin1') ?? '')?.[1];
    if (id !== undefined) return id;
    if (await this.#hasNoReference()) return undefined;
    return (await this.text(['for-each-ref', '--format=%(objectname)', 'refs/heads/main'])) || undefined;
  }

  /** True of a repository before its first commit, of which a server asks every few seconds. */
  async #hasNoReference(): Promise<boolean> {
    const parts = ['HEAD', join('refs', 'heads', 'main'), 'packed-refs'];
    const [head, ...references] = await Promise.all(parts.map((part) => lstatOrUndefined(join(this.gitDir, part))));
    return head !== undefined && references.every((entry) => entry === undefined);
  }

  /** Hash algorithm of the repository's object ids. */
  format(): Promise<ObjectFormat> {
    return this.#isolated.format();
  }

  /** The blob at a path of a commit; undefined if there is none or it is not a plain file. */
  async blobAt(commit: string, path: string): Promise<string | undefined> {
    const entry = await this.text(['ls-tree', '-z', '--full-tree', commit, '--', path]);
    return /^100(?:644|755) blob ([0-9a-f]+)\t/.exec(entry)?.[1];
  }

  /** Objects by any name that git accepts, in this order; undefined where there is none or it cannot be read. */
  async objects(names: readonly string[]): Promise<(GitObject | undefined)[]> {
    const found: (GitObject | undefined)[] = [];
    while (found.length < names.length) {
      const { objects, isWhole } = await this.#batch(names.slice(found.length));
      found.push(...objects);
      // Git ends at an object that is damaged, after it wrote those before.
      if (!isWhole && found.length < names.length) found.push(undefined);
    }
    return found;
  }

  async #batch(names: readonly string[]): Promise<{ objects: (GitObject | undefined)[]; isWhole: boolean }> {
    const args = ['cat-file', '--batch'];
    try {
      const out = await this.bytes(args, { input: names.map((name) => `${name}\n`).join('') });
      return { objects: parseObjects(out, names.length), isWhole: true };
    } catch (error) {
      const isOfGit = error instanceof Error && 'code' in error && typeof error.code === 'number';
      // Without an object to read there is no damaged one: then the repository itself cannot be used.
      if (!isOfGit || !('stdout' in error) || !Buffer.isBuffer(error.stdout) || !(await this.succeeds(args)))
        throw error;
      return { objects: parseObjects(error.stdout, names.length), isWhole: false };
    }
  }

  /**
   * Runs `work` with an empty folder inside `.git`, on the same file system as the index, and deletes the folder
   * afterwards.
   */
  async scratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(join(this.gitDir, SCRATCH));
    try {
      return await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Deletes those of the named entries of `.git` that a killed process left behind. */
  async sweep(names: readonly string[]): Promise<void> {
    await this.scratch(async (fresh) => {
      // Compares times of the file system only, so that a wrong system clock cannot delete a live lock.
      const now = (await lstat(fresh)).mtimeMs;
      for (const name of names) {
        const path = join(this.gitDir, name);
        const entry = await lstatOrUndefined(path);
        if (entry && now - entry.mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
      }
    });
  }

  isScratch(name: string): boolean {
    return name.startsWith(SCRATCH);
  }
}

/** The same error with git's last words as its message, instead of all arguments. */
function named(error: unknown, verb: string): unknown {
  if (!(error instanceof Error) || !('stderr' in error) || !Buffer.isBuffer(error.stderr)) return error;
  const words = error.stderr.toString('utf8').trim().split('\n').at(-1);
  const ended = 'killed' in error && error.killed === true ? 'did not end in time' : 'failed';
  error.message = `git ${verb} ${ended}${words ? `: ${words}` : ''}`;
  return error;
}

/** The objects of the output of `cat-file --batch` that are complete. */
function parseObjects(out: Buffer, count: number): (GitObject | undefined)[] {
  const objects: (GitObject | undefined)[] = [];
  for (let at = 0; objects.length < count; ) {
    // `<id> <kind> <size>`, the bytes, and a line end; or the name and `missing`.
    const start = out.indexOf('\n', at) + 1;
    if (start === 0) break;
    const [id = '', , size] = out.toString('latin1', at, start - 1).split(' ');
    at = start;
    if (size !== undefined) at += Number(size) + 1;
    if (at > out.length) break;
    objects.push(size === undefined ? undefined : { id, content: out.subarray(start, start + Number(size)) });
  }
  return objects;
}

/** The entry itself, not the target of a link; undefined if there is none. */
export async function lstatOrUndefined(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
