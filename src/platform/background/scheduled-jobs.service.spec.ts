import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { MovableClock } from '../../../test/support/movable-clock.js';
import { DomainError } from '../base/domain.errors.js';
import { RandomIds } from '../base/ids.js';
import { loadConfig } from '../config/config.js';
import type { JobSchedule } from './job-schedule.js';
import { ScheduledJob, ScheduledJobs } from './scheduled-jobs.service.js';
import { ServerProcesses } from './server-processes.service.js';

const MINUTE = { everyMs: 60_000 };

/** A run that ends when `end` is called. */
const untilEnded = (begin: (end: () => void) => void): Promise<void> => new Promise((resolve) => begin(resolve));

describe('a scheduled job', () => {
  let test: TestDatabase;
  let clock: MovableClock;
  let started: ServerProcesses[];

  beforeAll(async () => {
    Logger.overrideLogger(false);
    test = await openTestDatabase();
  });
  afterAll(async () => {
    await test.database.close();
    await test.drop();
  });
  beforeEach(async () => {
    await test.database.client.scheduledJob.deleteMany();
    clock = new MovableClock();
    started = [];
  });
  afterEach(async () => {
    for (const one of started) await one.beforeApplicationShutdown();
  });

  class Unscheduled {
    @ScheduledJob({ name: 'unscheduled', schedule: () => ({ cron: 'off' }) })
    run(): void {}
  }

  /** A process with one job, which does not look for due jobs by itself. */
  async function processWith(run: () => Promise<void>, schedule: JobSchedule = MINUTE) {
    class Sweeper {
      @ScheduledJob({ name: 'sweep', schedule: () => schedule })
      sweep(): Promise<void> {
        return run();
      }
    }
    const own = new ServerProcesses({ host: '127.0.0.1', port: 0 }, 'here', test.database, clock, new RandomIds());
    const config = loadConfig({}, { jobPollMs: 86_400_000 });
    const jobs = new ScheduledJobs(config, test.database, clock, own);
    for (const service of [new Sweeper(), new Unscheduled()])
      await Reflect.get(service, 'onModuleInit').call(Object.assign(service, { scheduledJobs: jobs }));
    await jobs.onApplicationBootstrap();
    started.push(own);
    return jobs;
  }
  const counted = () => {
    const runs = { count: 0 };
    const run = async () => {
      runs.count += 1;
    };
    return { runs, run };
  };
  const row = () => test.database.client.scheduledJob.findUniqueOrThrow({ where: { name: 'sweep' } });

  it('runs when it is due, and not before; then it is due again', async () => {
    const { runs, run } = counted();
    const jobs = await processWith(run);
    await jobs.runDue();
    expect(runs.count).toBe(0);
    for (const expected of [1, 2]) {
      clock.advance(60_001);
      await jobs.runDue();
      await jobs.runDue();
      expect(runs.count).toBe(expected);
    }
    const [state] = await jobs.list();
    expect(state).toMatchObject({ name: 'sweep', schedule: 'every 60 s', state: 'waiting', outcome: 'completed' });
    expect(state?.dueAt.getTime()).toBeGreaterThan(clock.now().getTime() + 50_000);
  });

  it('runs once for three processes that see it due at the same time', async () => {
    const { runs, run } = counted();
    const processes = [await processWith(run), await processWith(run), await processWith(run)];
    for (let due = 1; due <= 5; due += 1) {
      clock.advance(60_001);
      await Promise.all(processes.map((jobs) => jobs.runDue()));
      expect(runs.count).toBe(due);
    }
  });

  it('is taken over a minute after the process that ran it has died, and not before', async () => {
    const [first, second] = [counted(), counted()];
    let die: () => void = () => undefined;
    const dying = await processWith(() =>
      untilEnded((end) => {
        die = end;
      }),
    );
    const other = await processWith(second.run);
    clock.advance(60_001);
    const never = dying.runDue();
    while ((await row()).holder === null) await new Promise((resolve) => setTimeout(resolve, 5));
    await other.runDue();
    clock.advance(59_000);
    await other.runDue();
    expect(second.runs.count).toBe(0);
    expect((await other.list())[0]).toMatchObject({ state: 'running', outcome: null, finishedAt: null });
    clock.advance(1_001);
    await other.runDue();
    expect([first.runs.count, second.runs.count]).toEqual([0, 1]);
    const after = await row();
    // The dead one, should it wake up, changes nothing of what the other did.
    die();
    await never;
    expect(await row()).toEqual(after);
  });

  it('is left at once to the others by a process that stops', async () => {
    const { runs, run } = counted();
    let end: () => void = () => undefined;
    const stopping = await processWith(() =>
      untilEnded((it) => {
        end = it;
      }),
    );
    const other = await processWith(run);
    clock.advance(60_001);
    const work = stopping.runDue();
    while ((await row()).holder === null) await new Promise((resolve) => setTimeout(resolve, 5));
    await stopping.beforeApplicationShutdown();
    await other.runDue();
    expect(runs.count).toBe(1);
    end();
    await work;
  });

  it('that finds such a run under way is tried again after 30 seconds, until it runs', async () => {
    let calls = 0;
    const run = async () => {
      calls += 1;
      if (calls < 3) throw new DomainError('conflict', 'sweep.busy', 'It is under way.');
    };
    const jobs = await processWith(run, { everyMs: 3_600_000 });
    clock.advance(3_600_001);
    for (const expected of [1, 2, 3, 3, 3]) {
      await jobs.runDue();
      expect(calls).toBe(expected);
      clock.advance(30_001);
    }
  });

  it('that fails is due again by its schedule, and says that it failed', async () => {
    const jobs = await processWith(() => Promise.reject(new Error('no space left')));
    clock.advance(60_001);
    await jobs.runDue();
    expect(await jobs.list()).toMatchObject([{ state: 'waiting', outcome: 'failed' }]);
    expect((await row()).dueAt.getTime()).toBeGreaterThan(clock.now().getTime() + 50_000);
  });

  it('that was missed while no process lived is made up once at the next start', async () => {
    const { runs, run } = counted();
    await processWith(run);
    clock.advance(10 * 60_000);
    const jobs = await processWith(run);
    await jobs.runDue();
    await jobs.runDue();
    expect(runs.count).toBe(1);
  });

  it('follows a changed schedule', async () => {
    const { run } = counted();
    await processWith(run, { everyMs: 3_600_000 });
    await processWith(run);
    expect(await row()).toMatchObject({ schedule: 'every 60 s' });
    expect((await row()).dueAt.getTime()).toBeLessThanOrEqual(clock.now().getTime() + 60_000);
  });

  it('whose schedule is off is none of this process', async () => {
    const jobs = await processWith(counted().run);
    expect((await jobs.list()).map(({ name }) => name)).toEqual(['sweep']);
    expect(jobs.next('unscheduled')).toBeUndefined();
  });
});
