import { describe, expect, it } from '@jest/globals';
import { Batcher } from './batcher.js';

/** Doubles numbers; a run waits until it is let go. */
function doubling(atMost = 100) {
  const runs: number[][] = [];
  const gates: (() => void)[] = [];
  const batcher = new Batcher<number, number>(atMost, async (items) => {
    runs.push([...items]);
    await new Promise<void>((go) => gates.push(go));
    if (items.includes(13)) throw new Error('thirteen');
    return items.map((item) => 2 * item);
  });
  const letGo = async () => {
    for (let n = 0; n < 20; n += 1) {
      gates.shift()?.();
      await new Promise((tick) => setImmediate(tick));
    }
  };
  return { batcher, runs, letGo };
}

describe('what is done together', () => {
  it('begins at once, and what comes meanwhile is one run', async () => {
    const { batcher, runs, letGo } = doubling();
    const answers = [1, 2, 3].map((n) => batcher.submit(n));
    expect(runs).toEqual([[1]]);
    await letGo();
    expect(await Promise.all(answers)).toEqual([2, 4, 6]);
    expect(runs).toEqual([[1], [2, 3]]);
  });

  it('is never more than so many at a time, in the order in which it came', async () => {
    const { batcher, runs, letGo } = doubling(2);
    const answers = [1, 2, 3, 4, 5, 6].map((n) => batcher.submit(n));
    await letGo();
    expect(await Promise.all(answers)).toEqual([2, 4, 6, 8, 10, 12]);
    expect(runs).toEqual([[1], [2, 3], [4, 5], [6]]);
  });

  it('a bad one fails alone, and those beside it are done', async () => {
    const { batcher, letGo } = doubling();
    const answers = Promise.allSettled([1, 2, 13, 3].map((n) => batcher.submit(n)));
    await letGo();
    expect((await answers).map((answer) => (answer.status === 'fulfilled' ? answer.value : 'failed'))).toEqual([
      2,
      4,
      'failed',
      6,
    ]);
  });

  it('goes on after a failure', async () => {
    const { batcher, letGo } = doubling();
    const bad = batcher.submit(13).catch((error: Error) => error.message);
    await letGo();
    expect(await bad).toBe('thirteen');
    const good = batcher.submit(4);
    await letGo();
    expect(await good).toBe(8);
  });

  it('fails together where each one alone would fail again, and is run once', async () => {
    const runs: number[][] = [];
    let go = (): void => undefined;
    const batcher = new Batcher<number, number>(
      10,
      async (items) => {
        runs.push([...items]);
        await new Promise<void>((resolve) => (go = resolve));
        throw new Error('away');
      },
      { onBatchFailure: 'together' },
    );
    const answers = Promise.allSettled([1, 2, 3].map((n) => batcher.submit(n)));
    go();
    while (runs.length < 2) await new Promise((tick) => setImmediate(tick));
    go();
    expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(runs).toEqual([[1], [2, 3]]);
  });

  it('fewer answers than items are a failure of all of them', async () => {
    const forgetful = new Batcher<number, number>(10, async () => []);
    await expect(forgetful.submit(1)).rejects.toThrow('0 answers for 1 items');
  });
});
