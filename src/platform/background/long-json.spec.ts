import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hasLongList, jsonPieces } from './long-json.js';

const written = async (answer: Record<string, unknown>): Promise<string[]> => {
  const pieces: string[] = [];
  for await (const piece of jsonPieces(answer)) pieces.push(piece);
  return pieces;
};

describe('an answer with a long list', () => {
  it('is the same JSON as when it is written at once', async () => {
    const anyAnswer = fc.dictionary(
      fc.string(),
      fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()), fc.constant(undefined)),
    );
    await fc.assert(
      fc.asyncProperty(anyAnswer, async (answer) => {
        expect((await written(answer)).join('')).toBe(JSON.stringify(answer));
      }),
    );
  });

  it('is written in pieces, and the event loop runs in between', async () => {
    const items = Array.from({ length: 500 }, (_, n) => ({ n, text: 'x'.repeat(1_000) }));
    let turns = 0;
    let isRunning = true;
    const counting = (async () => {
      for (; isRunning; turns += 1) await nextTurn();
    })();
    const pieces = await written({ items, next: null });
    isRunning = false;
    await counting;
    expect(pieces.length).toBeGreaterThan(10);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(35_000);
    expect(turns).toBeGreaterThan(3);
  });

  it('is not an answer with a short list or another value', () => {
    const items = Array.from({ length: 20 }, (_, n) => n);
    expect([{ items }, { items: items.slice(1) }, items, null, 'text', undefined].map(hasLongList)).toEqual([
      ...[true, false, false, false, false, false],
    ]);
  });
});
