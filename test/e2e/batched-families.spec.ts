import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { CycleReport } from '../../src/evolve/cycle/cycles.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { type BatchesApi, RESULTS, startBatchesApi } from '../support/batches-api.js';
import { onlyPending, pythonReport } from '../support/fleet.js';
import { run, SYNTAX_ERROR } from '../support/reports.js';
import { lessonAnswer, PYTHON_LESSON } from '../support/writer-sample.js';

const AGENTS = ['ada', 'ben', 'cleo', 'dora', 'emil', 'fay'];
const FAILED = run('python a.py', SYNTAX_ERROR);
const CALLS = [run('ls'), FAILED, FAILED, run('python --version'), run('python3 a.py')];
const EXECUTIONS = 24;

let api: BatchesApi;
let app: TestApplication;
beforeEach(async () => {
  api = await startBatchesApi();
  app = await startTestApplication({ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'scripted' }, false, {
    proposerWordsDrafts: false,
    proposerCallsPerMinute: 1_000,
    proposerBatchMinPending: 1,
  });
  const agents = [];
  for (const name of AGENTS) agents.push((await app.agent(name, `team of ${name}`)).client);
  for (let n = 0; n < EXECUTIONS; n += 1)
    await agents[n % agents.length]?.executions.report({ ...pythonReport(app, `task ${n}`), toolCalls: [...CALLS] });
  await app.settled();
});
afterEach(async () => {
  await app.close();
  await api.close();
});

async function cycle(): Promise<CycleReport> {
  const { report } = await app.admin.evolver.run(false);
  if (!report) throw new Error('the cycle has no report');
  return report;
}

it('a cycle that sends its questions as a batch leaves the rules, and a later one improves the pending proposal', async () => {
  expect((await cycle()).written).toMatchObject({ asked: 0, waiting: 1, because: 'batch', lessons: 0 });
  const byRules = await onlyPending(app);
  expect(byRules.evidence.writer).toBeUndefined();
  expect((await cycle()).written).toMatchObject({ asked: 0, waiting: 1, because: 'batch', usd: 0 });
  api.status = 'ended';
  api.results = (id) =>
    RESULTS.family(
      id,
      lessonAnswer({ gotchas: ['Repeating `python a.py` fails again.'], example: { number: 1, worked: 3 } }),
    );
  expect((await cycle()).written).toMatchObject({ asked: 1, waiting: 0, because: null, lessons: 1 });
  const written = await onlyPending(app);
  expect([written.id, written.proposedSkill.title]).toEqual([byRules.id, PYTHON_LESSON.title]);
  expect((await cycle()).written).toMatchObject({ asked: 0, waiting: 0, because: null, lessons: 1 });
  expect(api.submitted).toHaveLength(1);
});
