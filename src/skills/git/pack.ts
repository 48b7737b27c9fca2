import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { compareText } from '../../platform/base/compare-text.js';
import { type GitObject, type ObjectFormat, type ObjectKind, objectId } from './git-object.js';

const TYPE = { commit: 1, tree: 2, blob: 3 } as const;
const OFFSET_DELTA = 6;
const LONGEST_COPY = 0xffffff;
const LONGEST_INSERT = 127;
/** A part of a new version: a range of the previous version, or new bytes. */
export type ContentPiece = readonly [from: number, to: number] | Buffer;

/** The previous version that an object is stored against; `pieces` if the difference is known. */
export interface DeltaSource {
  readonly before: GitObject;
  readonly pieces?: readonly ContentPiece[];
}

// The next version of a long file or tree is stored as a delta. Below this size a delta saves little.
const DELTA_FROM_BYTES = 256;
const COMPARED_AT_ONCE = 4_096;

/**
 * Builds a pack with its index in memory (gitformat-pack, version 2 of both). The result is what `git fast-import`
 * would write. It is many times faster if each commit changes one entry in a folder of thousands, because git sorts and
 * compares the whole folder.
 */
export class PackBuilder {
  readonly #parts: Buffer[] = [];
  readonly #entries = new Map<string, { offset: number; crc: number }>();
  #length = 12;

  constructor(private readonly format: ObjectFormat) {}

  /** Adds an object. It becomes a delta if its previous version is in this pack. */
  add(kind: ObjectKind, content: Buffer, origin?: DeltaSource): GitObject {
    const id = objectId(kind, content, this.format);
    if (this.#entries.has(id)) return { id, content };
    const base = origin && this.#entries.get(origin.before.id);
    const delta = base && content.length >= DELTA_FROM_BYTES ? deltaOf(origin, content) : undefined;
    const entry =
      base && delta
        ? [header(OFFSET_DELTA, delta.length), distance(this.#length - base.offset), deflateSync(delta, { level: 1 })]
        : [header(TYPE[kind], content.length), deflateSync(content, { level: 1 })];
    const bytes = Buffer.concat(entry);
    this.#entries.set(id, { offset: this.#length, crc: crc32(bytes) });
    this.#parts.push(bytes);
    this.#length += bytes.length;
    return { id, content };
  }

  /** Returns the two files. `name` is the same for the same objects. */
  finish(): { name: string; pack: Buffer; index: Buffer } {
    const count = this.#entries.size;
    const body = Buffer.concat([Buffer.from('PACK'), uint32(2), uint32(count), ...this.#parts]);
    const checksum = this.#hash(body);
    const pack = Buffer.concat([body, checksum]);
    const sorted = [...this.#entries].sort(([a], [b]) => compareText(a, b));
    const ids = Buffer.from(sorted.map(([id]) => id).join(''), 'hex');
    const fanout = Array.from({ length: 256 }, (_, first) =>
      uint32(sorted.filter(([id]) => Number.parseInt(id.slice(0, 2), 16) <= first).length),
    );
    const unsigned = Buffer.concat([
      Buffer.from([0xff, 0x74, 0x4f, 0x63]),
      uint32(2),
      ...fanout,
      ids,
      ...sorted.map(([, { crc }]) => uint32(crc)),
      // A batch is far below 2 GiB; larger offsets would need another table.
      ...sorted.map(([, { offset }]) => uint32(offset)),
      checksum,
    ]);
    return { name: `pack-${checksum.toString('hex')}`, pack, index: Buffer.concat([unsigned, this.#hash(unsigned)]) };
  }

  #hash(bytes: Buffer): Buffer {
    return createHash(this.format).update(bytes).digest();
  }
}

/** The delta from one version to the next; undefined if they share little. */
function deltaOf({ before, pieces }: DeltaSource, target: Buffer): Buffer | undefined {
  const all = pieces ?? diffPieces(before.content, target);
  const parts = all.flatMap((piece) => (Buffer.isBuffer(piece) ? inserts(piece) : copies(piece[0], piece[1])));
  const delta = Buffer.concat([varint(before.content.length), varint(target.length), ...parts]);
  return delta.length < target.length / 2 ? delta : undefined;
}

/** Finds the common start and end, and the new bytes between them. */
function diffPieces(base: Buffer, target: Buffer): ContentPiece[] {
  const most = Math.min(base.length, target.length);
  const same = (at: number, baseAt: number, length: number) =>
    base.compare(target, at, at + length, baseAt, baseAt + length) === 0;
  const front = sharedLength(most, (from, to) => same(from, from, to - from));
  const back = sharedLength(most - front, (from, to) => same(target.length - to, base.length - to, to - from));
  return [[0, front], target.subarray(front, target.length - back), [base.length - back, base.length]];
}

/** Length of the common part. `agree` compares the range `from` to `to`. */
function sharedLength(most: number, agree: (from: number, to: number) => boolean): number {
  let low = 0;
  while (low + COMPARED_AT_ONCE <= most && agree(low, low + COMPARED_AT_ONCE)) low += COMPARED_AT_ONCE;
  let high = Math.min(most, low + COMPARED_AT_ONCE);
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (agree(low, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function copies(from: number, to: number): Buffer[] {
  const all: Buffer[] = [];
  for (let at = from; at < to; at += LONGEST_COPY) {
    const part = Buffer.alloc(8);
    part[0] = 0xff;
    part.writeUInt32LE(at, 1);
    part.writeUIntLE(Math.min(LONGEST_COPY, to - at), 5, 3);
    all.push(part);
  }
  return all;
}

function inserts(bytes: Buffer): Buffer[] {
  const all: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += LONGEST_INSERT) {
    const part = bytes.subarray(at, at + LONGEST_INSERT);
    all.push(Buffer.from([part.length]), part);
  }
  return all;
}

function header(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 0x0f)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 0x80;
    bytes.push(rest & 0x7f);
  }
  return Buffer.from(bytes);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** Distance to the base in git's encoding, which adds one for each further byte. */
function distance(value: number): Buffer {
  const bytes = [value & 0x7f];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest -= 1;
    bytes.unshift((rest & 0x7f) | 0x80);
  }
  return Buffer.from(bytes);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
