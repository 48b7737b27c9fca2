import { sha256 } from '../platform/base/canonical-json.js';
import {
  type MemoryDocument,
  parseMemoryFile,
  readableMemory,
  renderMemoryFile,
} from '../sessions/entries/memory-file.js';
import type { SessionEntry, SessionMemoryProblem } from '../sessions/entries/session-memory.schema.js';
import { decodeText, isWhole } from './decoded-text.js';
import {
  type EntryStore,
  type SessionReference,
  type StoredEntries,
  unusableFile,
  withoutSummary,
} from './entry-store.js';
import type { MemoryFolder } from './memory-folder.js';

const FILE = 'memory.md';
const MAX_BYTES = 1024 * 1024;
const EMPTY: MemoryDocument = { entries: [], notes: [] };

/** All entries of all sessions in one Markdown file, `memory.md`. */
export class MarkdownStore implements EntryStore {
  private known: { readonly hash: string; readonly document: MemoryDocument } | undefined;

  constructor(private readonly folder: MemoryFolder) {}

  async load(): Promise<StoredEntries> {
    const read = await this.read();
    if ('problem' in read && read.problem === 'damaged' && !this.folder.isReadOnly) {
      await this.folder.locked(() => this.salvage());
      const rest = await this.read();
      return this.collect('problem' in rest ? EMPTY : rest, [read]);
    }
    return 'problem' in read ? this.collect(EMPTY, [read]) : this.collect(read, []);
  }

  async change(
    { session }: SessionReference,
    next: (entries: readonly SessionEntry[]) => readonly SessionEntry[],
  ): Promise<void> {
    await this.folder.locked(async () => {
      await this.salvage();
      const read = await this.read();
      if ('problem' in read) throw unusableFile(read, MAX_BYTES);
      const isOwn = (entry: SessionEntry): boolean => entry.session === session;
      const before = read.entries.filter(isOwn);
      const after = next(before);
      if (after === before) return;
      const entries = [...read.entries.filter((entry) => !isOwn(entry)), ...after];
      const text = renderMemoryFile({ ...read, entries });
      if (Buffer.byteLength(text) > MAX_BYTES) throw unusableFile({ path: FILE, problem: 'too_large' }, MAX_BYTES);
      await this.folder.write(FILE, text);
    });
  }

  private async read(): Promise<MemoryDocument | SessionMemoryProblem> {
    const bytes = await this.folder.read(FILE, MAX_BYTES);
    if (bytes === undefined) return EMPTY;
    if (typeof bytes === 'string') return { path: FILE, problem: bytes };
    const hash = sha256(bytes);
    if (this.known?.hash === hash) return this.known.document;
    const { text, isDamaged } = decodeText(bytes);
    if (isDamaged) return { path: FILE, problem: 'damaged' };
    const document = parseMemoryFile(text, FILE);
    this.known = { hash, document };
    return document;
  }

  /** Sets a damaged file aside and writes what could be read of it. Only under the lock. */
  private async salvage(): Promise<void> {
    const bytes = await this.folder.read(FILE, MAX_BYTES);
    if (bytes === undefined || typeof bytes === 'string') return;
    const { text, isDamaged } = decodeText(bytes);
    if (!isDamaged) return;
    const { entries, notes } = parseMemoryFile(text, FILE);
    await this.folder.keepDamaged(FILE);
    const rest = {
      entries: entries.filter(({ content }) => isWhole(content)),
      notes: notes.filter((note) => isWhole(note.heading + note.text)),
    };
    await this.folder.write(FILE, renderMemoryFile(rest));
  }

  private collect(document: MemoryDocument, problems: readonly SessionMemoryProblem[]): StoredEntries {
    const entries = readableMemory(document, FILE);
    return { entries, unsummarised: withoutSummary(entries), problems };
  }
}
