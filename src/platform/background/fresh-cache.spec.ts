import { describe, expect, it } from '@jest/globals';
import { FreshCache, isFresh } from './fresh-cache.js';

/** Reads that end when the test says so. */
function readings() {
  const started: { done: (value: string) => void; failed: (error: Error) => void }[] = [];
  const now = { at: 1_000, endedTransactions: 0 };
  const held = new FreshCache(
    () => ({ ...now }),
    100,
    () => new Promise<string>((done, failed) => started.push({ done, failed })),
  );
  return { started, now, held };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('FreshCache', () => {
  it('a value is fresh for the maximum age, until this process writes, and never after the clock was set back', () => {
    const then = { at: 1_000, endedTransactions: 3 };
    expect(isFresh(then, { at: 1_100, endedTransactions: 3 }, 100)).toBe(true);
    expect(isFresh(then, { at: 1_101, endedTransactions: 3 }, 100)).toBe(false);
    expect(isFresh(then, { at: 1_000, endedTransactions: 4 }, 100)).toBe(false);
    expect(isFresh(then, { at: 999, endedTransactions: 3 }, 100)).toBe(false);
  });

  it('callers share one read while it runs and while its value is fresh', async () => {
    const { started, now, held } = readings();
    const asked = [held.get(), held.get()];
    started[0]?.done('first');
    expect(await Promise.all(asked)).toEqual(['first', 'first']);
    now.at += 50;
    expect(await held.get()).toBe('first');
    expect(started).toHaveLength(1);
  });

  it('reads again after a transaction of this process, even while a read is running', async () => {
    const { started, now, held } = readings();
    const before = held.get();
    now.endedTransactions += 1;
    const after = held.get();
    expect(started).toHaveLength(2);
    started[1]?.done('second');
    started[0]?.done('first');
    expect(await Promise.all([before, after])).toEqual(['first', 'second']);
    expect(await held.get()).toBe('second');
  });

  it('refreshes a value at half of its maximum age without making callers wait', async () => {
    const { started, now, held } = readings();
    const first = held.get();
    started[0]?.done('first');
    await first;
    now.at += 60;
    expect(await held.get()).toBe('first');
    expect(await held.get()).toBe('first');
    expect(started).toHaveLength(2);
    started[1]?.done('second');
    await turn();
    now.at += 60;
    expect(await held.get()).toBe('second');
  });

  it('a stale value is replaced by the running refresh, or by a new read if the refresh is stale as well', async () => {
    const { started, now, held } = readings();
    const first = held.get();
    started[0]?.done('first');
    await first;
    now.at += 60;
    await held.get();
    now.at += 60;
    const waiting = held.get();
    expect(started).toHaveLength(2);
    started[1]?.done('second');
    expect(await waiting).toBe('second');
    now.at += 101;
    void held.get();
    expect(started).toHaveLength(3);
  });

  it('a failed read rejects its callers, and the next caller reads again', async () => {
    const { started, held } = readings();
    const first = held.get();
    started[0]?.failed(new Error('away'));
    await expect(first).rejects.toThrow('away');
    const second = held.get();
    started[1]?.done('second');
    expect(await second).toBe('second');
  });

  it('keeps a fresh value if its refresh fails', async () => {
    const { started, now, held } = readings();
    const first = held.get();
    started[0]?.done('first');
    await first;
    now.at += 60;
    await held.get();
    started[1]?.failed(new Error('away'));
    await turn();
    expect(await held.get()).toBe('first');
    expect(started).toHaveLength(3);
  });
});
