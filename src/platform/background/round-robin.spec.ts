import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { roundRobin, shareOut } from './round-robin.js';

interface Item {
  readonly writer: string;
  readonly at: number;
}
const writerOf = ({ writer }: Item): string => writer;
const anyItems = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 })
  .map((writers) => writers.map((writer, at): Item => ({ writer, at })));

describe('items of several writers', () => {
  it('take turns: the first of each writer, then the second of each', () => {
    const text = (items: readonly string[]) => roundRobin(items, (item) => item.charAt(0));
    expect(text(['a1', 'a2', 'a3', 'c1', 'd1', 'd2'])).toEqual(['a1', 'c1', 'd1', 'a2', 'd2', 'a3']);
    expect(text([])).toEqual([]);
  });

  it('are all kept, and those of one writer in their order', () => {
    fc.assert(
      fc.property(anyItems, (items) => {
        const ordered = roundRobin(items, writerOf);
        expect([...ordered].sort((a, b) => a.at - b.at)).toEqual(items);
        for (const writer of 'abcd') {
          const own = ordered.filter((item) => item.writer === writer).map(({ at }) => at);
          expect(own).toEqual([...own].sort((a, b) => a - b));
        }
      }),
    );
  });

  it('leave each writer its share of any number of places', () => {
    fc.assert(
      fc.property(anyItems, fc.nat(40), (items, places) => {
        const count = (of: readonly Item[], writer: string) => of.filter((item) => item.writer === writer).length;
        const writers = new Set(items.map(writerOf));
        const first = roundRobin(items, writerOf).slice(0, places);
        for (const writer of writers)
          expect(count(first, writer)).toBeGreaterThanOrEqual(
            Math.min(count(items, writer), Math.floor(Math.min(places, items.length) / writers.size)),
          );
      }),
    );
  });
});

describe('places for ranked items of several writers', () => {
  it('are all those of the only writer, and leave one to the last of two', () => {
    const items = Array.from({ length: 12 }, (_, at): Item => ({ writer: 'a', at }));
    expect(shareOut(items, 10, writerOf)).toEqual(items.slice(0, 10));
    const late: Item = { writer: 'b', at: 12 };
    expect(shareOut([...items, late], 10, writerOf)).toEqual([...items.slice(0, 9), late]);
  });

  it('are filled in order, and sixteen are enough for the best of four writers', () => {
    fc.assert(
      fc.property(anyItems, fc.nat(40), (items, places) => {
        const chosen = shareOut(items, places, writerOf);
        expect(chosen).toHaveLength(Math.min(places, items.length));
        expect([...chosen].sort((a, b) => a.at - b.at)).toEqual(chosen);
        if (places < 16) return;
        for (const writer of 'abcd') {
          const best = items.find((item) => item.writer === writer);
          if (best) expect(chosen).toContain(best);
        }
      }),
    );
  });
});
