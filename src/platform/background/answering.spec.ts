import { describe, expect, it, jest } from '@jest/globals';
import { Answering } from './answering.js';

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

/** Work that somebody waits for, until it is let go. */
function slow(answering: Answering): { done: Promise<string>; let: () => void } {
  let go: () => void = () => undefined;
  const done = answering.first(() => new Promise<string>((end) => (go = () => end('answer'))));
  return { done, let: () => go() };
}

describe('Answering', () => {
  it('work that nobody waits for begins at once where nothing is to be answered, and else when the last answer is given', async () => {
    const answering = new Answering();
    await answering.quiet();
    const [one, other] = [slow(answering), slow(answering)];
    let quiet = false;
    const waiting = answering.quiet().then(() => {
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

  it('an answer that fails is one that nobody waits for any more', async () => {
    const answering = new Answering();
    await expect(answering.first(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await answering.quiet();
  });

  it('after many answers more are expected: what can wait begins once none was asked for a while', async () => {
    jest.useFakeTimers();
    try {
      const answering = new Answering();
      const answer = () => answering.first(() => Promise.resolve('answer'));
      for (let n = 0; n < 30; n += 1) await answer();
      let quiet = false;
      const waiting = answering.quiet().then(() => {
        quiet = true;
      });
      await jest.advanceTimersByTimeAsync(40);
      await answer();
      await jest.advanceTimersByTimeAsync(40);
      expect(quiet).toBe(false);
      await jest.advanceTimersByTimeAsync(20);
      await waiting;
      await answer();
      await answering.quiet();
    } finally {
      jest.useRealTimers();
    }
  });

  it('where there is always something to be answered, what can wait is put off and not forgotten', async () => {
    jest.useFakeTimers();
    try {
      const answering = new Answering();
      const endless = slow(answering);
      const waiting = answering.quiet();
      await jest.advanceTimersByTimeAsync(1_000);
      await waiting;
      endless.let();
      await endless.done;
    } finally {
      jest.useRealTimers();
    }
  });
});
