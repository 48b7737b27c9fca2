import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { splitLines } from './backup-folder.service.js';

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function batches(text: string, size: number): Promise<string[][]> {
  const all: string[][] = [];
  for await (const lines of splitLines(chunksOf(Buffer.from(text), size))) all.push(lines);
  return all;
}

describe('the lines of a file', () => {
  it('are those between line feeds, wherever the chunks end', async () => {
    const line = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\n', '\u2028'));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 300 }), fc.integer({ min: 1, max: 50 }), async (lines, size) => {
        const all = await batches(lines.map((text) => `${text}\n`).join(''), size);
        expect(all.flat()).toEqual(lines);
        expect(all.every(({ length }) => length >= 1 && length <= 128)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('include one that does not end, and come in smaller batches if they are long', async () => {
    expect(await batches('a\nb', 2)).toEqual([['a', 'b']]);
    const long = `${'x'.repeat(3_000_000)}\n`.repeat(4);
    expect((await batches(long, 65_536)).map(({ length }) => length)).toEqual([2, 2]);
  });
});
