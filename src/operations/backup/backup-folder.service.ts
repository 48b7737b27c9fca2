import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '../../platform/base/error-text.js';
import { DirectoryInUseError, lockDirectory } from '../../platform/database/single-process-lock.js';
import { OperationError } from '../rows/operation.errors.js';
import { BACKUP_FORMAT, MANIFEST_FILE, Manifest } from './manifest.schema.js';

/**
 * A backup that is being written: a folder beside the final one, which it becomes at the end. So a folder of that name
 * is always complete. Only its owner may read it, because the signing key is in it.
 */
export class NewBackup {
  private readonly files: Record<string, string> = {};

  private constructor(
    private readonly final: string,
    readonly part: string,
    private readonly unlock: () => Promise<void>,
  ) {}

  /** Throws `OperationError` if the folder exists, or while another process writes it. */
  static async create(final: string): Promise<NewBackup> {
    if ((await lstat(final).catch(() => undefined)) !== undefined)
      throw new OperationError('backup.exists', `${final} exists. Name a folder that does not exist yet.`);
    const part = `${final}.part`;
    await mkdir(part, { recursive: true, mode: 0o700 });
    const release = await lockDirectory(part).catch((error: unknown) => {
      if (!(error instanceof DirectoryInUseError)) throw error;
      throw new OperationError(
        'backup.busy',
        `Another process is writing ${part}. Wait for it, or name another folder.`,
      );
    });
    const unlock = async () => {
      await release();
      await rm(`${part}.lock`, { recursive: true, force: true });
    };
    // What a killed process left behind.
    await rm(part, { recursive: true, force: true });
    await mkdir(join(part, 'database'), { recursive: true, mode: 0o700 });
    return new NewBackup(final, part, unlock);
  }

  /** Starts a file. The caller writes its pieces in order, and ends it. */
  async file(path: string): Promise<{ write(text: string): Promise<void>; end(): Promise<void> }> {
    const handle = await open(join(this.part, path), 'wx', 0o600);
    const hash = createHash('sha256');
    return {
      write: async (text) => {
        hash.update(text);
        await handle.writeFile(text);
      },
      end: async () => {
        this.files[path] = hash.digest('hex');
        await syncAndClose(handle);
      },
    };
  }

  /** Takes a file that another program wrote into the folder. */
  async adopt(path: string): Promise<void> {
    const handle = await open(join(this.part, path), 'r+');
    await handle.chmod(0o600);
    await syncAndClose(handle);
    this.files[path] = await sha256Of(join(this.part, path));
  }

  /** Deletes what was only needed meanwhile. */
  remove(path: string): Promise<void> {
    return rm(join(this.part, path), { recursive: true, force: true });
  }

  /** Writes the manifest and gives the folder its name. */
  async finish(manifest: Omit<Manifest, 'format' | 'files'>): Promise<Manifest> {
    const whole: Manifest = { format: BACKUP_FORMAT, ...manifest, files: this.files };
    const handle = await open(join(this.part, MANIFEST_FILE), 'wx', 0o600);
    await handle.writeFile(`${JSON.stringify(whole, null, 2)}\n`);
    await syncAndClose(handle);
    await syncFolder(join(this.part, 'database'));
    await syncFolder(this.part);
    await rename(this.part, this.final);
    await syncFolder(dirname(this.final));
    await this.unlock();
    return whole;
  }

  /** Leaves nothing behind. */
  async discard(): Promise<void> {
    await rm(this.part, { recursive: true, force: true });
    await this.unlock();
  }
}

/** A complete backup whose files are those of its manifest. */
export class Backup {
  private constructor(
    readonly folder: string,
    readonly manifest: Manifest,
  ) {}

  /** Throws `OperationError` if the folder is no backup, or if a file is missing, changed or unknown. */
  static async open(folder: string): Promise<Backup> {
    const backup = new Backup(folder, await readManifest(folder));
    for (const [path, wanted] of Object.entries(backup.manifest.files)) {
      if (path.split('/').includes('..') || path.startsWith('/')) throw damaged(folder, `names the file ${path}`);
      const found = await sha256Of(join(folder, path)).catch((error: unknown) => {
        throw damaged(folder, `lacks ${path} (${messageOf(error)})`);
      });
      if (found !== wanted) throw damaged(folder, `has another ${path} than was written`);
    }
    return backup;
  }

  /** The lines of a file, in batches of a few megabytes. */
  lines(path: string): AsyncIterable<readonly string[]> {
    return splitLines(createReadStream(join(this.folder, path)));
  }

  text(path: string): Promise<string> {
    return readFile(join(this.folder, path), 'utf8');
  }

  damaged(reason: string): OperationError {
    return damaged(this.folder, reason);
  }
}

function damaged(folder: string, reason: string): OperationError {
  return new OperationError('backup.damaged', `The backup ${folder} ${reason}. Use another backup.`);
}

async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST_FILE), 'utf8').catch(() => {
    const message = `${folder} is no complete backup: it has no ${MANIFEST_FILE}. Name a folder that "guildbook backup" wrote.`;
    throw new OperationError('backup.not_found', message);
  });
  const json = parsed(text);
  if (typeof json === 'object' && json !== null && 'format' in json && json.format !== BACKUP_FORMAT) {
    const message = `${folder} has a format that this version does not know. Restore it with the version that wrote it.`;
    throw new OperationError('backup.unknown_format', message);
  }
  const manifest = Manifest.safeParse(json);
  if (!manifest.success)
    throw damaged(folder, `has a manifest that cannot be read (${manifest.error.issues[0]?.path.join('.') || 'JSON'})`);
  return manifest.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

async function syncAndClose(handle: FileHandle): Promise<void> {
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** After a power cut, a folder must not have lost the names in it. Windows has no such call. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await syncAndClose(await open(folder, 'r'));
}

const MAX_LINES = 128;
const MAX_BYTES = 4 * 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Splits bytes into lines, at line feeds only, and yields them in batches: readline would also split at characters that
 * JSON leaves as they are. Bytes after the last line feed are a line as well.
 */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let lines: string[] = [];
  let bytes = 0;
  /** Parts of the line that has not ended. */
  let rest: Buffer[] = [];
  const take = (end: Buffer): void => {
    const line = rest.length === 0 ? end : Buffer.concat([...rest, end]);
    rest = [];
    lines.push(line.toString('utf8'));
    bytes += line.length;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      take(chunk.subarray(from, at));
      from = at + 1;
      if (lines.length < MAX_LINES && bytes < MAX_BYTES) continue;
      yield lines;
      lines = [];
      bytes = 0;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
  if (rest.length > 0) take(Buffer.alloc(0));
  if (lines.length > 0) yield lines;
}
