import { isUtf8 } from 'node:buffer';
import { sha256 } from '../platform/base/canonical-json.js';
import { optional } from '../platform/base/optional.js';
import { parseJson } from '../platform/base/parse-json.js';
import { parseLine, renderLine } from '../sessions/entries/entry-line.js';
import { HIT_SUMMARY } from '../sessions/entries/entry-search.js';
import { parseMemoryFile, readableMemory, renderMemoryFile } from '../sessions/entries/memory-file.js';
import {
  parseSessionFile,
  readableEntries,
  renderSessionFile,
  type SessionDocument,
  sessionFileName,
} from '../sessions/entries/session-file.js';
import { SessionMemoryError } from '../sessions/entries/session-memory.errors.js';
import type { SessionEntry, SessionMemoryProblem } from '../sessions/entries/session-memory.schema.js';
import { clip } from '../untrusted/text/clip.js';
import { type EntryStore, lacksSummary, type SessionReference, type StoredEntries } from './entry-store.js';
import type { MemoryFolder } from './memory-folder.js';

const SESSIONS = 'sessions';
const INDEX = 'index.json';
const MAX_INDEX_BYTES = 4 * 1024 * 1024;
/** Older files stay in the folder, but are not read. */
const MAX_SESSIONS = 500;
/** The date of a session whose entries have none. */
const NO_DATE = '1970-01-01T00:00:00.000Z';

interface ReadFile extends DecodedFile {
  readonly path: string;
  readonly sha256: string;
}

interface ReadFiles {
  readonly files: readonly ReadFile[];
  readonly problems: readonly SessionMemoryProblem[];
}

/** All entries in one file, or in a file for each session with `index.json`, which is derived from them. */
export class FileStore implements EntryStore {
  /** By path and hash of the bytes: a document knows its path. */
  private known = new Map<string, ReadFile>();
  private ownPath: string | undefined;

  constructor(
    private readonly folder: MemoryFolder,
    private readonly format: FileFormat,
  ) {}

  async load(): Promise<StoredEntries> {
    const found = await this.readAll();
    const isRepaired = !this.folder.isReadOnly && (found.files.some(isDamaged) || (await this.indexDiffers(found)));
    if (isRepaired) await this.folder.locked(() => this.repair());
    const { files, problems } = isRepaired ? await this.readAll() : found;
    const damaged = found.files.filter(isDamaged).map(({ path }) => ({ path, problem: 'damaged' }) as const);
    return {
      entries: files.flatMap(({ path, content }) => this.format.readable(content, path)),
      unsummarised: files.flatMap(unsummarised),
      problems: [...problems, ...files.flatMap(({ content }) => content.problems ?? []), ...damaged],
    };
  }

  async change(
    session: SessionReference,
    next: (entries: readonly SessionEntry[]) => readonly SessionEntry[],
  ): Promise<void> {
    await this.folder.locked(async () => {
      const { file } = this.format;
      if (file === undefined) await this.folder.makeFolder(SESSIONS);
      if (this.ownPath === undefined) await this.folder.removeTemporary(SESSIONS);
      const path = file ?? (await this.pathOf(session));
      const found = await this.read(path);
      if (found && 'problem' in found) throw this.unusable(found);
      const content = found?.content ?? { ...this.format.parse('', path), ...(file === undefined ? session : {}) };
      const isOwn = (entry: SessionEntry) => file === undefined || entry.session === session.session;
      const own = content.entries.filter(isOwn);
      const changed = next(own);
      if (changed === own) return;
      const entries = [...content.entries.filter((entry) => !isOwn(entry)), ...changed];
      const text = this.format.render({ ...content, entries }, path);
      if (Buffer.byteLength(text) > this.format.maxBytes) throw this.unusable({ path, problem: 'too_large' });
      if (found?.isDamaged) await this.folder.keepDamaged(path);
      await this.folder.write(path, text);
      this.ownPath = path;
      await this.writeIndex();
    });
  }

  /** Reads the newest files by name. A file that cannot be used becomes a problem. */
  private async readAll(): Promise<ReadFiles> {
    const paths = this.format.file === undefined ? await this.sessionPaths() : [this.format.file];
    const skipped = Math.max(0, paths.length - MAX_SESSIONS);
    const problems: SessionMemoryProblem[] = skipped ? [{ path: SESSIONS, problem: 'too_many', skipped }] : [];
    const files: ReadFile[] = [];
    for (const path of paths.slice(skipped)) {
      const read = await this.read(path);
      if (read && 'problem' in read) problems.push(read);
      else if (read) files.push(read);
    }
    this.known = new Map(files.map((file) => [keyOf(file), file]));
    return { files, problems };
  }

  private async sessionPaths(): Promise<string[]> {
    const names = await this.folder.list(SESSIONS);
    return names.filter((name) => /^[^.].*\.md$/.test(name)).map((name) => `${SESSIONS}/${name}`);
  }

  private async read(path: string): Promise<ReadFile | SessionMemoryProblem | undefined> {
    const bytes = await this.folder.read(path, this.format.maxBytes);
    if (bytes === undefined) return undefined;
    if (typeof bytes === 'string') return { path, problem: bytes };
    const one = { path, sha256: sha256(bytes) };
    return this.known.get(keyOf(one)) ?? { ...one, ...decodeFile(this.format, path, bytes) };
  }

  /** The file of a session: where it was written last, wherever a person moved it to, or a new one. */
  private async pathOf({ session, startedAt }: SessionReference): Promise<string> {
    const last = this.ownPath === undefined ? undefined : await this.read(this.ownPath);
    if (last && 'content' in last && last.content.session === session) return last.path;
    const { files } = await this.readAll();
    const found = files.find(({ content }) => content.session === session);
    if (found) return found.path;
    const taken = await this.folder.list(SESSIONS);
    const name = sessionFileName(startedAt);
    for (let n = 1; ; n += 1) {
      const file = `${name}${n === 1 ? '' : `-${n}`}.md`;
      if (!taken.includes(file)) return `${SESSIONS}/${file}`;
    }
  }

  /** Sets damaged files aside, writes what could be read of them, and derives the index. Only under the lock. */
  private async repair(): Promise<void> {
    await this.folder.removeTemporary(SESSIONS);
    for (const { path, content } of (await this.readAll()).files.filter(isDamaged)) {
      await this.folder.keepDamaged(path);
      if (content.entries.length + content.notes.length === 0) await this.folder.remove(path);
      else await this.folder.write(path, this.format.render(content, path));
    }
    await this.writeIndex();
  }

  private async indexDiffers(found: ReadFiles): Promise<boolean> {
    return this.format.file === undefined && renderIndex(found) !== (await this.indexText(found));
  }

  /** The text of the index; that of an empty one without it. Rejects if it is no file. */
  private async indexText(found: ReadFiles): Promise<string> {
    const bytes = await this.folder.read(INDEX, MAX_INDEX_BYTES);
    if (bytes === 'not_a_file') throw this.unusable({ path: INDEX, problem: bytes });
    return bytes === undefined && found.files.length === 0 ? renderIndex(found) : String(bytes ?? '');
  }

  /** Derives the index from the files. A text that this program would not write is set aside. Only under the lock. */
  private async writeIndex(): Promise<void> {
    if (this.format.file !== undefined) return;
    const found = await this.readAll();
    const before = await this.indexText(found);
    if (before !== '' && before !== renderJson(parseJson(before))) await this.folder.keepDamaged(INDEX);
    await this.folder.write(INDEX, renderIndex(found));
  }

  /** The error of a write to a file that cannot be used: nothing in it may be overwritten. */
  private unusable({ path, problem }: SessionMemoryProblem): SessionMemoryError {
    if (problem !== 'too_large')
      return new SessionMemoryError('memory.redirected', `${path} in the folder of the memory is not a regular file`);
    const message = `does not fit into the ${this.format.maxBytes} bytes of ${path}`;
    return new SessionMemoryError('memory.full', `${path} is full`, [{ field: 'content', message }]);
  }
}

const isDamaged = (file: ReadFile): boolean => file.isDamaged;

const keyOf = ({ path, sha256: hash }: Pick<ReadFile, 'path' | 'sha256'>): string => `${hash} ${path}`;

const renderJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Equal files give equal bytes. The hash of a file shows a reader whether its row is current. */
function renderIndex({ files }: ReadFiles): string {
  const sessions = files.map(({ path, content, sha256: hash }) => {
    const { startedAt, project, entries } = content;
    const summary = entries.find(({ kind }) => kind === 'session-summary');
    return {
      path,
      ...optional('date', startedAt),
      ...optional('project', project),
      summary: clip((summary?.content ?? '').replace(/\s+/g, ' '), HIT_SUMMARY),
      tags: summary?.tags ?? [],
      entries: entries.length,
      sha256: hash,
    };
  });
  return renderJson({ version: 1, sessions });
}

/**
 * The sessions of a file that never ended. A person may delete a summary, and what a person wrote stays as it is: a file
 * without an id is its own session.
 */
function unsummarised({ path, content: { entries, figures, startedAt } }: ReadFile): SessionReference[] {
  if (figures !== undefined && !entries.some(({ kind }) => kind === 'session-summary')) return [];
  return [...new Set(entries.map(({ session }) => session))].flatMap((session) => {
    const own = entries.filter((entry) => entry.session === session);
    if (session === undefined || session === path || !lacksSummary(own)) return [];
    const [first] = own;
    return [{ session, startedAt: startedAt ?? first?.at ?? NO_DATE, ...optional('project', first?.project) }];
  });
}

/** What a file of a memory holds. */
interface FileContent extends SessionDocument {
  /** Lines that are written back and not read. */
  readonly kept?: readonly string[];
  readonly problems?: readonly SessionMemoryProblem[];
}

/** How one kind of store writes its entries: the only things in which the stores in files differ. */
interface FileFormat {
  /** The one file of the memory. Without it, each session has a file. */
  readonly file?: string;
  /** Of a file that is read or written. */
  readonly maxBytes: number;
  parse(text: string, path: string): FileContent;
  render(content: FileContent, path: string): string;
  /** The entries for a reader, the notes of a person included. */
  readable(content: FileContent, path: string): readonly SessionEntry[];
}

const KIB = 1_024;
/** Older lines stay in the file, but are not read. */
const MAX_LINES = 10_000;

/** One Markdown file for each session. One of the maximum number of entries is smaller, unless every entry has its maximum length. */
const sessionFiles = (): FileFormat => ({
  maxBytes: 512 * KIB,
  parse: parseSessionFile,
  render: renderSessionFile,
  readable: readableEntries,
});

const markdown = (): FileFormat => ({
  file: 'memory.md',
  maxBytes: KIB * KIB,
  parse: (text, path) => ({ session: path, tags: [], ...parseMemoryFile(text, path) }),
  render: renderMemoryFile,
  readable: readableMemory,
});

/** One JSON object a line. Damaged lines are skipped, and kept. */
function jsonLines(): FileFormat {
  /** Entries by their line; undefined for a damaged one. A line that is parsed once is not redacted again. */
  let known = new Map<string, SessionEntry | undefined>();
  return {
    file: 'memory.jsonl',
    maxBytes: 8 * KIB * KIB,
    parse: (text, path) => {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      const newest = lines.slice(-MAX_LINES);
      const unread = lines.slice(0, -MAX_LINES);
      known = new Map(newest.map((line) => [line, known.has(line) ? known.get(line) : parseLine(line, path)]));
      const damaged = newest.filter((line) => known.get(line) === undefined);
      const problems = [
        { path, problem: 'damaged', skipped: damaged.length },
        { path, problem: 'too_many', skipped: unread.length },
      ] as const;
      return {
        session: path,
        tags: [],
        notes: [],
        entries: newest.flatMap((line) => known.get(line) ?? []),
        kept: [...unread, ...damaged],
        problems: problems.filter(({ skipped }) => skipped > 0),
      };
    },
    render: ({ kept = [], entries }) => [...kept, ...entries.map(renderLine), ''].join('\n'),
    readable: ({ entries }) => entries,
  };
}

/** The formats by the name of their store. */
export const FILE_FORMATS = { markdown, 'session-files': sessionFiles, jsonl: jsonLines };

/** A character that no file of a memory has, unless bytes of it were damaged. */
const DAMAGED = '\ufffd';
const isWhole = (text: string): boolean => !text.includes(DAMAGED);

interface DecodedFile {
  readonly content: FileContent;
  /** The bytes are not UTF-8 or have a NUL. Then the content is what is whole of it. */
  readonly isDamaged: boolean;
}

function decodeFile(format: FileFormat, path: string, bytes: Uint8Array): DecodedFile {
  const text = new TextDecoder('utf-8').decode(bytes);
  if (isUtf8(bytes) && !text.includes('\0')) return { content: format.parse(text, path), isDamaged: false };
  const { entries, notes, kept = [], session, ...rest } = format.parse(text.replaceAll('\0', DAMAGED), path);
  const content = {
    ...rest,
    // A damaged id could be that of no session; then the file has none.
    session: isWhole(session) ? session : path,
    entries: entries.filter(({ content: said }) => isWhole(said)),
    kept: kept.filter(isWhole),
    notes: notes.filter(({ heading, text: said }) => isWhole(heading + said)),
  };
  return { content, isDamaged: true };
}
