import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CycleRepository } from '../../src/evolve/cycle/cycle.repository.js';
import { Evolver, SCHEDULE_ACTOR } from '../../src/evolve/cycle/evolver.service.js';
import { MiningState } from '../../src/evolve/window/mining-state.service.js';
import { jobActor } from '../../src/journal/actor.js';
import { UpkeepRepository } from '../../src/memory/upkeep/upkeep.repository.js';
import { Upkeep } from '../../src/memory/upkeep/upkeep.service.js';
import { MINUTE_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';

const REQUEST = { trigger: 'schedule', dryRun: false } as const;
/** The longest time for which a killed process keeps a job from the others. */
const LONGEST_MS = MINUTE_MS;

let app: TestApplication;

beforeAll(async () => {
  app = await startTestApplication();
});
afterAll(() => app.close());

/** Without the timers that it sets: those of a killed process end with it. */
async function withoutTimers<T>(work: () => Promise<T>): Promise<T> {
  const { setInterval } = globalThis;
  Object.assign(globalThis, { setInterval: () => ({ unref: () => undefined }) });
  try {
    return await work();
  } finally {
    Object.assign(globalThis, { setInterval });
  }
}

describe('a cycle whose process is killed', () => {
  it('holds the next one up for a minute, and is then closed as failed, once', async () => {
    const evolver = app.app.get(Evolver);
    const mining = app.app.get(MiningState);
    // It goes on no further, as if its process had been killed.
    Object.assign(mining, { advance: () => new Promise(() => undefined) });
    const { id: dead } = await withoutTimers(() => evolver.begin(SCHEDULE_ACTOR, REQUEST));
    Reflect.deleteProperty(mining, 'advance');
    app.clock.advance(LONGEST_MS / 2);
    await expect(evolver.run(SCHEDULE_ACTOR, REQUEST)).rejects.toMatchObject({ code: 'evolver.busy' });
    expect((await app.admin.evolver.report(dead)).state).toBe('running');
    app.clock.advance(LONGEST_MS / 2);
    const { items: listed } = await app.admin.evolver.reports();
    expect([(await app.admin.evolver.report(dead)).state, listed[0]?.state]).toEqual(['failed', 'failed']);
    expect((await evolver.run(SCHEDULE_ACTOR, REQUEST)).state).toBe('completed');
    expect((await evolver.run(SCHEDULE_ACTOR, REQUEST)).state).toBe('completed');
    expect(await app.admin.evolver.report(dead)).toMatchObject({
      state: 'failed',
      error: 'its process ended before it',
    });
    const { items } = await app.admin.journal.list({ action: 'SKILL_EVOLVER_CYCLE_FAILED' });
    expect(items.map(({ subject }) => subject.id)).toEqual([dead]);
  });
});

describe('a cycle that ends while its state is read', () => {
  it('is never shown as failed', async () => {
    const evolver = app.app.get(Evolver);
    const cycles = app.app.get(CycleRepository);
    const mining = app.app.get(MiningState);
    const { advance } = mining;
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    Object.assign(mining, {
      advance: async (...given: Parameters<typeof advance>) => {
        await gate;
        return advance.apply(mining, given);
      },
    });
    const { id, report } = await evolver.begin(SCHEDULE_ACTOR, REQUEST);
    Object.assign(cycles, {
      find: async (...given: Parameters<CycleRepository['find']>) => {
        Reflect.deleteProperty(cycles, 'find');
        const found = await cycles.find(...given);
        goOn();
        await report;
        return found;
      },
    });
    expect((await app.admin.evolver.report(id)).state).toBe('completed');
    Reflect.deleteProperty(mining, 'advance');
  });
});

describe('an upkeep run whose process is killed', () => {
  it('holds the next one up for a minute', async () => {
    const upkeep = app.app.get(Upkeep);
    const lessons = app.app.get(UpkeepRepository);
    const begun = new Promise<void>((resolve) => {
      const holders = (): Promise<never> => {
        resolve();
        return new Promise(() => undefined);
      };
      Object.assign(lessons, { holders });
    });
    await withoutTimers(() => {
      void upkeep.run(jobActor('test'), REQUEST);
      return begun;
    });
    Reflect.deleteProperty(lessons, 'holders');
    app.clock.advance(LONGEST_MS / 2);
    await expect(upkeep.run(jobActor('test'), REQUEST)).rejects.toMatchObject({ code: 'memory.upkeep_busy' });
    app.clock.advance(LONGEST_MS / 2);
    expect((await upkeep.run(jobActor('test'), REQUEST)).finishedAt).not.toBeNull();
  });
});
