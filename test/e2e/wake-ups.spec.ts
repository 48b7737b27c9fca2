import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { Capturing } from '../../src/capture/analysis/capturing.service.js';
import { SkillWatchJob } from '../../src/effect/skill-watch.job.js';
import { Proposing } from '../../src/propose/lessons/proposing.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { report } from '../support/reports.js';

let app: TestApplication;
beforeAll(async () => {
  app = await startTestApplication();
});
afterAll(() => app.close());

it('what was captured wakes the proposer and the watch over skills, without a timer', async () => {
  const [proposing, watch] = [app.app.get(Proposing), app.app.get(SkillWatchJob)].map((work) =>
    jest.spyOn(work, 'wake'),
  );
  const { client } = await app.agent('Ada');
  await client.executions.report(report());
  await app.app.get(Capturing).idle();
  expect(proposing).toHaveBeenCalled();
  expect(watch).toHaveBeenCalled();
});
