import { execFile } from 'node:child_process';
import type { Stats } from 'node:fs';
import { lstat, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MINUTE_MS } from '../../platform/base/durations.js';
import type { GitObject, ObjectFormat } from './git-object.js';

const run = promisify(execFile);

const SCRATCH = 'guildbook-';
const OUTPUT_LIMIT = 64 * 1024 * 1024;
// Git holds a lock for milliseconds. A lock that is this much older belongs to a killed process.
const ABANDONED_MS = MINUTE_MS;

// The repository's own configuration may have been edited externally. Nothing in it may run a program or reach a
// network.
const FIXED_CONFIG = [
  `core.hooksPath=${devNull}`,
  `core.attributesFile=${devNull}`,
  'core.fsmonitor=false',
  'core.fsync=all',
  'core.filesRefLockTimeout=1000',
  'core.quotePath=false',
  'protocol.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
  // Every import stays one pack: one file to sync to disk instead of one per object.
  'fastimport.unpackLimit=0',
  'pack.compression=1',
  'log.showSignature=false',
  'i18n.commitEncoding=utf-8',
  'i18n.logOutputEncoding=utf-8',
].flatMap((setting) => ['-c', setting]);

export interface GitBinary {
  gitBinary: string;
  /** PATH, for git to find its own programs. Nothing else of the caller's environment reaches it. */
  path: string;
}

interface RunOptions {
  input?: string | Buffer;
  /** Another index file instead of `.git/index`. */
  index?: string;
  /** A folder made by `isolate`, instead of the repository. */
  isolated?: string;
  /** Further variables. None of them comes from a proposal. */
  environment?: Readonly<Record<string, string>>;
  /** Git is killed after this many milliseconds. */
  timeoutMs?: number;
}

/** Runs one git process per call for one repository, without a shell and with a minimal environment. */
export class GitCommand {
  readonly gitDir: string;
  #format: ObjectFormat | undefined;

  constructor(
    readonly root: string,
    private readonly binary: GitBinary,
  ) {
    this.gitDir = join(root, '.git');
  }

  /** Standard output as text without the last line end. Rejects if git fails. */
  async text(args: readonly string[], options: RunOptions = {}): Promise<string> {
    return (await this.bytes(args, options)).toString('utf8').replace(/\n$/, '');
  }

  /** Standard output as bytes. Rejects if git fails. */
  async bytes(args: readonly string[], options: RunOptions = {}): Promise<Buffer> {
    const { input = '', index, isolated, environment, timeoutMs } = options;
    const env = {
      PATH: this.binary.path,
      LC_ALL: 'C',
      // Set explicitly, so that git never searches for a repository in a parent folder.
      GIT_DIR: isolated ?? this.gitDir,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: devNull,
      GIT_ATTR_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
      ...environment,
    };
    const process = run(this.binary.gitBinary, [...FIXED_CONFIG, ...args], {
      cwd: this.root,
      env,
      encoding: 'buffer',
      maxBuffer: OUTPUT_LIMIT,
      windowsHide: true,
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    });
    // A git that fails before it has read its input closes the pipe. Its exit status tells why.
    process.child.stdin?.on('error', () => undefined).end(input);
    return (await process).stdout;
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
    // The head is nearly always in a loose file. Otherwise (packed references, another format) git is asked.
    const loose = await readFile(join(this.gitDir, 'refs', 'heads', 'main'), 'latin1').catch(() => '');
    const id = /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.exec(loose)?.[1];
    if (id !== undefined) return id;
    return (await this.text(['for-each-ref', '--format=%(objectname)', 'refs/heads/main'])) || undefined;
  }

  /** Hash algorithm of the repository's object ids. */
  async format(): Promise<ObjectFormat> {
    this.#format ??= (await this.text(['rev-parse', '--show-object-format'])) === 'sha256' ? 'sha256' : 'sha1';
    return this.#format;
  }

  /** The blob at a path of a commit; undefined if there is none or it is not a plain file. */
  async blobAt(commit: string, path: string): Promise<string | undefined> {
    const entry = await this.text(['ls-tree', '-z', '--full-tree', commit, '--', path]);
    return /^100(?:644|755) blob ([0-9a-f]+)\t/.exec(entry)?.[1];
  }

  /** Objects by any name that git accepts, in this order; undefined where there is none. */
  async objects(names: readonly string[]): Promise<(GitObject | undefined)[]> {
    if (names.length === 0) return [];
    const out = await this.bytes(['cat-file', '--batch'], { input: names.map((name) => `${name}\n`).join('') });
    let at = 0;
    return names.map(() => {
      // `<id> <kind> <size>`, the bytes, and a line end; or the name and `missing`.
      const start = out.indexOf('\n', at) + 1;
      const [id = '', , size] = out.toString('latin1', at, start - 1).split(' ');
      at = start;
      if (size === undefined) return undefined;
      at += Number(size) + 1;
      return { id, content: out.subarray(start, start + Number(size)) };
    });
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

  /**
   * Turns the folder into a repository that shares the objects of this one, but not its configuration, hooks or
   * references. What git writes there stays there.
   */
  async isolate(folder: string): Promise<string> {
    await mkdir(join(folder, 'refs'));
    await mkdir(join(folder, 'objects', 'info'), { recursive: true });
    await writeFile(join(folder, 'objects', 'info', 'alternates'), `${join(this.gitDir, 'objects')}\n`);
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
    const extension = '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n';
    if ((await this.format()) === 'sha256') await writeFile(join(folder, 'config'), extension);
    return folder;
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
