import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SchedulerRegistry } from '@nestjs/schedule';
import { startTestApplication, type TestApplication } from '../../test/support/application.js';
import { report } from '../../test/support/reports.js';
import { SkillWatchJob } from './skill-watch.job.js';
import { SkillWatch } from './skill-watch.service.js';

let app: TestApplication;

beforeAll(async () => {
  app = await startTestApplication();
  // The test advances time itself: the timers' own ticks would be counted too.
  const timers = app.app.get(SchedulerRegistry);
  for (const name of timers.getIntervals()) timers.deleteInterval(name);
});
afterAll(() => app.close());

describe('the skill watch', () => {
  it('runs at the start, after executions were captured, and otherwise every five minutes', async () => {
    const watch = jest.spyOn(app.app.get(SkillWatch), 'wake');
    const ticks = (count: number): number => {
      const before = watch.mock.calls.length;
      for (let n = 0; n < count; n += 1) app.app.get(SkillWatchJob).tick();
      return watch.mock.calls.length - before;
    };
    expect(ticks(1)).toBe(1);
    expect(ticks(9)).toBe(0);
    expect(ticks(1)).toBe(1);
    const { client } = await app.agent('Ada');
    await client.executions.report(report());
    await app.settled();
    expect(ticks(1)).toBe(1);
    expect(ticks(9)).toBe(0);
    watch.mockRestore();
  });
});
