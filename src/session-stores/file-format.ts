import { isUtf8 } from 'node:buffer';
import { parseLine, renderLine } from '../sessions/entries/entry-line.js';
import { parseMemoryFile, readableMemory, renderMemoryFile } from '../sessions/entries/memory-file.js';
import {
  parseSessionFile,
  readableEntries,
  renderSessionFile,
  type SessionDocument,
} from '../sessions/entries/session-file.js';
import type { SessionEntry, SessionMemoryProblem } from '../sessions/entries/session-memory.schema.js';

/** What a file of a memory holds. */
export interface FileContent extends SessionDocument {
  /** Lines that are written back and not read. */
  readonly kept?: readonly string[];
  readonly problems?: readonly SessionMemoryProblem[];
}

/** How one kind of store writes its entries: the only things in which the stores in files differ. */
export interface FileFormat {
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

export interface DecodedFile {
  readonly content: FileContent;
  /** The bytes are not UTF-8 or have a NUL. Then the content is what is whole of it. */
  readonly isDamaged: boolean;
}

export function decodeFile(format: FileFormat, path: string, bytes: Uint8Array): DecodedFile {
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
