import { sha256 } from '../platform/base/canonical-json.js';
import { optional } from '../platform/base/optional.js';
import {
  parseSessionFile,
  readableEntries,
  renderSessionFile,
  type SessionDocument,
  sessionFileName,
} from '../sessions/entries/session-file.js';
import type { SessionEntry, SessionMemoryProblem } from '../sessions/entries/session-memory.schema.js';
import { decodeText, isWhole } from './decoded-text.js';
import {
  type EntryStore,
  lacksSummary,
  type SessionReference,
  type StoredEntries,
  unusableFile,
} from './entry-store.js';
import type { MemoryFolder } from './memory-folder.js';
import { type IndexRow, indexRow, parseIndex, renderIndex } from './session-index.js';

const SESSIONS = 'sessions';
const INDEX = 'index.json';
/** A session of the maximum number of entries is smaller, unless every entry has its maximum length. */
const MAX_FILE_BYTES = 512 * 1024;
const MAX_INDEX_BYTES = 4 * 1024 * 1024;
/** Older files stay in the folder, but are not read. */
const MAX_SESSIONS = 500;

interface ReadFile {
  readonly path: string;
  readonly sha256: string;
  readonly document: SessionDocument;
}

/** One Markdown file for each session in `sessions/`, and `index.json`, which is derived from them. */
export class SessionFileStore implements EntryStore {
  /** Parsed files by the hash of their bytes. */
  private known = new Map<string, SessionDocument>();
  private ownPath: string | undefined;

  constructor(private readonly folder: MemoryFolder) {}

  async load(): Promise<StoredEntries> {
    const { files, problems } = await this.readAll();
    const rows = files.map((file) => indexRow(file.path, file.sha256, file.document));
    if (!this.folder.isReadOnly && (problems.some(isDamaged) || (await this.indexDiffers(rows)))) {
      await this.repair(problems.filter(isDamaged));
      return this.collect(await this.readAll(), problems.filter(isDamaged));
    }
    return this.collect({ files, problems }, []);
  }

  async change(
    session: SessionReference,
    next: (entries: readonly SessionEntry[]) => readonly SessionEntry[],
  ): Promise<void> {
    await this.folder.locked(async () => {
      await this.folder.makeFolder(SESSIONS);
      if (this.ownPath === undefined) await this.folder.removeTemporary(SESSIONS);
      const found = (await this.find(session)) ?? { path: await this.freePath(session), document: emptyOf(session) };
      const entries = next(found.document.entries);
      if (entries === found.document.entries) return;
      const text = renderSessionFile({ ...found.document, entries }, found.path);
      if (Buffer.byteLength(text) > MAX_FILE_BYTES)
        throw unusableFile({ path: found.path, problem: 'too_large' }, MAX_FILE_BYTES);
      await this.folder.write(found.path, text);
      this.ownPath = found.path;
      await this.updateIndex(found.path, text);
    });
  }

  /** Reads the newest files by name. A file that cannot be used becomes a problem. */
  private async readAll(): Promise<{ files: ReadFile[]; problems: SessionMemoryProblem[] }> {
    const names = (await this.folder.list(SESSIONS)).filter((name) => name.endsWith('.md') && !name.startsWith('.'));
    const problems: SessionMemoryProblem[] =
      names.length > MAX_SESSIONS
        ? [{ path: SESSIONS, problem: 'too_many', skipped: names.length - MAX_SESSIONS }]
        : [];
    const files: ReadFile[] = [];
    for (const name of names.slice(-MAX_SESSIONS)) {
      const read = await this.readFile(`${SESSIONS}/${name}`);
      if (read === undefined) continue;
      if ('problem' in read) problems.push(read);
      else files.push(read);
    }
    this.known = new Map(files.map((file) => [keyOf(file), file.document]));
    return { files, problems };
  }

  private async readFile(path: string): Promise<ReadFile | SessionMemoryProblem | undefined> {
    const bytes = await this.folder.read(path, MAX_FILE_BYTES);
    if (bytes === undefined) return undefined;
    if (typeof bytes === 'string') return { path, problem: bytes };
    const hash = sha256(bytes);
    const { text, isDamaged: damaged } = decodeText(bytes);
    if (damaged) return { path, problem: 'damaged' };
    const document = this.known.get(keyOf({ path, sha256: hash })) ?? parseSessionFile(text, path);
    return { path, sha256: hash, document };
  }

  /** The file of a session: where it was written last, or wherever a person moved it to. */
  private async find({ session }: SessionReference): Promise<Pick<ReadFile, 'path' | 'document'> | undefined> {
    const isOwn = (file: Awaited<ReturnType<SessionFileStore['readFile']>>): file is ReadFile =>
      file !== undefined && 'document' in file && file.document.session === session;
    const last = this.ownPath === undefined ? undefined : await this.readFile(this.ownPath);
    return isOwn(last) ? last : (await this.readAll()).files.find(isOwn);
  }

  private async freePath({ startedAt }: SessionReference): Promise<string> {
    const taken = new Set(await this.folder.list(SESSIONS));
    const name = sessionFileName(startedAt);
    for (let n = 1; ; n += 1) {
      const file = `${name}${n === 1 ? '' : `-${n}`}.md`;
      if (!taken.has(file)) return `${SESSIONS}/${file}`;
    }
  }

  private async updateIndex(path: string, text: string): Promise<void> {
    const known = await this.readIndex();
    if (known === undefined) return this.writeIndex();
    const row = indexRow(path, sha256(text), parseSessionFile(text, path));
    await this.folder.write(INDEX, renderIndex([...known.filter((other) => other.path !== path), row]));
  }

  private async writeIndex(): Promise<void> {
    const { files } = await this.readAll();
    const rows = files.map((file) => indexRow(file.path, file.sha256, file.document));
    await this.folder.write(INDEX, renderIndex(rows));
  }

  /** Undefined without an index, and for one that is damaged. Rejects if it is no file. */
  private async readIndex(): Promise<IndexRow[] | undefined> {
    const bytes = await this.folder.read(INDEX, MAX_INDEX_BYTES);
    if (bytes === 'not_a_file') throw unusableFile({ path: INDEX, problem: bytes }, MAX_INDEX_BYTES);
    return bytes === undefined || bytes === 'too_large' ? undefined : parseIndex(bytes.toString('utf8'));
  }

  private async indexDiffers(rows: readonly IndexRow[]): Promise<boolean> {
    const known = await this.readIndex();
    return known === undefined ? rows.length > 0 : renderIndex(known) !== renderIndex(rows);
  }

  /** Sets damaged files aside, writes what could be read of them, and derives the index from the files. */
  private async repair(damaged: readonly SessionMemoryProblem[]): Promise<void> {
    await this.folder.locked(async () => {
      await this.folder.removeTemporary(SESSIONS);
      for (const { path } of damaged) await this.salvage(path);
      if ((await this.readIndex()) === undefined && (await this.folder.typeOf(INDEX)) !== undefined)
        await this.folder.keepDamaged(INDEX);
      await this.writeIndex();
    });
  }

  private async salvage(path: string): Promise<void> {
    const bytes = await this.folder.read(path, MAX_FILE_BYTES);
    if (bytes === undefined || typeof bytes === 'string') return;
    const { text, isDamaged: damaged } = decodeText(bytes);
    if (!damaged) return;
    const { entries, notes, session, ...document } = parseSessionFile(text, path);
    await this.folder.keepDamaged(path);
    const rest = {
      ...document,
      // A damaged id could be that of no session; then the file has none.
      session: isWhole(session) ? session : path,
      entries: entries.filter(({ content }) => isWhole(content)),
      notes: notes.filter((note) => isWhole(note.heading + note.text)),
    };
    if (rest.entries.length + rest.notes.length === 0) await this.folder.remove(path);
    else await this.folder.write(path, renderSessionFile(rest, path));
  }

  private collect(
    { files, problems }: { files: readonly ReadFile[]; problems: readonly SessionMemoryProblem[] },
    repaired: readonly SessionMemoryProblem[],
  ): StoredEntries {
    return {
      entries: files.flatMap(({ path, document }) => readableEntries(document, path)),
      unsummarised: files.flatMap(unsummarised),
      problems: [...problems, ...repaired],
    };
  }
}

const isDamaged = ({ problem }: SessionMemoryProblem): boolean => problem === 'damaged';

/** A document knows its path, so equal bytes at two paths are two documents. */
const keyOf = ({ path, sha256: hash }: Pick<ReadFile, 'path' | 'sha256'>): string => `${hash} ${path}`;

const emptyOf = ({ session, project, startedAt }: SessionReference): SessionDocument => ({
  session,
  startedAt,
  tags: [],
  entries: [],
  notes: [],
  ...optional('project', project),
});

/** A session that never ended gets a summary. A person may delete one, and what a person wrote stays as it is. */
function unsummarised({ path, document }: ReadFile): SessionReference[] {
  const { entries, figures, session, startedAt, project } = document;
  const wasDeleted = figures !== undefined && !entries.some(({ kind }) => kind === 'session-summary');
  const isMissing = !wasDeleted && session !== path && lacksSummary(entries);
  return isMissing && startedAt !== undefined ? [{ session, startedAt, ...optional('project', project) }] : [];
}
