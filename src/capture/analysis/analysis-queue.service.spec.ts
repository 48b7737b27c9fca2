import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { stopProposer } from '../../../test/support/proposer-worker.js';
import { report } from '../../../test/support/reports.js';
import type { AgentActor } from '../../journal/actor.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { Executions } from '../intake/executions.service.js';
import { AnalysisQueue, type LeasedPayload } from './analysis-queue.service.js';

let app: TestApplication;
let payloads: AnalysisQueue;
let ada: AgentActor;
let reports = 0;

beforeAll(async () => {
  app = await startTestApplication();
  payloads = app.app.get(AnalysisQueue);
  await stopProposer(app);
  ada = { kind: 'agent', id: (await app.agent('Ada', 'Books')).id, name: 'Ada' };
});
beforeEach(async () => {
  reports += 1;
  await app.app.get(Executions).report(ada, report({ executionId: `execution-${reports}` }));
  await app.settled();
});
afterEach(async () => {
  app.clock.advance(60 * MINUTE_MS);
  for (let left = await payloads.leaseNext(); left; left = await payloads.leaseNext()) await end(left);
});
afterAll(() => app.close());

async function next(): Promise<LeasedPayload> {
  const payload = await payloads.leaseNext();
  if (!payload) throw new Error('no payload waits');
  return payload;
}

const end = (payload: LeasedPayload, stored = true) =>
  app.database.transaction((tx) => payloads.complete(tx, payload, { stored, text: 'lesson' }));
const row = ({ id }: LeasedPayload) => app.database.client.analysisPayload.findUniqueOrThrow({ where: { id } });

describe('the queue between capture and proposer', () => {
  it('hands a payload to one caller only', async () => {
    const taken = await Promise.all([payloads.leaseNext(), payloads.leaseNext(), payloads.leaseNext()]);
    expect(taken.filter((payload) => payload !== undefined)).toHaveLength(1);
  });

  it('a payload that was completed is never handed out again', async () => {
    const payload = await next();
    expect(await end(payload)).toBe(true);
    app.clock.advance(60 * MINUTE_MS);
    expect(await payloads.leaseNext()).toBeUndefined();
    expect(await row(payload)).toMatchObject({ state: 'done', outcome: 'lesson', leaseUntil: null });
    expect((await row(payload)).doneAt).not.toBeNull();
  });

  it('completing it twice counts once', async () => {
    const payload = await next();
    expect([await end(payload), await end(payload)]).toEqual([true, false]);
  });

  it('what came to nothing says why', async () => {
    const payload = await next();
    await app.database.transaction((tx) => payloads.complete(tx, payload, { stored: false, text: 'refused' }));
    expect(await row(payload)).toMatchObject({ state: 'discarded', outcome: 'refused' });
  });

  it('once a model must have answered somebody else gets it, and the first one completes nothing', async () => {
    const lost = await next();
    // Three tries of a minute each, and half a minute for the rest.
    app.clock.advance(3 * MINUTE_MS);
    expect(await payloads.leaseNext()).toBeUndefined();
    app.clock.advance(MINUTE_MS);
    const taken = await next();
    expect(taken).toMatchObject({ id: lost.id, attempts: 2 });
    expect(await end(lost)).toBe(false);
    expect(await row(lost)).toMatchObject({ state: 'pending' });
    expect(await end(taken)).toBe(true);
  });

  it('whoever lost the lease cannot give the payload back either', async () => {
    const lost = await next();
    app.clock.advance(15 * MINUTE_MS);
    const taken = await next();
    await payloads.release(lost, 'failed', app.clock.now());
    expect(await payloads.leaseNext()).toBeUndefined();
    expect(await end(taken)).toBe(true);
  });

  it('a payload that was given back waits for its time', async () => {
    await payloads.release(await next(), 'failed: Error', new Date(app.clock.now().getTime() + MINUTE_MS));
    expect(await payloads.leaseNext()).toBeUndefined();
    app.clock.advance(MINUTE_MS);
    expect(await next()).toMatchObject({ attempts: 2 });
  });
});
