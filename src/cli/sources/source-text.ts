import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { LOST_LINE, parseJson } from '../../capture/importers/import-tally.js';
import { FileLines } from './file-lines.js';
import { type OpenFile, openFile } from './open-file.js';
import { MAX_HELD, readFailure, type Source, UnreadSource } from './source.js';

/** Longer lines are no records: a prompt or an output of this size was never part of a conversation. */
export const MAX_LINE = 20_000_000;

/** The open text of a source. */
export interface SourceText {
  /** Size of what the lines hold, in bytes. */
  readonly size: number;
  readonly modifiedAt: string;
  /** Can be read several times. `maxLine`: in bytes. */
  lines(maxLine: number): Iterable<string>;
  /** The same lines, for a reading that is neither progress nor loses anything. */
  linesAhead(maxLine: number): Iterable<string>;
  /** What the last reading of the lines left out. */
  lost(): { readonly reason: string; readonly count: number }[];
  hasChanged(): boolean;
  close(): void;
}

/**
 * Opens a source. Throws an `UnreadSource`, or the error of the file system. `onRead`: with the number of bytes of the
 * source that have been read.
 */
export function openSource(source: Source, onRead: (bytes: number) => void = () => undefined): SourceText {
  if (source.kind === 'file') return textOfFile(openFile(source.path), onRead);
  return textOfRecords(source, source.kind === 'events' ? eventLines : openCodeDocument, onRead);
}

function textOfFile(file: OpenFile, onRead: (bytes: number) => void): SourceText {
  let last: FileLines | undefined;
  return {
    size: file.bytes.size,
    modifiedAt: file.modifiedAt,
    lines: (maxLine) => {
      last = new FileLines(file.bytes, maxLine, onRead);
      return last;
    },
    linesAhead: (maxLine) => new FileLines(file.bytes, maxLine),
    lost: () =>
      [
        { reason: 'line longer than 20 MB', count: last?.overlong ?? 0 },
        { reason: 'line that is not UTF-8', count: last?.undecodable ?? 0 },
      ].filter(({ count }) => count > 0),
    hasChanged: () => file.hasChanged(),
    close: () => file.close(),
  };
}

/** Record files by their paths; undefined for one that cannot be read, which is counted. */
type ReadRecord = (path: string) => string | undefined;

function textOfRecords(
  { files, bytes }: Source,
  linesOf: (files: readonly string[], read: ReadRecord) => Iterable<string>,
  onRead: (bytes: number) => void,
): SourceText {
  const lost = new Map<string, number>();
  const lose = (reason: string) => lost.set(reason, (lost.get(reason) ?? 0) + 1);
  let position = 0;
  const lines = () => ({
    [Symbol.iterator]: () => {
      lost.clear();
      position = 0;
      return linesOf(files, read)[Symbol.iterator]();
    },
  });
  const read: ReadRecord = (path) => {
    try {
      const { text, size } = wholeRecord(path);
      position += size;
      onRead(position);
      if (text === undefined) lose('record that is no JSON');
      return text;
    } catch (error) {
      const reason = readFailure(error);
      if (reason === undefined) throw error;
      lose(`record ${reason}`);
      return undefined;
    }
  };
  return {
    size: bytes,
    modifiedAt: statSync(files.at(-1) ?? '').mtime.toISOString(),
    lines,
    // one session, which ends with its last file
    linesAhead: () => [],
    lost: () => [...lost].map(([reason, count]) => ({ reason, count })),
    hasChanged: () => false,
    close: () => undefined,
  };
}

/** The text of a record in one line; undefined if it is no JSON. */
function wholeRecord(path: string): { text: string | undefined; size: number } {
  const file = openFile(path);
  try {
    const { size } = file.bytes;
    if (size > MAX_LINE) throw new UnreadSource('larger than 20 MB');
    // A line break in JSON stands between two values only.
    const text = [...new FileLines(file.bytes, MAX_LINE)].join(' ');
    return { text: parseJson(text) === undefined ? undefined : text, size };
  } finally {
    file.close();
  }
}

function* eventLines(files: readonly string[], read: ReadRecord): Generator<string> {
  for (const file of files) yield read(file) ?? LOST_LINE;
}

/** The session as `opencode export` prints it. */
function* openCodeDocument([session = '', ...files]: readonly string[], read: ReadRecord): Generator<string> {
  const ofSession = basename(session, '.json');
  const messages: unknown[] = [];
  let parts: unknown[] = [];
  let held = 0;
  for (const file of files) {
    const text = read(file);
    held += text?.length ?? 0;
    if (held > MAX_HELD) throw new UnreadSource('larger than 256 MiB');
    // A message lies in a folder with the name of its session, and its parts follow it.
    if (basename(dirname(file)) === ofSession) {
      // The parts of a message that cannot be read belong to no other. What cannot be read leaves a hole.
      parts = [];
      messages.push(text === undefined ? null : { info: parseJson(text), parts });
    } else parts.push(parseJson(text ?? 'null'));
  }
  yield JSON.stringify({ info: parseJson(read(session) ?? ''), messages });
}
