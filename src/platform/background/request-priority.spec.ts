import { describe, expect, it, jest } from '@jest/globals';
import { BeforeBackgroundWork, RequestPriority } from './request-priority.js';

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

/** Work that somebody waits for, until it is let go. */
function slow(priority: RequestPriority): { done: Promise<string>; let: () => void } {
  let go: () => void = () => undefined;
  const done = priority.runRequest(() => new Promise<string>((end) => (go = () => end('answer'))));
  return { done, let: () => go() };
}

describe('RequestPriority', () => {
  it('work that nobody waits for begins at once where nothing is to be answered, and else when the last answer is given', async () => {
    const priority = new RequestPriority();
    await priority.waitForRequests();
    const [one, other] = [slow(priority), slow(priority)];
    let quiet = false;
    const waiting = priority.waitForRequests().then(() => {
      quiet = true;
    });
    one.let();
    expect(await one.done).toBe('answer');
    await turns();
    expect(quiet).toBe(false);
    other.let();
    await waiting;
    expect(await other.done).toBe('answer');
  });

  it('a verb that answers requests is one of them, with what it is called with, from its call to its answer', async () => {
    class Recalls {
      constructor(
        readonly priority: RequestPriority,
        private readonly until: Promise<void>,
      ) {}

      @BeforeBackgroundWork()
      async recall(query: string, limit = 3): Promise<string> {
        await this.until;
        return `${query} ${limit}`;
      }
    }
    const priority = new RequestPriority();
    let go: () => void = () => undefined;
    const answer = new Recalls(priority, new Promise<void>((resolve) => (go = resolve))).recall('zeppelin');
    let quiet = false;
    const waiting = priority.waitForRequests().then(() => {
      quiet = true;
    });
    await turns();
    expect(quiet).toBe(false);
    go();
    expect(await answer).toBe('zeppelin 3');
    await waiting;
  });

  it('an answer that fails is one that nobody waits for any more', async () => {
    const priority = new RequestPriority();
    await expect(priority.runRequest(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await priority.waitForRequests();
  });

  it('after many answers more are expected: what can wait begins once none was asked for a while', async () => {
    jest.useFakeTimers();
    try {
      const priority = new RequestPriority();
      const answer = () => priority.runRequest(() => Promise.resolve('answer'));
      for (let n = 0; n < 30; n += 1) await answer();
      let quiet = false;
      const waiting = priority.waitForRequests().then(() => {
        quiet = true;
      });
      await jest.advanceTimersByTimeAsync(40);
      await answer();
      await jest.advanceTimersByTimeAsync(40);
      expect(quiet).toBe(false);
      await jest.advanceTimersByTimeAsync(20);
      await waiting;
      await answer();
      await priority.waitForRequests();
    } finally {
      jest.useRealTimers();
    }
  });

  it('where there is always something to be answered, what can wait is put off and not forgotten', async () => {
    jest.useFakeTimers();
    try {
      const priority = new RequestPriority();
      const endless = slow(priority);
      const waiting = priority.waitForRequests();
      await jest.advanceTimersByTimeAsync(1_000);
      await waiting;
      endless.let();
      await endless.done;
    } finally {
      jest.useRealTimers();
    }
  });
});
