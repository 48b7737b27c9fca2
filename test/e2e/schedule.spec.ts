import { afterEach, expect, it } from '@jest/globals';
import { ScheduledJobs } from '../../src/platform/background/scheduled-jobs.service.js';
import { MINUTE_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { Console } from '../support/console.js';
import { reportPythonFleet } from '../support/fleet.js';

const NIGHTLY = '0 3 * * *';

let app: TestApplication;
afterEach(() => app.close());

const scheduled = async () => {
  const { items } = await app.admin.evolver.reports();
  return items.filter(({ trigger, state }) => trigger === 'schedule' && state === 'completed');
};

/** The scheduled time has come. */
const comes = (name: string) =>
  app.database.client.scheduledJob.update({ where: { name }, data: { dueAt: app.clock.now() } });

it('cycles run on their schedule once the evolver is enabled, and propose what the fleet taught', async () => {
  app = await startTestApplication({ GUILDBOOK_EVOLVER_ENABLED: 'true', GUILDBOOK_EVOLVER_CRON: NIGHTLY });
  await reportPythonFleet(app, ['ada', 'ben', 'cleo']);
  const jobs = app.app.get(ScheduledJobs);
  const next = jobs.next('evolver');
  expect([next?.getHours(), next?.getMinutes()]).toEqual([3, 0]);
  await jobs.runDue();
  expect(await scheduled()).toEqual([]);
  app.clock.advance(MINUTE_MS);
  await comes('evolver');
  await jobs.runDue();
  expect((await scheduled()).map(({ report }) => report?.emitted)).toEqual([1]);
  expect((await app.admin.proposals.list()).total).toBe(1);
  const { items } = await app.admin.journal.list({ action: 'SKILL_EVOLVER_CYCLE_START', limit: 1 });
  expect(items).toMatchObject([{ actor: { kind: 'job' }, data: { trigger: 'schedule' } }]);
});

it('by default a cycle runs a minute after agents have reported, once, and once a person can decide', async () => {
  app = await startTestApplication({ GUILDBOOK_EVOLVER_ENABLED: 'true' });
  const jobs = app.app.get(ScheduledJobs);
  const look = async () => {
    await comes('evolver');
    await jobs.runDue();
    return (await scheduled()).length;
  };
  const setReviewers = (isReviewer: boolean) =>
    app.database.client.principal.updateMany({ where: { kind: 'person' }, data: { isReviewer } });
  expect(await look()).toBe(0);
  await reportPythonFleet(app, ['ada', 'ben', 'cleo']);
  expect(await look()).toBe(0);
  await setReviewers(false);
  app.clock.advance(MINUTE_MS);
  expect(await look()).toBe(0);
  await setReviewers(true);
  expect([await look(), await look()]).toEqual([1, 1]);
  expect((await app.admin.proposals.list()).total).toBe(1);
  await reportPythonFleet(app, ['dan']);
  // On a slow machine the first cycle may have taken seconds, and cycles take a hundredth of the time.
  app.clock.advance(10 * MINUTE_MS);
  expect(await look()).toBe(2);
});

it('of an old scheduled cycle that proposed nothing only the counts are kept', async () => {
  app = await startTestApplication({ GUILDBOOK_EVOLVER_ENABLED: 'true' });
  const jobs = app.app.get(ScheduledJobs);
  await reportPythonFleet(app, ['ada']);
  for (const pause of ['0 days', '31 days']) {
    await app.database.client.$executeRaw`UPDATE "evolver_cycle" SET "started_at" = "started_at" - ${pause}::interval`;
    app.clock.advance(MINUTE_MS);
    await comes('evolver');
    await jobs.runDue();
  }
  const [last, first] = (await app.admin.evolver.reports()).items;
  expect([last?.report?.tooFew.length, last?.report?.belowThreshold]).toEqual([1, 1]);
  expect([first?.report?.tooFew, first?.report?.belowThreshold]).toEqual([[], 1]);
});

it('the dashboard shows the next cycle', async () => {
  app = await startTestApplication({ GUILDBOOK_EVOLVER_ENABLED: 'true', GUILDBOOK_EVOLVER_CRON: '0 3 1 1 *' });
  const reader = await Console.signedIn(app, 'Ron Reader', {});
  expect((await reader.get('/')).text).toMatch(/next cycle in \d+ days/);
});

it('no scheduled cycle runs while the evolver is disabled', async () => {
  app = await startTestApplication({ GUILDBOOK_EVOLVER_CRON: NIGHTLY });
  await reportPythonFleet(app, ['ada', 'ben', 'cleo']);
  const jobs = app.app.get(ScheduledJobs);
  expect(jobs.next('evolver')).toBeUndefined();
  expect((await jobs.list()).map(({ name }) => name)).not.toContain('evolver');
  await app.database.client.scheduledJob.updateMany({ data: { dueAt: app.clock.now() } });
  await jobs.runDue();
  expect(await scheduled()).toEqual([]);
});
