import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { report } from '../../../test/support/reports.js';
import { startServices, type TestServices } from '../../../test/support/services.js';
import type { Reporter } from '../../access/identity/reporter.js';
import { MINUTE_MS } from '../../platform/base/durations.js';
import { CaptureModule } from '../capture.module.js';
import { Executions } from '../intake/executions.service.js';
import { AnalysisQueue, type LeasedPayload } from './analysis-queue.service.js';
import { CaptureWorker } from './capture-worker.service.js';

let services: TestServices;
let payloads: AnalysisQueue;
let ada: Reporter;
let reports = 0;

beforeAll(async () => {
  services = await startServices(CaptureModule);
  payloads = services.get(AnalysisQueue);
  ada = await services.agent('Ada', 'Books');
});
beforeEach(async () => {
  reports += 1;
  await services.get(Executions).report(ada, report({ executionId: `execution-${reports}` }));
  await services.get(CaptureWorker).idle();
});
afterEach(async () => {
  services.clock.advance(60 * MINUTE_MS);
  for (let payload = await payloads.leaseNext(); payload; payload = await payloads.leaseNext()) await end(payload);
});
afterAll(() => services.close());

async function next(): Promise<LeasedPayload> {
  const payload = await payloads.leaseNext();
  if (!payload) throw new Error('no payload is due');
  return payload;
}

const end = (payload: LeasedPayload, stored = true) =>
  services.database.transaction((tx) => payloads.complete(tx, payload, { stored, text: 'lesson' }));
const row = ({ id }: LeasedPayload) => services.database.client.analysisPayload.findUniqueOrThrow({ where: { id } });

describe('the queue between capture and proposer', () => {
  it('leases a payload to one caller only', async () => {
    const leased = await Promise.all([payloads.leaseNext(), payloads.leaseNext(), payloads.leaseNext()]);
    expect(leased.filter((payload) => payload !== undefined)).toHaveLength(1);
  });

  it('never leases a completed payload again', async () => {
    const payload = await next();
    expect(await end(payload)).toBe(true);
    services.clock.advance(60 * MINUTE_MS);
    expect(await payloads.leaseNext()).toBeUndefined();
    expect(await row(payload)).toMatchObject({ state: 'done', outcome: 'lesson', leaseUntil: null });
    expect((await row(payload)).doneAt).not.toBeNull();
  });

  it('completes a payload only once', async () => {
    const payload = await next();
    expect([await end(payload), await end(payload)]).toEqual([true, false]);
  });

  it('a discarded payload has a reason', async () => {
    const payload = await next();
    await services.database.transaction((tx) => payloads.complete(tx, payload, { stored: false, text: 'refused' }));
    expect(await row(payload)).toMatchObject({ state: 'discarded', outcome: 'refused' });
  });

  it('an expired lease goes to another caller, and the first one can no longer complete the payload', async () => {
    const expired = await next();
    // Three requests of a minute each, and half a minute of slack.
    services.clock.advance(3 * MINUTE_MS);
    expect(await payloads.leaseNext()).toBeUndefined();
    services.clock.advance(MINUTE_MS);
    const leased = await next();
    expect(leased).toMatchObject({ id: expired.id, attempts: 2 });
    expect(await end(expired)).toBe(false);
    expect(await row(expired)).toMatchObject({ state: 'pending' });
    expect(await end(leased)).toBe(true);
  });

  it('a caller that lost the lease cannot release the payload', async () => {
    const expired = await next();
    services.clock.advance(15 * MINUTE_MS);
    const leased = await next();
    await payloads.release(expired, 'failed', services.clock.now());
    expect(await payloads.leaseNext()).toBeUndefined();
    expect(await end(leased)).toBe(true);
  });

  it('a released payload is leased again only from its time on', async () => {
    await payloads.release(await next(), 'failed: Error', new Date(services.clock.now().getTime() + MINUTE_MS));
    expect(await payloads.leaseNext()).toBeUndefined();
    services.clock.advance(MINUTE_MS);
    expect(await next()).toMatchObject({ attempts: 2 });
  });
});
