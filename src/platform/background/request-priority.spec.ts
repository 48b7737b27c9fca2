import { describe, expect, it, jest } from '@jest/globals';
import { BeforeBackgroundWork, RequestPriority } from './request-priority.js';

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

/** A request that runs until the test ends it. */
function slow(priority: RequestPriority): { done: Promise<string>; let: () => void } {
  let go: () => void = () => undefined;
  const done = priority.runRequest(() => new Promise<string>((end) => (go = () => end('answer'))));
  return { done, let: () => go() };
}

describe('RequestPriority', () => {
  it('background work starts at once without requests, and otherwise after the last one', async () => {
    const priority = new RequestPriority();
    await priority.waitForRequests({});
    const [one, other] = [slow(priority), slow(priority)];
    let quiet = false;
    const waiting = priority.waitForRequests({}).then(() => {
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

  it('a decorated method counts as a request while it runs and receives its arguments', async () => {
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
    const waiting = priority.waitForRequests({}).then(() => {
      quiet = true;
    });
    await turns();
    expect(quiet).toBe(false);
    go();
    expect(await answer).toBe('zeppelin 3');
    await waiting;
  });

  it('a failed request no longer blocks background work', async () => {
    const priority = new RequestPriority();
    await expect(priority.runRequest(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await priority.waitForRequests({});
  });

  it('after a burst of requests, background work waits for a pause', async () => {
    jest.useFakeTimers();
    try {
      const priority = new RequestPriority();
      const answer = () => priority.runRequest(() => Promise.resolve('answer'));
      for (let n = 0; n < 30; n += 1) await answer();
      let quiet = false;
      const waiting = priority.waitForRequests({}).then(() => {
        quiet = true;
      });
      await jest.advanceTimersByTimeAsync(40);
      await answer();
      await jest.advanceTimersByTimeAsync(40);
      expect(quiet).toBe(false);
      await jest.advanceTimersByTimeAsync(20);
      await waiting;
      await answer();
      await priority.waitForRequests({});
    } finally {
      jest.useRealTimers();
    }
  });

  it('if requests never pause, background work gets a fifth of the time', async () => {
    jest.useFakeTimers();
    try {
      const priority = new RequestPriority();
      const endless = slow(priority);
      const worker = {};
      let steps = 0;
      let isOver = false;
      const working = (async () => {
        for (; !isOver; steps += 1) {
          await priority.waitForRequests(worker);
          await new Promise((stepped) => setTimeout(stepped, 10));
        }
      })();
      await jest.advanceTimersByTimeAsync(11_010);
      expect(steps).toBe(201);
      isOver = true;
      endless.let();
      await jest.advanceTimersByTimeAsync(100);
      await working;
    } finally {
      jest.useRealTimers();
    }
  });

  it('if requests never pause, background work is delayed but still runs', async () => {
    jest.useFakeTimers();
    try {
      const priority = new RequestPriority();
      const endless = slow(priority);
      const waiting = priority.waitForRequests({});
      await jest.advanceTimersByTimeAsync(1_000);
      await waiting;
      endless.let();
      await endless.done;
    } finally {
      jest.useRealTimers();
    }
  });
});
