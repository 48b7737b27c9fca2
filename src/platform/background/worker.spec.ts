import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Injectable, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { Prisma } from '../generated/prisma/client.js';
import { QueueStates } from './queue-states.service.js';
import { defineWorker, Worker } from './worker.js';

/** A step that the test releases, one run at a time. */
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

  it('runs once for several delayed wake-ups', async () => {
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

  it('runs a delayed wake-up at once when idle() is awaited, and never after stop()', async () => {
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

  it('does not wait for ever for runs that take longer than the timer that asks for them', async () => {
    let runs = 0;
    const worker = new Worker('test', async () => {
      runs += 1;
      worker.wake();
      await new Promise((resolve) => setTimeout(resolve, 5));
      return false;
    });
    worker.wake();
    await worker.idle();
    // Each wake-up of a run is one run after it.
    expect(runs).toBeGreaterThanOrEqual(2);
    expect(runs).toBeLessThanOrEqual(3);
    await worker.stop();
  });

  it('repeats its step until nothing is left', async () => {
    let left = 3;
    const worker = new Worker('test', async () => --left > 0);
    worker.wake();
    await worker.idle();
    expect(left).toBe(0);
  });

  it('runs one step at a time and loses no wake-up during a run', async () => {
    const gate = new Gate();
    const worker = new Worker('test', gate.step);
    worker.wake();
    for (let n = 0; n < 5; n += 1) worker.wake();
    expect(gate.inside).toBe(1);
    await gate.open();
    // All wake-ups during the run cause one more run.
    expect({ passed: gate.passed, inside: gate.inside }).toEqual({ passed: 1, inside: 1 });
    await gate.open();
    await worker.idle();
    expect({ passed: gate.passed, inside: gate.inside }).toEqual({ passed: 2, inside: 0 });
  });

  it('is idle at once if it was never woken', async () => {
    await expect(new Worker('test', async () => true).idle()).resolves.toBeUndefined();
  });

  it('logs an error in one line and runs at the next wake-up', async () => {
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

  it('finishes the current step when it is stopped and starts no other', async () => {
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

describe('a defined worker', () => {
  const runs: string[] = [];
  const step = async (name: string) => {
    runs.push(name);
    return false;
  };
  @Injectable()
  class ByTime extends defineWorker({ every: 20, queues: { made: () => Prisma.sql`SELECT 0` } }) {
    protected step = () => step('by time');
  }
  @Injectable()
  class ByCalls extends defineWorker() {
    protected step = () => step('by calls');
  }

  it('runs at the start, by time and when it is called, shows its queues, and stops with the application', async () => {
    const registered: string[] = [];
    const queues = { register: (name: string) => registered.push(name) };
    const module = { module: class TestModule {}, imports: [ScheduleModule.forRoot()] };
    const providers = [ByTime, ByCalls, { provide: QueueStates, useValue: queues }];
    const app = await NestFactory.createApplicationContext({ ...module, providers }, { logger: false });
    while (runs.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(new Set(runs)).toEqual(new Set(['by time']));
    expect(registered).toEqual(['made']);
    app.get(ByCalls).wake();
    await app.get(ByCalls).idle();
    expect(runs).toContain('by calls');
    await app.close();
    const ended = runs.length;
    app.get(ByTime).wake();
    await app.get(ByTime).idle();
    expect(runs).toHaveLength(ended);
  });
});
