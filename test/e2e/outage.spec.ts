import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ExecutionReport } from '../../src/capture/report/execution-report.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { type MessagesApi, startMessagesApi } from '../support/messages-api.js';
import { report, run } from '../support/reports.js';

const AGENTS = 20;

/** One outage, in the words of different tools. */
const OUTAGE = [
  'HTTP 503 Service Unavailable',
  'API Error: 529 {"type":"error","error":{"type":"overloaded_error"}}',
  'Error: connect ECONNREFUSED 10.0.0.7:443',
  'curl: (6) Could not resolve host: registry.example.com',
  'requests.exceptions.ConnectionError: HTTPSConnectionPool: Max retries exceeded with url: /v1',
  'npm ERR! code ETIMEDOUT',
  '429 Too Many Requests',
  'Execution result status code is not 200, got 502',
  'Command timed out after 2m 0s',
  'botocore.exceptions.ReadTimeoutError: Read timeout on endpoint URL',
] as const;

let app: TestApplication;
let api: MessagesApi;
beforeAll(async () => {
  api = await startMessagesApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  app = await startTestApplication({ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'scripted' });
});
afterEach(async () => {
  api.forget();
  await app.close();
});

/** Each agent, with a different owner and task, meets the outage at the same moment. */
async function hitAll(change: (error: string) => Partial<ExecutionReport>): Promise<void> {
  const agents = [];
  for (let n = 0; n < AGENTS; n++) agents.push(await app.agent(`Agent ${n}`, `Team ${n}`));
  await Promise.all(
    agents.map(({ client }, n) =>
      client.executions.report(
        report({
          executionId: `execution ${n}`,
          taskId: `task ${n}`,
          taskTitle: `Publish the packages of team ${n}`,
          ...change(OUTAGE[n % OUTAGE.length] ?? ''),
        }),
      ),
    ),
  );
  await app.settled();
  await app.admin.evolver.run(false);
}

async function expectNothingLearned(): Promise<void> {
  expect((await app.admin.lessons()).total).toBe(0);
  expect((await app.admin.proposals.list()).total).toBe(0);
  expect(api.requests).toEqual([]);
}

describe('an outage that hits twenty agents at once', () => {
  it('produces no procedure, no proposal and no model call, and is counted as an outage', async () => {
    await hitAll((error) => ({
      status: 'failed',
      toolCalls: [run('git status'), run('npm publish', error), run('npm publish', error)],
    }));
    await expectNothingLearned();
    const { skipped } = await app.admin.executions.status();
    expect(skipped).toEqual([{ reason: 'attributed to environment', count: AGENTS }]);
  });

  it('produces none if every agent recovered by a retry or in another way', async () => {
    await hitAll((error) => ({
      toolCalls: [run('npm publish', error), run('npm publish'), run('curl https://a', error), run('wget https://b')],
    }));
    await expectNothingLearned();
  });

  it('produces none if only the report as a whole mentions it', async () => {
    await hitAll((error) => ({ status: 'aborted', toolCalls: [run('git status')], errorMessage: error }));
    await expectNothingLearned();
  });
});

describe('a filtered execution', () => {
  it('costs no model call, for any reason', async () => {
    const { client } = await app.agent('Ada', 'Books');
    const succeeded = { outcome: 'succeeded', source: 'ci' } as const;
    const well = [run('git status')];
    const gated: Partial<ExecutionReport>[] = [
      { toolCalls: [], turnCount: 0, status: 'failed', errorMessage: 'SyntaxError: invalid syntax' },
      { toolCalls: well, verification: { outcome: 'none' }, qualityScore: 10 },
      { toolCalls: well, verification: { outcome: 'succeeded', source: 'self' }, qualityScore: 10 },
      { toolCalls: well, verification: succeeded, qualityScore: 7.9 },
      { toolCalls: well, verification: succeeded },
      { status: 'failed', toolCalls: well, errorMessage: 'HTTP 403 Forbidden' },
      { status: 'failed', toolCalls: well, missingCapability: 'browser' },
      { status: 'aborted', toolCalls: well, terminationReason: 'rate_limit' },
      { status: 'aborted', toolCalls: well, terminationReason: 'interrupted by the user' },
      { status: 'failed', toolCalls: well, terminationReason: 'gave up', retryCount: 3, maxRetries: 3 },
    ];
    for (const [n, change] of gated.entries())
      await client.executions.report(report({ executionId: `execution ${n}`, taskId: `task ${n}`, ...change }));
    await app.settled();
    await expectNothingLearned();
    const { skipped } = await app.admin.executions.status();
    expect(skipped.reduce((sum, { count }) => sum + count, 0)).toBe(gated.length);
  });
});
