import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { CaptureWorker } from '../../src/capture/analysis/capture-worker.service.js';
import { SkillWatchJob } from '../../src/effect/skill-watch.job.js';
import { ProposerWorker } from '../../src/propose/lessons/proposer-worker.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { report } from '../support/reports.js';

let app: TestApplication;
beforeAll(async () => {
  app = await startTestApplication();
});
afterAll(() => app.close());

it('a captured execution wakes the proposer and the monitor of skills, without a timer', async () => {
  const [proposing, watch] = [app.app.get(ProposerWorker), app.app.get(SkillWatchJob)].map((work) =>
    jest.spyOn(work, 'wake'),
  );
  const { client } = await app.agent('Ada');
  await client.executions.report(report());
  await app.app.get(CaptureWorker).idle();
  expect(proposing).toHaveBeenCalled();
  expect(watch).toHaveBeenCalled();
});
