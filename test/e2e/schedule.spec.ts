import { afterEach, expect, it } from '@jest/globals';
import { SchedulerRegistry } from '@nestjs/schedule';
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

it('cycles run on their schedule once the evolver is enabled, and propose what the fleet taught', async () => {
  app = await startTestApplication({ GUILDBOOK_EVOLVER_ENABLED: 'true', GUILDBOOK_EVOLVER_CRON: NIGHTLY });
  await reportPythonFleet(app, ['ada', 'ben', 'cleo']);
  const cron = app.app.get(SchedulerRegistry).getCronJob('evolver');
  expect(cron.isActive).toBe(true);
  expect(cron.nextDate()).toMatchObject({ hour: 3, minute: 0 });
  // The scheduled time has come.
  await cron.fireOnTick();
  expect((await scheduled()).map(({ report }) => report?.emitted)).toEqual([1]);
  expect((await app.admin.proposals.list()).total).toBe(1);
  const { items } = await app.admin.journal.list({ action: 'SKILL_EVOLVER_CYCLE_START', limit: 1 });
  expect(items).toMatchObject([{ actor: { kind: 'job' }, data: { trigger: 'schedule' } }]);
});

it('the dashboard shows the next cycle', async () => {
  app = await startTestApplication({ GUILDBOOK_EVOLVER_ENABLED: 'true', GUILDBOOK_EVOLVER_CRON: '0 3 1 1 *' });
  const reader = await Console.signedIn(app, 'Ron Reader', {});
  expect((await reader.get('/')).text).toMatch(/next cycle in \d+ days/);
});

it('no scheduled cycle runs while the evolver is disabled', async () => {
  app = await startTestApplication({ GUILDBOOK_EVOLVER_CRON: NIGHTLY });
  await reportPythonFleet(app, ['ada', 'ben', 'cleo']);
  expect(app.app.get(SchedulerRegistry).getCronJobs().has('evolver')).toBe(false);
  expect(await scheduled()).toEqual([]);
});
