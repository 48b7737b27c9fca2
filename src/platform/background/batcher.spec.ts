import { describe, expect, it } from '@jest/globals';
import { Batcher } from './batcher.js';

/** Doubles numbers. A run waits until the test releases it. */
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

describe('Batcher', () => {
  it('runs the first item at once and the items that arrive meanwhile in one run', async () => {
    const { batcher, runs, letGo } = doubling();
    const answers = [1, 2, 3].map((n) => batcher.submit(n));
    expect(runs).toEqual([[1]]);
    await letGo();
    expect(await Promise.all(answers)).toEqual([2, 4, 6]);
    expect(runs).toEqual([[1], [2, 3]]);
  });

  it('runs items together only up to a weight, and a heavier one alone', async () => {
    const runs: number[][] = [];
    const batcher = new Batcher<number, number>(
      100,
      async (items) => {
        runs.push([...items]);
        return items;
      },
      { weight: { of: (item) => item, max: 10 } },
    );
    await Promise.all([1, 4, 6, 1, 50, 10, 2].map((item) => batcher.submit(item)));
    expect(runs).toEqual([[1], [4, 6], [1], [50], [10], [2]]);
  });

  it('runs at most the maximum number of items at once, in order of arrival', async () => {
    const { batcher, runs, letGo } = doubling(2);
    const answers = [1, 2, 3, 4, 5, 6].map((n) => batcher.submit(n));
    await letGo();
    expect(await Promise.all(answers)).toEqual([2, 4, 6, 8, 10, 12]);
    expect(runs).toEqual([[1], [2, 3], [4, 5], [6]]);
  });

  it('rejects only the bad item of a run', async () => {
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

  it('continues after a failure', async () => {
    const { batcher, letGo } = doubling();
    const bad = batcher.submit(13).catch((error: Error) => error.message);
    await letGo();
    expect(await bad).toBe('thirteen');
    const good = batcher.submit(4);
    await letGo();
    expect(await good).toBe(8);
  });

  it('with "together", rejects all items of a failed run without running them again', async () => {
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

  it('rejects all items if the run returns fewer results than items', async () => {
    const forgetful = new Batcher<number, number>(10, async () => []);
    await expect(forgetful.submit(1)).rejects.toThrow('0 results for 1 items');
  });
});
