import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { Console } from '../support/console.js';
import { reportPythonFleet } from '../support/fleet.js';

let app: TestApplication;
afterEach(() => app.close());

const scheduled = async () => {
  const { items } = await app.admin.evolver.reports();
  return items.filter(({ trigger, state }) => trigger === 'schedule' && state === 'completed');
};

it('cycles run on their schedule once somebody has opted in, and propose what the fleet taught', async () => {
  app = await startTestApplication({ GUILDBOOK_EVOLVER_ENABLED: 'true', GUILDBOOK_EVOLVER_CRON: '* * * * * *' });
  await reportPythonFleet(app, ['ada', 'ben', 'cleo']);
  while (!(await scheduled()).some(({ report }) => report?.emitted === 1)) await sleep(100);
  expect((await app.admin.approvals.list()).total).toBe(1);
  const { items } = await app.admin.journal.list({ action: 'SKILL_EVOLVER_CYCLE_START', limit: 1 });
  expect(items).toMatchObject([{ actor: { kind: 'job' }, data: { trigger: 'schedule' } }]);
});

it('the next cycle stands on Today', async () => {
  app = await startTestApplication({ GUILDBOOK_EVOLVER_ENABLED: 'true', GUILDBOOK_EVOLVER_CRON: '0 3 1 1 *' });
  const reader = await Console.signedIn(app, 'Ron Reader', {});
  expect((await reader.get('/')).text).toMatch(/next cycle in \d+ days/);
});

it('without that no cycle runs by itself', async () => {
  app = await startTestApplication({ GUILDBOOK_EVOLVER_CRON: '* * * * * *' });
  await reportPythonFleet(app, ['ada', 'ben', 'cleo']);
  await sleep(2_500);
  expect(await scheduled()).toEqual([]);
});
