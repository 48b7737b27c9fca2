import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { RequestPriority } from '../../src/platform/background/request-priority.js';
import { PromotionWorker } from '../../src/promote/promotion-worker.service.js';
import { RetrievalRecorder } from '../../src/recall/strategies/retrieval-recorder.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { report } from '../support/reports.js';

let app: TestApplication;
beforeAll(async () => {
  app = await startTestApplication();
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => app.close());

describe('capture and proposer', () => {
  it('wait while a report is answered, and continue afterwards', async () => {
    const priority = app.app.get(RequestPriority);
    let goOn = (): void => undefined;
    const untilThen = new Promise<void>((resolve) => {
      goOn = () => resolve();
    });
    const quiet = jest.spyOn(priority, 'waitForRequests').mockReturnValue(untilThen);
    const { client, id } = await app.agent('Ada');
    await client.executions.report(report());
    expect(quiet).toHaveBeenCalled();
    expect(await app.admin.executions.status()).toMatchObject({ executions: 1, awaitingCapture: 1 });
    goOn();
    await app.settled();
    expect(await app.admin.executions.status()).toMatchObject({ awaitingCapture: 0, awaitingProposal: 0 });
    expect((await app.admin.lessons({ agent: id })).items).toHaveLength(1);
  });

  it('wait for each report of a batch as for a single one', async () => {
    const first = jest.spyOn(app.app.get(RequestPriority), 'runRequest');
    const { client } = await app.agent('Grace');
    await client.executions.report(report());
    expect(first).toHaveBeenCalledTimes(1);
    await client.executions.reportAll([1, 2, 3].map((n) => report({ executionId: `execution ${n}` })));
    expect(first).toHaveBeenCalledTimes(4);
    await app.settled();
  });
});

describe('the checks of recalled memories', () => {
  it('wait while a recall is answered, and continue afterwards', async () => {
    const priority = app.app.get(RequestPriority);
    const first = jest.spyOn(priority, 'runRequest');
    const { client } = await app.agent('Hedy');
    const { id } = await client.remember({ lesson: 'The zeppelin export needs python3', tags: ['non-inferable'] });
    await app.settled();
    let goOn = (): void => undefined;
    const quiet = jest
      .spyOn(priority, 'waitForRequests')
      .mockReturnValue(new Promise<void>((resolve) => (goOn = resolve)));
    expect((await client.recall({ query: 'zeppelin export' })).memories).toMatchObject([{ id }]);
    expect(first).toHaveBeenCalledTimes(1);
    await app.app.get(RetrievalRecorder).idle();
    const promoting = app.app.get(PromotionWorker);
    promoting.wake();
    while (quiet.mock.calls.length === 0) await new Promise((turn) => setImmediate(turn));
    expect(await app.admin.promotions.show(id)).toMatchObject({ because: 'not_checked' });
    goOn();
    await promoting.idle();
    expect(await app.admin.promotions.show(id)).toMatchObject({ because: 'no_evidence' });
  });
});
