import { createHash } from 'node:crypto';

/** Bytes of a model or of a checkpoint that cannot be used: damaged, cut, or of another format. */
export class UnreadableModel extends Error {
  override readonly name = 'UnreadableModel';
}

/** What the bytes are: four letters, and the version of their format. */
export interface ModelFormat {
  readonly magic: string;
  readonly version: number;
}

const MAGIC_BYTES = 4;
const DIGEST_BYTES = 16;
/** Magic, version, number of parts. */
const HEAD_BYTES = MAGIC_BYTES + 8;
const MAX_PARTS = 64;

/**
 * Packs parts into bytes: magic, version, lengths, parts, and a digest by which damage is found. Numbers are little-
 * endian.
 */
export function packModel({ magic, version }: ModelFormat, parts: readonly ArrayBufferView[]): Uint8Array {
  const lengths = Uint32Array.from(parts, ({ byteLength }) => byteLength);
  const pieces = [Uint8Array.from(magic, (letter) => letter.charCodeAt(0)), Uint32Array.of(version, parts.length)];
  const body = Buffer.concat([...pieces, lengths, ...parts].map(bytesOf));
  return new Uint8Array(Buffer.concat([body, digestOf(body)]));
}

/** Returns copies of the parts. Throws UnreadableModel unless the bytes are complete and of exactly this format. */
export function unpackModel(bytes: Uint8Array, { magic, version }: ModelFormat): Uint8Array[] {
  const body = bytes.subarray(0, bytes.length - DIGEST_BYTES);
  const found = bytes.length < HEAD_BYTES + DIGEST_BYTES ? '' : String.fromCharCode(...bytes.subarray(0, MAGIC_BYTES));
  if (found !== magic) throw new UnreadableModel(`the bytes are not of the format ${magic}`);
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const [ownVersion, count] = [view.getUint32(MAGIC_BYTES, true), view.getUint32(MAGIC_BYTES + 4, true)];
  if (ownVersion !== version)
    throw new UnreadableModel(`the format ${magic} has version ${ownVersion}; this program reads ${version}`);
  if (!digestOf(body).equals(bytesOf(bytes.subarray(body.length))))
    throw new UnreadableModel(`the bytes of the format ${magic} are damaged`);
  if (count > MAX_PARTS || HEAD_BYTES + count * 4 > body.length)
    throw new UnreadableModel(`the format ${magic} cannot have ${count} parts`);
  const parts: Uint8Array[] = [];
  let at = HEAD_BYTES + count * 4;
  for (let part = 0; part < count; part++) {
    const end = at + view.getUint32(HEAD_BYTES + part * 4, true);
    parts.push(body.slice(at, end));
    at = end;
  }
  if (at !== body.length) throw new UnreadableModel(`the parts of the format ${magic} do not fill its bytes`);
  return parts;
}

/** The numbers of a part, of exactly this count. Throws UnreadableModel for another count, NaN or infinity. */
export function floatsOf(part: Uint8Array | undefined, count: number): Float32Array {
  if (part === undefined || part.byteLength !== count * 4)
    throw new UnreadableModel(`a part has ${part?.byteLength ?? 0} bytes in place of ${count * 4}`);
  const numbers = new Float32Array(part.slice().buffer);
  if (!numbers.every(Number.isFinite)) throw new UnreadableModel('a part holds a number that is not finite');
  return numbers;
}

/** The first hexadecimal digits of the SHA-256 of the bytes: models of different bytes have different names. */
export const shortHash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 8);

const bytesOf = (view: ArrayBufferView): Buffer => Buffer.from(view.buffer, view.byteOffset, view.byteLength);

const digestOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest().subarray(0, DIGEST_BYTES);
