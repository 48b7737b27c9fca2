import { Decompress, decompress } from 'fzstd';
import { MAX_HELD, UnreadSource } from './source.js';

export const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const FRAME = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
const MAX_BLOCK = 128 * 1024;
/** The largest window that `zstd` itself accepts by default. */
const MAX_WINDOW = 128 * 1024 * 1024;
/** The library moves the whole window after each block. Windows of the usual 8 MiB reach this with 1 GiB of text. */
const MAX_MOVED = 64 * 1024 ** 3;

interface Frame {
  readonly bytes: Buffer;
  /** Size of its content, if the header says it. */
  readonly size: number | undefined;
}

/**
 * The content of a zstd file. Sizes are those of the blocks, added before anything is unpacked, because a header can
 * claim any size. Throws an `UnreadSource` for one that is damaged, cut or too large.
 */
export function unzstd(packed: Buffer): Buffer {
  try {
    return Buffer.concat(framesOf(packed).map(contentOf));
  } catch (error) {
    if (error instanceof UnreadSource) throw error;
    throw new UnreadSource('damaged zstd file, or one that is still written');
  }
}

/** The frames of a file, within the bounds of memory and of work. Reading beyond the end throws a `RangeError`. */
function framesOf(packed: Buffer): Frame[] {
  const frames: Frame[] = [];
  let most = 0;
  let moved = 0;
  for (let at = 0; at < packed.length; ) {
    const magic = packed.readUInt32LE(at);
    if (magic >>> 4 === SKIPPABLE >>> 4) {
      at += 8 + packed.readUInt32LE(at + 4);
      continue;
    }
    if (magic !== FRAME) throw new RangeError('no frame');
    const frame = headerOf(packed, at);
    let isLast = false;
    let end = frame.blocks;
    while (!isLast) {
      const block = packed.readUIntLE(end, 3);
      isLast = (block & 1) === 1;
      const type = (block >> 1) & 3;
      const length = block >> 3;
      // A block of one repeated byte; a compressed one says its size in its content.
      end += 3 + (type === 1 ? 1 : length);
      most += type === 2 ? Math.min(MAX_BLOCK, frame.window) : length;
      moved += frame.size === undefined ? frame.window : 0;
      if (most > MAX_HELD || moved > MAX_MOVED) throw new UnreadSource('larger than 256 MiB when unpacked');
    }
    end += frame.hasChecksum ? 4 : 0;
    if (end > packed.length || (frame.size ?? 0) > most) throw new RangeError('cut');
    frames.push({ bytes: packed.subarray(at, end), size: frame.size });
    at = end;
  }
  return frames;
}

/** The header of a frame after RFC 8878, 3.1.1.1. */
function headerOf(packed: Buffer, at: number) {
  const descriptor = packed.readUInt8(at + 4);
  const isSingle = (descriptor & 0x20) !== 0;
  if ((descriptor & 3) !== 0) throw new UnreadSource('compressed with a dictionary; unpack it first');
  const described = isSingle ? 0 : packed.readUInt8(at + 5);
  const sizeAt = at + (isSingle ? 5 : 6);
  const sizeBytes = descriptor >> 6 === 0 ? Number(isSingle) : 1 << (descriptor >> 6);
  const size = sizeBytes === 0 ? undefined : sizeIn(packed, sizeAt, sizeBytes);
  const window = isSingle ? (size ?? 0) : 2 ** (10 + (described >> 3)) * (1 + (described & 7) / 8);
  if (window > MAX_WINDOW && !isSingle) throw new UnreadSource('packed with a window above 128 MiB; unpack it first');
  return { size, window, hasChecksum: (descriptor & 4) !== 0, blocks: sizeAt + sizeBytes };
}

function sizeIn(packed: Buffer, at: number, bytes: number): number {
  if (bytes === 8) return Number(packed.readBigUInt64LE(at));
  return packed.readUIntLE(at, bytes) + (bytes === 2 ? 256 : 0);
}

function contentOf({ bytes, size }: Frame): Buffer {
  if (size !== undefined) {
    const whole = Buffer.alloc(size);
    if (size > 0) decompress(bytes, whole);
    return whole;
  }
  const parts: Buffer[] = [];
  let held = 0;
  new Decompress((part) => {
    held += part.length;
    if (held > MAX_HELD) throw new UnreadSource('larger than 256 MiB when unpacked');
    parts.push(Buffer.from(part));
  }).push(bytes, true);
  return Buffer.concat(parts);
}
