const MAX_LINES = 128;
const MAX_BYTES = 4 * 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Splits bytes into lines, at line feeds only, and yields them in batches: readline would also split at characters that
 * JSON leaves as they are. Bytes after the last line feed are a line as well.
 */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let lines: string[] = [];
  let bytes = 0;
  /** Parts of the line that has not ended. */
  let rest: Buffer[] = [];
  const take = (end: Buffer): void => {
    const line = rest.length === 0 ? end : Buffer.concat([...rest, end]);
    rest = [];
    lines.push(line.toString('utf8'));
    bytes += line.length;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      take(chunk.subarray(from, at));
      from = at + 1;
      if (lines.length < MAX_LINES && bytes < MAX_BYTES) continue;
      yield lines;
      lines = [];
      bytes = 0;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
  if (rest.length > 0) take(Buffer.alloc(0));
  if (lines.length > 0) yield lines;
}
