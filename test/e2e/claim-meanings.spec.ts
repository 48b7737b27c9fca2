import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { type EmbeddingsApi, startEmbeddingsApi } from '../support/embeddings-api.js';
import { proposedByFleet, reportPythonFleet } from '../support/fleet.js';
import { submitTestProposal } from '../support/proposal-input.js';
import { report, run } from '../support/reports.js';

let api: EmbeddingsApi;
let app: TestApplication;
beforeAll(async () => {
  api = await startEmbeddingsApi();
});
afterEach(() => app.close());
afterAll(() => api.close());

const asked = () => new Set(api.calls.flatMap(({ input }) => input));

it('cycles compare their drafts with skills and proposals by the meaning that the embedder knows', async () => {
  app = await startTestApplication({ GUILDBOOK_EMBEDDER_URL: api.url, GUILDBOOK_EMBEDDER_MODEL: 'm' });
  // Of an earlier version: it has words, and no patterns.
  const applicability = '["shell","ruby","LoadError"]';
  const { proposedSkill: earlier } = await submitTestProposal(app, 'Balance with the newer ruby', { applicability });
  const failed = run('ruby ledger.rb', 'LoadError: cannot load such file');
  for (const name of ['dan', 'eve', 'flo']) {
    const { client } = await app.agent(name, `team of ${name}`);
    const about = { executionId: name, taskId: name, taskTitle: `Balance the ${name} ledger of the month` };
    await client.executions.report(report({ ...about, toolCalls: [failed, failed, run('ruby3 ledger.rb')] }));
  }
  await app.settled();
  await app.admin.evolver.run(false);
  expect(asked()).toContain(earlier.condition);
});

it('cycles complete by words alone while the embedder is away', async () => {
  app = await startTestApplication({ GUILDBOOK_EMBEDDER_URL: api.url, GUILDBOOK_EMBEDDER_MODEL: 'm' });
  await proposedByFleet(app, ['ada', 'ben', 'cleo']);
  api.refuse(...Array.from({ length: 20 }, () => ({ status: 500 })));
  expect((await app.admin.evolver.run(false)).state).toBe('completed');
});

it('without an embedder nothing leaves the server', async () => {
  api.calls.length = 0;
  app = await startTestApplication();
  await reportPythonFleet(app, ['ada', 'ben', 'cleo']);
  await app.admin.evolver.run(false);
  await app.admin.evolver.run(false);
  expect(asked()).toEqual(new Set());
});
