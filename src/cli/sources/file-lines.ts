import { isUtf8 } from 'node:buffer';
import { LOST_LINE } from '../../capture/importers/import-tally.js';

/** The bytes of a file. `read` fills the buffer from a position and returns the number of bytes; 0 at the end. */
export interface Bytes {
  readonly size: number;
  read(into: Buffer, position: number): number;
}

const CHUNK = 1024 * 1024;
const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The lines of a text without empty ones, read while they are asked for: memory holds a part of the file and the line
 * that is not complete yet. Can be read several times. One that is too long, or not UTF-8, is counted, and `LOST_LINE`
 * stands for it.
 */
export class FileLines implements Iterable<string> {
  /** Lines that the last reading lost. */
  overlong = 0;
  undecodable = 0;

  constructor(
    private readonly bytes: Bytes,
    private readonly maxLine: number,
    private readonly onRead: (position: number) => void = () => undefined,
  ) {}

  *[Symbol.iterator](): Generator<string> {
    this.overlong = 0;
    this.undecodable = 0;
    // A part is never longer than a line may be, so that only a line over several parts can be too long.
    const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK, this.maxLine, this.bytes.size)));
    const open = new OpenLine(this.maxLine);
    for (let at = 0; ; ) {
      const length = this.bytes.read(chunk, at);
      if (length === 0) break;
      const hasMark = at === 0 && chunk.subarray(0, 3).equals(BYTE_ORDER_MARK);
      const part = chunk.subarray(hasMark ? 3 : 0, length);
      at += length;
      this.onRead(at);
      const end = part.lastIndexOf(NEWLINE);
      if (end === -1) open.add(part);
      else {
        const first = part.indexOf(NEWLINE);
        yield* this.decoded(open.close(part.subarray(0, first)));
        if (end > first) yield* this.decoded(part.subarray(first + 1, end));
        open.add(part.subarray(end + 1));
      }
    }
    yield* this.decoded(open.close(Buffer.alloc(0)));
  }

  /** `whole`: complete lines; undefined for one that was too long. */
  private *decoded(whole: Buffer | undefined): Generator<string> {
    if (whole === undefined) {
      this.overlong += 1;
      yield LOST_LINE;
      return;
    }
    if (isUtf8(whole)) {
      for (const line of whole.toString('utf8').split('\n')) if (line.trim() !== '') yield line;
      return;
    }
    for (let from = 0; from <= whole.length; ) {
      const found = whole.indexOf(NEWLINE, from);
      const end = found === -1 ? whole.length : found;
      const line = whole.subarray(from, end);
      from = end + 1;
      const isText = isUtf8(line);
      if (!isText) this.undecodable += 1;
      const text = isText ? line.toString('utf8') : LOST_LINE;
      if (text.trim() !== '') yield text;
    }
  }
}

/** A line that goes on in the next part of the file. Holds nothing of a line that is too long. */
class OpenLine {
  private parts: Buffer[] = [];
  private length = 0;

  constructor(private readonly maxLength: number) {}

  add(part: Buffer): void {
    this.length += part.length;
    if (this.length > this.maxLength) this.parts = [];
    // the part is a view of a buffer that is read into again
    else this.parts.push(Buffer.from(part));
  }

  close(end: Buffer): Buffer | undefined {
    this.add(end);
    const line = this.length > this.maxLength ? undefined : Buffer.concat(this.parts);
    this.parts = [];
    this.length = 0;
    return line;
  }
}
