import { execFile } from 'node:child_process';
import { constants, rmSync } from 'node:fs';
import {
  type FileHandle,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/base/durations.js';
import type { ObjectFormat } from './git-object.js';

const run = promisify(execFile);

const PREFIX = 'guildbook-isolated-git-';
/** Larger than any configuration that a person writes. */
const MAX_CONFIG_BYTES = 256 * 1024;
const CONFIG_TIMEOUT_MS = MINUTE_MS;
// A cleaner of temporary files deletes what is some days old, file by file, so the folder is made again before.
const RENEWED_MS = HOUR_MS;
const ABANDONED_MS = 2 * DAY_MS;

/** References of our own, beside the branches. */
const OWN_REFERENCES = 'refs/guildbook';
const FOLDERS = ['objects', 'objects/pack', 'refs', 'refs/heads', OWN_REFERENCES];
const FILES = ['HEAD', 'config', 'index', 'packed-refs', 'refs/heads/main'];

/** Parts of a repository that would make another folder, or a network, part of it. */
const POINTERS: readonly (readonly [path: string, meaning: string])[] = [
  ['commondir', 'makes it a worktree of another repository'],
  ['gitdir', 'makes it a worktree of another repository'],
  ['shallow', 'cuts off its history. Fetch the rest with `git fetch --unshallow`'],
  [
    'objects/info/alternates',
    'takes objects from another folder. Copy them with `git repack -a -d`, then delete that file',
  ],
];

/** Extensions of the format that change nothing of what is read here; the others are refused, also unknown ones. */
const HARMLESS_EXTENSIONS = new Set(['noop', 'worktreeconfig', 'relativeworktrees', 'objectformat', 'refstorage']);

interface IsolatedFolder {
  readonly folder: string;
  readonly since: number;
  /** The parts of `objects` that it links to. */
  readonly linked: Set<string>;
}

/** The repository is built in a way that Guildbook does not read. The message is for an operator. */
export class UnusableRepository extends Error {
  constructor(reason: string) {
    super(`The skills folder cannot be used: ${reason}.`);
  }
}

/**
 * A git folder of our own, outside of the skills folder, which links to nothing but the objects and branches of the
 * skills repository. All calls of git run in it. So git never opens that repository's configuration, hooks, attributes,
 * alternates, grafts, replaced objects, submodules or worktrees, and an override for each of their keys is not needed.
 */
export class IsolatedGitDir {
  #current: IsolatedFolder | undefined;
  #making: Promise<void> | undefined;
  #previous: string | undefined;
  #format: { readonly stamp: string; readonly value: ObjectFormat } | undefined;

  constructor(
    private readonly gitDir: string,
    private readonly gitBinary: string,
    private readonly path: string,
  ) {}

  /** The folder, ready for use. */
  async folder(): Promise<string> {
    if (this.#current === undefined || performance.now() - this.#current.since > RENEWED_MS)
      this.#making ??= this.#make().finally(() => {
        this.#making = undefined;
      });
    await this.#making;
    if (this.#current === undefined) throw new Error('the folder of git was closed');
    await this.#linkObjects(this.#current);
    return this.#current.folder;
  }

  /** Hash algorithm of the repository's object ids. */
  async format(): Promise<ObjectFormat> {
    return this.#format?.value ?? (await this.check());
  }

  /** Throws UnusableRepository if the repository is built in a way that would need more than its objects and branches. */
  async check(): Promise<ObjectFormat> {
    if ((await kindOf(this.gitDir)) !== 'folder') throw new UnusableRepository('its .git is not a folder');
    for (const part of FOLDERS) await this.#require(part, 'folder');
    for (const part of FILES) await this.#require(part, 'file');
    for (const [part, meaning] of POINTERS)
      if (await hasContent(join(this.gitDir, part))) throw new UnusableRepository(`.git/${part} ${meaning}`);
    const stamp = await stampOf(join(this.gitDir, 'config'));
    if (this.#format?.stamp === stamp) return this.#format.value;
    const value = formatOf(await this.#settings());
    if (this.#format && this.#format.value !== value) throw new UnusableRepository('its object format changed');
    this.#format = { stamp, value };
    return value;
  }

  /** Creates what a repository lacks, without git, which would read a configuration that is there already. */
  async create(): Promise<void> {
    if ((await kindOf(this.gitDir)) === 'folder') await this.check();
    for (const part of [...FOLDERS, 'objects/info', 'refs/tags', 'info'])
      await mkdir(join(this.gitDir, part), { recursive: true });
    if ((await kindOf(join(this.gitDir, 'HEAD'))) !== undefined) return;
    const config =
      '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n';
    await writeNew(join(this.gitDir, 'config'), config);
    // The surrounding project tracks this file to keep the folder.
    await writeNew(join(this.gitDir, 'info', 'exclude'), '/.gitkeep\n');
    const folder = await mkdtemp(join(this.gitDir, 'guildbook-'));
    await writeNew(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
    await rename(join(folder, 'HEAD'), join(this.gitDir, 'HEAD'));
    await rm(folder, { recursive: true, force: true });
  }

  /** Deletes the folder. The next call of git makes another. */
  async close(): Promise<void> {
    const folders = [this.#previous, this.#current?.folder];
    this.#current = undefined;
    this.#previous = undefined;
    for (const folder of folders) if (folder !== undefined) await remove(folder);
  }

  async #make(): Promise<void> {
    const format = await this.format();
    const folder = await mkdtemp(join(tmpdir(), PREFIX));
    deleteAtExit(folder);
    const link = (part: string, kind: 'dir' | 'file') => symlink(join(this.gitDir, part), join(folder, part), kind);
    await mkdir(join(folder, 'objects'));
    await mkdir(join(folder, 'refs'));
    await Promise.all(['objects/pack', 'refs/heads', OWN_REFERENCES].map((part) => link(part, 'dir')));
    await link('packed-refs', 'file');
    const extension = '[extensions]\n\tobjectformat = sha256\n';
    const core = `[core]\n\trepositoryformatversion = ${format === 'sha256' ? 1 : 0}\n\tbare = true\n`;
    await writeFile(join(folder, 'config'), `${core}${format === 'sha256' ? extension : ''}`);
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
    // A git that runs may still use the one before.
    if (this.#previous !== undefined) await remove(this.#previous);
    this.#previous = this.#current?.folder;
    this.#current = { folder, since: performance.now(), linked: new Set() };
    if (this.#previous === undefined) await deleteAbandoned(folder);
  }

  /**
   * Links the parts of `objects` that hold single objects, one by one: `objects/info` names other folders and addresses
   * to take objects from. Objects are written before a reference to them, so those of a known commit are there.
   */
  async #linkObjects({ folder, linked }: IsolatedFolder): Promise<void> {
    for (const name of await readdir(join(this.gitDir, 'objects'))) {
      if (linked.has(name) || !/^[0-9a-f]{2}$/.test(name)) continue;
      await symlink(join(this.gitDir, 'objects', name), join(folder, 'objects', name), 'dir').catch(ignoreExisting);
      linked.add(name);
    }
  }

  async #require(part: string, wanted: 'file' | 'folder'): Promise<void> {
    const kind = await kindOf(join(this.gitDir, part));
    if (kind !== undefined && kind !== wanted)
      throw new UnusableRepository(`.git/${part} is not a plain ${wanted}; a link is not followed`);
  }

  /** The settings of the repository's configuration, from git's parser, which includes no other file. */
  async #settings(): Promise<[key: string, value: string][]> {
    const bytes = await readPlainFile(join(this.gitDir, 'config'), MAX_CONFIG_BYTES);
    if (bytes === undefined) return [];
    const env = {
      PATH: this.path,
      LC_ALL: 'C',
      GIT_DIR: devNull,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: devNull,
    };
    const args = ['config', '--file', '-', '--no-includes', '--null', '--list'];
    const call = run(this.gitBinary, args, { cwd: tmpdir(), env, timeout: CONFIG_TIMEOUT_MS, windowsHide: true });
    call.child.stdin?.on('error', () => undefined).end(bytes);
    const { stdout } = await call.catch(() => {
      throw new UnusableRepository('its .git/config cannot be read');
    });
    return stdout.split('\0').map((entry) => {
      const [key = '', ...value] = entry.split('\n');
      return [key, value.join('\n')];
    });
  }
}

/** Reads a plain file of at most this many bytes; undefined if there is none. Never waits for a pipe. */
export async function readPlainFile(path: string, maxBytes: number): Promise<Buffer | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const entry = await handle.stat();
    return entry.isFile() && entry.size <= maxBytes ? await handle.readFile() : undefined;
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}

function formatOf(settings: readonly (readonly [key: string, value: string])[]): ObjectFormat {
  const extensions = settings.filter(([key]) => key.startsWith('extensions.'));
  for (const [key, value] of extensions) {
    const name = key.slice('extensions.'.length);
    const isKnown = HARMLESS_EXTENSIONS.has(name) && (name !== 'refstorage' || value.toLowerCase() === 'files');
    if (!isKnown)
      throw new UnusableRepository(`its .git/config sets an extension that is not supported: ${word(name)}`);
  }
  const version = lastOf(settings, 'core.repositoryformatversion') ?? '0';
  if (version !== '0' && version !== '1') throw new UnusableRepository('its core.repositoryformatversion is unknown');
  const format = lastOf(extensions, 'extensions.objectformat') ?? 'sha1';
  if (format !== 'sha1' && format !== 'sha256') throw new UnusableRepository('its extensions.objectFormat is unknown');
  return format;
}

const lastOf = (settings: readonly (readonly [key: string, value: string])[], wanted: string): string | undefined =>
  settings.findLast(([key]) => key === wanted)?.[1];

const word = (text: string): string => text.replace(/[^a-z0-9-]/gi, '?').slice(0, 40);

/** The kind of the entry itself, not of the target of a link; undefined if there is none. */
async function kindOf(path: string): Promise<'file' | 'folder' | 'other' | undefined> {
  const entry = await lstat(path).catch(() => undefined);
  if (!entry) return undefined;
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'folder' : 'other';
}

async function hasContent(path: string): Promise<boolean> {
  const entry = await lstat(path).catch(() => undefined);
  return entry !== undefined && !(entry.isFile() && entry.size === 0);
}

async function stampOf(path: string): Promise<string> {
  const entry = await lstat(path).catch(() => undefined);
  return entry ? `${entry.ino} ${entry.size} ${entry.mtimeMs} ${entry.ctimeMs}` : '';
}

async function writeNew(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx' }).catch(ignoreExisting);
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

const foldersInUse = new Set<string>();
let isCleanedAtExit = false;

function deleteAtExit(folder: string): void {
  if (!isCleanedAtExit)
    process.once('exit', () => {
      for (const left of foldersInUse) rmSync(left, { recursive: true, force: true });
    });
  isCleanedAtExit = true;
  foldersInUse.add(folder);
}

async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  foldersInUse.delete(folder);
}

/** Deletes those that killed processes left behind, which are much older than the time after which one is renewed. */
async function deleteAbandoned(fresh: string): Promise<void> {
  const now = (await lstat(fresh)).mtimeMs;
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name);
    const entry = name.startsWith(PREFIX) ? await lstat(folder).catch(() => undefined) : undefined;
    if (entry?.isDirectory() && entry.uid === process.getuid?.() && now - entry.mtimeMs > ABANDONED_MS)
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}
