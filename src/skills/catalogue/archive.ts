import { gzipSync } from 'node:zlib';

const BLOCK = 512;

/** Returns the files as .tar.gz with SKILL.md at the root. The same files give the same bytes on every machine. */
export function archiveOf(files: ReadonlyMap<string, string>): Buffer {
  const parts = [...files].flatMap(([path, text]) => {
    const bytes = Buffer.from(text);
    return [header(path, bytes.length), bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
  });
  // Stored without compression and without an operating system, because compressed bytes may differ between versions of
  // a library.
  const archive = gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 0 });
  archive[9] = 255;
  return archive;
}

/** A ustar header of a plain file: owner and group 0, readable by all, without a date. */
function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  block.write(path, 0);
  block.write(octal(0o644, 7) + octal(0, 7) + octal(0, 7) + octal(size, 11) + octal(0, 11), 100);
  block.write('        0', 148);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)} `, 148);
  return block;
}
