import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { HOUR_MS, MINUTE_MS } from '../../src/platform/base/durations.js';
import { PromotionWorker } from '../../src/promote/promotion-worker.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { PYTHON_TO_PYTHON3, report, run } from '../support/reports.js';

let app: TestApplication;
let ada: Awaited<ReturnType<TestApplication['agent']>>;
let ben: Awaited<ReturnType<TestApplication['agent']>>;
let id: string;

beforeAll(async () => {
  app = await startTestApplication();
  ada = await app.agent('Ada', 'books');
  ben = await app.agent('Ben', 'shop');
  await ran(ada, 'first');
  const { items } = await app.admin.lessons({ agent: ada.id });
  id = items[0]?.id ?? '';
  app.app.get(PromotionWorker).wake();
  await app.settled();
});
afterAll(() => app.close());

async function ran(who: typeof ada, executionId: string, calls = PYTHON_TO_PYTHON3): Promise<void> {
  await who.client.executions.report(report({ executionId, taskId: executionId, toolCalls: [...calls] }));
  await app.settled();
}

const shown = () => app.admin.promotions.show(id);

it('a report about another failure leaves a lesson that waits for evidence as it is', async () => {
  const before = await shown();
  expect(before).toMatchObject({ state: 'unresolved', because: 'no_evidence' });
  expect(Date.parse(before.dueAt) - Date.parse(before.checkedAt ?? '')).toBe(HOUR_MS);
  app.clock.advance(MINUTE_MS);
  await ran(ben, 'other', [run('go test', 'undefined: x'), run('go build')]);
  expect(await shown()).toEqual(before);
});

it('a report about its failure is read within seconds, and enough of them verify the lesson', async () => {
  const { dueAt } = await shown();
  await ran(ben, 'second');
  const once = await shown();
  expect(once).toMatchObject({ because: 'not_enough_evidence', provenance: 'unverified' });
  app.clock.advance(MINUTE_MS);
  await ran(ben, 'third');
  expect(await shown()).toMatchObject({ state: 'verified', because: 'tool_result', provenance: 'verified' });
  expect(app.clock.now().getTime()).toBeLessThan(Date.parse(dueAt));
});
