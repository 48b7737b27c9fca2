import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LOST_LINE } from '../../capture/importers/import-tally.js';
import { type Bytes, FileLines } from './file-lines.js';

/** Gives at most `most` bytes at a time, as a file may. */
const bytesOf = (held: Buffer, most = Number.POSITIVE_INFINITY): Bytes => ({
  size: held.length,
  read: (into, position) => held.copy(into, 0, position, Math.min(held.length, position + Math.min(most, into.length))),
});
const linesOf = (text: string | Buffer, maxLine = 1_000, most?: number) => {
  const lines = new FileLines(bytesOf(Buffer.from(text), most), maxLine);
  return { read: [...lines], overlong: lines.overlong, undecodable: lines.undecodable };
};

describe('the lines of a file', () => {
  it('are those of its text, wherever the parts end in which it is read', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 1, max: 9 }), (texts, most) => {
        const text = texts.join('\n');
        const expected = text.split('\n').filter((line) => line.trim() !== '');
        // A mark at the beginning of a text is not part of it.
        if (expected[0]?.startsWith('\ufeff') === true) return;
        expect(linesOf(text, 10_000, most).read).toEqual(expected);
      }),
    );
  });

  it('can be read several times, and begin without the mark of the encoding', () => {
    const lines = new FileLines(bytesOf(Buffer.from('\ufeff{"a":1}\r\n\n{"b":2}')), 100);
    expect([...lines]).toEqual(['{"a":1}\r', '{"b":2}']);
    expect([...lines]).toEqual(['{"a":1}\r', '{"b":2}']);
  });

  it('leave a mark and are counted when they are too long, with all others read', () => {
    const long = 'x'.repeat(50);
    const text = [long, 'one', long, long, 'two', long].join('\n');
    for (const most of [1, 7, 60, 1_000])
      expect(linesOf(text, 20, most)).toEqual({
        read: [LOST_LINE, 'one', LOST_LINE, LOST_LINE, 'two', LOST_LINE],
        overlong: 4,
        undecodable: 0,
      });
  });

  it('leave a mark and are counted when they are not UTF-8', () => {
    const latin1 = Buffer.from('caf\u00e9 au lait', 'latin1');
    const text = Buffer.concat([Buffer.from('one\n'), latin1, Buffer.from('\ncaf\u00e9\n'), latin1]);
    for (const most of [1, 5, 1_000])
      expect(linesOf(text, 100, most)).toEqual({
        read: ['one', LOST_LINE, 'caf\u00e9', LOST_LINE],
        overlong: 0,
        undecodable: 2,
      });
  });

  it('are read as they are asked for', () => {
    let asked = 0;
    const endless: Bytes = {
      size: 1024 ** 4,
      read: (into) => {
        asked += 1;
        into.fill('one\n');
        return into.length;
      },
    };
    const lines = new FileLines(endless, 100)[Symbol.iterator]();
    expect([lines.next().value, lines.next().value, asked]).toEqual(['one', 'one', 1]);
  });
});
