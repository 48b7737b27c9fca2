import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import work, { type Work } from '../../../test/support/threads/work.thread.js';
import { CONSTANTS } from '../config/constants.js';
import { ThreadPool, type ThreadPoolSettings, threadTask } from './thread-pool.js';

const WORK = threadTask(work, '../../../test/support/threads/work.thread', import.meta.url);
const RUN = { key: 'ada', size: 10, limitMs: 60_000 };

let pool: ThreadPool;

function open(settings: Partial<ThreadPoolSettings> = {}): void {
  pool = new ThreadPool({ ...CONSTANTS, inlineCharacters: 9, ...settings });
}

const run = (does: Work['does'], more: Partial<typeof RUN> = {}, name = does as string) =>
  pool.run(WORK, { does, name }, { ...RUN, ...more });

function spinning(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

describe('the pool of threads', () => {
  afterEach(() => pool.onApplicationShutdown());

  it('returns the result of a task, and its own error', async () => {
    open();
    expect(await run('answers')).toBe('answers');
    await expect(run('throws')).rejects.toThrow('no throws');
    expect(await run('answers')).toBe('answers');
  });

  it('the event loop runs meanwhile', async () => {
    open({ threadStartMs: 2_000 });
    let turns = 0;
    const slow = run('hangs', { limitMs: 0 }).catch(() => 'ended');
    while ((await Promise.race([slow, sleep(5)])) !== 'ended') turns += 1;
    expect(turns).toBeGreaterThan(5);
  });

  it.each(['hangs', 'ends', 'fills its memory'] as const)('replaces a thread that %s', async (does) => {
    // Long enough to load the file: the next run needs a new thread.
    open({ threadStartMs: 5_000, threadHeapMiB: 64 });
    await expect(run(does, { limitMs: 0 })).rejects.toThrow();
    expect(await run('answers')).toBe('answers');
  });

  it('runs small work in this thread, one piece after the other with pauses', async () => {
    open();
    let turns = 0;
    let isRunning = true;
    const counting = (async () => {
      for (; isRunning; turns += 1) await nextTurn();
    })();
    // The work of each takes longer than the event loop may be blocked.
    const spin = threadTask(spinning, './not-started.thread', import.meta.url);
    await Promise.all(Array.from({ length: 20 }, () => pool.run(spin, 3, { ...RUN, size: 9 })));
    isRunning = false;
    await counting;
    expect(turns).toBeGreaterThanOrEqual(20);
  });

  it('callers take turns, so that one with many runs does not hold up another', async () => {
    open();
    const ended: string[] = [];
    const follow = (key: string, name: string) => run('answers', { key }, name).then((done) => ended.push(done));
    await Promise.all([
      ...[1, 2, 3, 4, 5, 6].map((n) => follow('greedy', `greedy ${n}`)),
      follow('other', 'the only one of another'),
    ]);
    expect(ended.indexOf('the only one of another')).toBeLessThanOrEqual(2);
    expect(ended.filter((name) => name.startsWith('greedy'))).toEqual([1, 2, 3, 4, 5, 6].map((n) => `greedy ${n}`));
  });

  it('refuses what cannot wait, first of the caller who has most waiting', async () => {
    open({ waitingCharactersOfCaller: 25, waitingCharacters: 40 });
    const accepted = [1, 2, 3].map(() => run('answers'));
    await expect(run('answers')).rejects.toMatchObject({ code: 'request.rate_limited', retryAfterSeconds: 5 });
    const other = run('answers', { key: 'bo', size: 20 });
    const refused = run('answers', { key: 'cy', size: 20 });
    await expect(refused).rejects.toMatchObject({ code: 'server.busy', retryAfterSeconds: 5 });
    expect(await Promise.all([...accepted, other])).toHaveLength(4);
    expect(await run('answers')).toBe('answers');
  });

  it('leaves a share of what may wait to the next caller', async () => {
    open({ waitingCharactersOfCaller: 40, waitingCharacters: 40 });
    // The first one does not wait.
    const accepted = [1, 2, 3].map(() => run('answers'));
    await expect(run('answers')).rejects.toMatchObject({ code: 'request.rate_limited' });
    expect(await Promise.all([...accepted, run('answers', { key: 'bo' })])).toHaveLength(4);
  });

  it('a single run is never too large to wait', async () => {
    open({ waitingCharactersOfCaller: 25, waitingCharacters: 40 });
    expect(await run('answers', { size: 1_000 })).toBe('answers');
  });
});
