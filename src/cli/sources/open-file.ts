import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Bytes } from './file-lines.js';
import { databaseReason, MAX_HELD, UnreadSource, unreadableReason } from './source.js';
import { unzstd, ZSTD } from './zstd.js';

/** Files that are no text have a zero byte here. Further on it can be what a crash left in a transcript. */
const HEAD = 1_024;
const GZIP = Buffer.from([0x1f, 0x8b]);
const SQLITE = Buffer.from('SQLite format 3\0');
const UTF16_LITTLE = Buffer.from([0xff, 0xfe]);
const UTF16_BIG = Buffer.from([0xfe, 0xff]);

/** An open file, whose bytes are text in UTF-8 as far as its beginning says. */
export interface OpenFile {
  readonly bytes: Bytes;
  readonly modifiedAt: string;
  /** Whether the file was shortened or rewritten since it was opened. It may have grown at its end. */
  hasChanged(): boolean;
  close(): void;
}

/**
 * Opens a regular file, and decodes one that is compressed (gzip, zstd) or begins with the mark of UTF-16. Never waits for a
 * pipe or a device. Throws an `UnreadSource`, or the error of the file system.
 */
export function openFile(path: string): OpenFile {
  // Not the link that may have replaced the file since it was found.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    const before = fstatSync(file);
    if (!before.isFile()) throw new UnreadSource('not a regular file');
    return {
      bytes: textOf(path, bytesOf(file, before.size)),
      modifiedAt: before.mtime.toISOString(),
      hasChanged: () => isOther(before, fstatSync(file)),
      close: () => closeSync(file),
    };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** The size is that of the moment of opening: what a running agent appends is for the next import. */
const bytesOf = (file: number, size: number): Bytes => ({
  size,
  read: (into, position) => readSync(file, into, 0, Math.max(0, Math.min(into.length, size - position)), position),
});

const isOther = (before: Stats, now: Stats): boolean =>
  now.size < before.size || (now.size === before.size && now.mtimeMs !== before.mtimeMs);

/** The bytes as UTF-8. Throws an `UnreadSource` for what is no text. */
function textOf(path: string, bytes: Bytes): Bytes {
  const head = beginningOf(bytes);
  const unpack = head.subarray(0, 2).equals(GZIP) ? gunzipped : head.subarray(0, 4).equals(ZSTD) ? unzstd : undefined;
  if (unpack === undefined) return decoded(path, bytes, head);
  const unpacked = heldBytes(unpack(wholeOf(bytes)));
  return decoded(path, unpacked, beginningOf(unpacked));
}

function decoded(path: string, bytes: Bytes, head: Buffer): Bytes {
  if (head.subarray(0, SQLITE.length).equals(SQLITE)) throw new UnreadSource(databaseReason(path));
  const mark = head.subarray(0, 2);
  const isLittle = mark.equals(UTF16_LITTLE);
  if (isLittle || mark.equals(UTF16_BIG)) {
    const whole = wholeOf(bytes).subarray(2);
    const even = whole.subarray(0, whole.length - (whole.length % 2));
    return heldBytes(Buffer.from((isLittle ? even : even.swap16()).toString('utf16le'), 'utf8'));
  }
  // A file of records can hold NUL where a write was cut.
  const first = head.find((byte) => byte !== 0 && byte > 32);
  if (head.includes(0) && first !== 0x7b && first !== 0x5b)
    throw new UnreadSource(unreadableReason(path) ?? 'binary file');
  return bytes;
}

function gunzipped(packed: Buffer): Buffer {
  try {
    return gunzipSync(packed, { maxOutputLength: MAX_HELD });
  } catch (error) {
    const isTooLarge = error instanceof RangeError;
    throw new UnreadSource(isTooLarge ? 'larger than 256 MiB when unpacked' : 'damaged gzip file');
  }
}

function beginningOf(bytes: Bytes): Buffer {
  const head = Buffer.alloc(Math.min(HEAD, bytes.size));
  return head.subarray(0, head.length === 0 ? 0 : bytes.read(head, 0));
}

function wholeOf(bytes: Bytes): Buffer {
  if (bytes.size > MAX_HELD) throw new UnreadSource('larger than 256 MiB');
  const whole = Buffer.alloc(bytes.size);
  let at = 0;
  for (let length = -1; at < whole.length && length !== 0; at += length) length = bytes.read(whole.subarray(at), at);
  return whole.subarray(0, at);
}

const heldBytes = (held: Buffer): Bytes => ({
  size: held.length,
  read: (into, position) => held.copy(into, 0, position),
});
