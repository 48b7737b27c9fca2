import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { ChainEntry, ChainPosition } from '../journal/chain.js';
import { StoredEntry } from '../journal/journal.schema.js';

/** No entry is longer: reports, the largest texts that the journal quotes from, are far smaller. */
const MAX_LINE = 4 * 1_024 * 1_024;
const CHUNK = 64 * 1_024;
const NEWLINE = 0x0a;
/** How every line of ours begins. */
const LINE_START = '{"seq":';
// A link in place of the file would let its owner choose what is written to; a FIFO would block the open. Windows knows
// neither flag.
const FLAGS =
  constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const OWNER_ONLY = 0o600;

/**
 * The journal as JSON lines in a file that only ever grows. It is opened for each batch, so that a rotation by renaming
 * needs no signal.
 */
@Injectable()
export class AuditFile {
  /**
   * The last entry in the file; undefined for a new or an empty one. Removes the part of a line that a crash or a full
   * disk left at the end. Throws if the file holds something else, which nothing may be appended to.
   */
  end(path: string): Promise<ChainPosition | undefined> {
    return this.opened(path, async (file) => {
      const { size } = await file.stat();
      const lastNewline = await lastIndexOf(file, size);
      if (lastNewline < size - 1) await this.trim(file, lastNewline + 1, size);
      if (lastNewline < 0) return undefined;
      const start = (await lastIndexOf(file, lastNewline)) + 1;
      return positionOf(await textBetween(file, start, lastNewline));
    });
  }

  /** Appends entries and waits until the disk has them. */
  append(path: string, entries: readonly ChainEntry[]): Promise<void> {
    return this.opened(path, async (file) => {
      await file.writeFile(entries.map(entryLine).join(''));
      await file.datasync();
    });
  }

  private async trim(file: FileHandle, from: number, size: number): Promise<void> {
    const rest = await textBetween(file, from, Math.min(size, from + LINE_START.length));
    if (!LINE_START.startsWith(rest)) throw notOurs();
    await file.truncate(from);
    await file.datasync();
  }

  private async opened<A>(path: string, use: (file: FileHandle) => Promise<A>): Promise<A> {
    const file = await open(path, FLAGS, OWNER_ONLY);
    try {
      const found = await file.stat();
      if (!found.isFile()) throw new Error('is not a regular file');
      if (found.size === 0) await syncFolder(dirname(path));
      return await use(file);
    } finally {
      await file.close();
    }
  }
}

const notOurs = (): Error => new Error('does not end with a journal entry; move the file away or name another one');

/** A new file survives a power cut only if its folder was written, too. Windows cannot open a folder. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The offset of the last newline before `end`; −1 if there is none. */
async function lastIndexOf(file: FileHandle, end: number): Promise<number> {
  for (let to = end; to > 0; ) {
    if (end - to > MAX_LINE) throw notOurs();
    const from = Math.max(0, to - CHUNK);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
    const at = buffer.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (at !== -1) return from + at;
    to = from;
  }
  return -1;
}

async function textBetween(file: FileHandle, from: number, to: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
  return buffer.subarray(0, bytesRead).toString('utf8');
}

function positionOf(line: string): ChainPosition {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw notOurs();
  }
  const entry = StoredEntry.safeParse(value);
  if (!entry.success) throw notOurs();
  return { seq: entry.data.seq, hash: entry.data.hash };
}

/** Bounds of one message. One entry is always sent, however long it is. */
export const MAX_ENTRIES = 200;
const MAX_LENGTH = 256 * 1_024;

/** One line of the journal as `guildbook journal export` writes it. */
export const entryLine = (entry: ChainEntry): string => `${JSON.stringify(entry)}\n`;

/** The first entries that fit into one message. */
export function firstBatch(entries: readonly ChainEntry[]): readonly ChainEntry[] {
  let length = 0;
  const end = entries.findIndex((entry, index) => {
    length += entryLine(entry).length;
    return index >= MAX_ENTRIES || (index > 0 && length > MAX_LENGTH);
  });
  return end === -1 ? entries : entries.slice(0, end);
}

/** The body of a message. The same entries make the same bytes, so that a repetition is recognised. */
export const messageOf = (streamId: string, entries: readonly ChainEntry[]): string =>
  JSON.stringify({ type: 'journal.entries', stream: streamId, entries });

/** The `webhook-id` of a message: the same for the same entries. */
export const messageId = (streamId: string, entries: readonly ChainEntry[]): string =>
  `${streamId}.${entries[0]?.seq ?? 0}-${entries.at(-1)?.seq ?? 0}`;
