import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Worker } from './worker.js';

/** A step that is let through by hand, one run at a time. */
class Gate {
  passed = 0;
  private waiting: (() => void)[] = [];

  step = async (): Promise<boolean> => {
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.passed += 1;
    return false;
  };
  get inside(): number {
    return this.waiting.length;
  }
  async open(): Promise<void> {
    this.waiting.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a worker', () => {
  const errors: unknown[] = [];

  beforeEach(() => {
    errors.length = 0;
    jest.spyOn(Logger.prototype, 'error').mockImplementation((message: unknown) => errors.push(message));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('runs once for everybody who asks within the same moment', async () => {
    let runs = 0;
    await new Promise<void>((ran) => {
      const worker = new Worker('test', async () => {
        runs += 1;
        ran();
        return false;
      });
      for (let n = 0; n < 5; n += 1) worker.wakeAfter(5);
      expect(runs).toBe(0);
    });
    expect(runs).toBe(1);
  });

  it('does at once what was to be done soon when somebody waits for it, and nothing of it once it is stopped', async () => {
    let runs = 0;
    const worker = new Worker('test', async () => {
      runs += 1;
      return false;
    });
    worker.wakeAfter(3_600_000);
    await worker.idle();
    expect(runs).toBe(1);
    worker.wakeAfter(3_600_000);
    await worker.stop();
    worker.wakeAfter(1);
    await worker.idle();
    expect(runs).toBe(1);
  });

  it('repeats its step until nothing is left', async () => {
    let left = 3;
    const worker = new Worker('test', async () => --left > 0);
    worker.wake();
    await worker.idle();
    expect(left).toBe(0);
  });

  it('does one thing at a time, and loses no ring that comes meanwhile', async () => {
    const gate = new Gate();
    const worker = new Worker('test', gate.step);
    worker.wake();
    for (let n = 0; n < 5; n += 1) worker.wake();
    expect(gate.inside).toBe(1);
    await gate.open();
    // The wake-ups during the run are one more run.
    expect({ passed: gate.passed, inside: gate.inside }).toEqual({ passed: 1, inside: 1 });
    await gate.open();
    await worker.idle();
    expect({ passed: gate.passed, inside: gate.inside }).toEqual({ passed: 2, inside: 0 });
  });

  it('is idle at once when nobody rang', async () => {
    await expect(new Worker('test', async () => true).idle()).resolves.toBeUndefined();
  });

  it('survives an error with one line in the log, and works at the next ring', async () => {
    let runs = 0;
    const worker = new Worker('test', async () => {
      runs += 1;
      if (runs === 1) throw new Error('the disk is full');
      return false;
    });
    worker.wake();
    await worker.idle();
    expect(errors).toEqual([expect.stringContaining('the disk is full')]);
    worker.wake();
    await worker.idle();
    expect(runs).toBe(2);
  });

  it('finishes its step when it is stopped, and starts no other', async () => {
    const gate = new Gate();
    const worker = new Worker('test', gate.step);
    worker.wake();
    worker.wake();
    const stopped = worker.stop();
    await gate.open();
    await stopped;
    worker.wake();
    expect({ passed: gate.passed, inside: gate.inside }).toEqual({ passed: 1, inside: 0 });
  });
});
