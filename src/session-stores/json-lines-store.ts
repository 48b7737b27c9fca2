import { parseLine, renderLine } from '../sessions/entries/entry-line.js';
import type { SessionEntry, SessionMemoryProblem } from '../sessions/entries/session-memory.schema.js';
import { decodeText } from './decoded-text.js';
import {
  type EntryStore,
  type SessionReference,
  type StoredEntries,
  unusableFile,
  withoutSummary,
} from './entry-store.js';
import type { MemoryFolder } from './memory-folder.js';

const FILE = 'memory.jsonl';
const MAX_BYTES = 8 * 1024 * 1024;
/** Older lines stay in the file, but are not read. */
const MAX_LINES = 10_000;

/** All entries of all sessions in one file, `memory.jsonl`, one JSON object a line. Damaged lines are skipped. */
export class JsonLinesStore implements EntryStore {
  /** Entries by their line. Undefined for a damaged line. */
  private known = new Map<string, SessionEntry | undefined>();

  constructor(private readonly folder: MemoryFolder) {}

  async load(): Promise<StoredEntries> {
    const lines = await this.readLines();
    if ('problem' in lines) return { entries: [], unsummarised: [], problems: [lines] };
    const newest = lines.slice(-MAX_LINES);
    this.known = new Map(newest.map((line) => [line, this.entryIn(line)]));
    const entries = newest.flatMap((line) => this.entryIn(line) ?? []);
    const damaged = newest.length - entries.length;
    const unread = lines.length - newest.length;
    const problems: SessionMemoryProblem[] = [
      ...(damaged === 0 ? [] : [{ path: FILE, problem: 'damaged', skipped: damaged } as const]),
      ...(unread === 0 ? [] : [{ path: FILE, problem: 'too_many', skipped: unread } as const]),
    ];
    return { entries, unsummarised: withoutSummary(entries), problems };
  }

  async change(
    { session }: SessionReference,
    next: (entries: readonly SessionEntry[]) => readonly SessionEntry[],
  ): Promise<void> {
    await this.folder.locked(async () => {
      const lines = await this.readLines();
      if ('problem' in lines) throw unusableFile(lines, MAX_BYTES);
      const parsed = lines.map((line) => ({ line, entry: this.entryIn(line) }));
      const before = parsed.flatMap(({ entry }) => (entry?.session === session ? [entry] : []));
      const after = next(before);
      if (after === before) return;
      const removed = new Set(before.filter((entry) => !after.includes(entry)));
      const kept = parsed.filter(({ entry }) => entry === undefined || !removed.has(entry)).map(({ line }) => line);
      const added = after.filter((entry) => !before.includes(entry)).map(renderLine);
      const text = [...kept, ...added, ''].join('\n');
      if (Buffer.byteLength(text) > MAX_BYTES) throw unusableFile({ path: FILE, problem: 'too_large' }, MAX_BYTES);
      await this.keepIfDamaged();
      await this.folder.write(FILE, text);
    });
  }

  private entryIn(line: string): SessionEntry | undefined {
    return this.known.has(line) ? this.known.get(line) : parseLine(line, FILE);
  }

  private async readLines(): Promise<string[] | SessionMemoryProblem> {
    const bytes = await this.folder.read(FILE, MAX_BYTES);
    if (bytes === undefined) return [];
    if (typeof bytes === 'string') return { path: FILE, problem: bytes };
    return decodeText(bytes)
      .text.split('\n')
      .filter((line) => line.trim() !== '');
  }

  /** A file with bytes that are no text cannot be written back as it was. */
  private async keepIfDamaged(): Promise<void> {
    const bytes = await this.folder.read(FILE, MAX_BYTES);
    if (bytes instanceof Uint8Array && decodeText(bytes).isDamaged) await this.folder.keepDamaged(FILE);
  }
}
