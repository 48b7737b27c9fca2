import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { SubmitProposal } from '../../src/approvals/submissions/submit.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { reportPythonFleet } from '../support/fleet.js';

let app: TestApplication;
beforeAll(async () => {
  app = await startTestApplication();
});
afterAll(() => app.close());

it('a draft that does not have the form of a proposal is refused, and ends no cycle', async () => {
  await reportPythonFleet(app, ['ada', 'ben', 'cleo', 'dan']);
  const invalid = z.string().min(1).safeParse('');
  jest.spyOn(app.app.get(SubmitProposal), 'submit').mockRejectedValueOnce(invalid.error);
  expect(await app.admin.evolver.run(false)).toMatchObject({
    state: 'completed',
    report: { emitted: 0, proposals: [{ outcome: 'refused', reason: 'proposal.invalid', proposalId: null }] },
  });
  expect(await app.admin.evolver.run(false)).toMatchObject({ report: { emitted: 1 } });
});
