import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { referenceOf } from '../../../test/support/references.js';
import { report } from '../../../test/support/reports.js';
import { startServices, type TestServices } from '../../../test/support/services.js';
import type { Reporter } from '../../access/identity/reporter.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { CaptureModule } from '../capture.module.js';
import { Executions } from '../intake/executions.service.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';
import { ExecutionReader, type ObservedExecution } from './execution-reader.service.js';

let services: TestServices;
let ada: Reporter;
let ben: Reporter;

beforeAll(async () => {
  services = await startServices(CaptureModule);
  ada = await services.agent('Ada', 'Books');
  ben = await services.agent('Ben', 'Shop');
});
afterAll(() => services.close());

/** The ids of the reports by their references. */
const sent = new Map<string, string>();

function send(agent: Reporter, executionId: string, change: Partial<ExecutionReport> = {}) {
  sent.set(referenceOf({ app: services }, executionId), executionId);
  return services.get(Executions).report(agent, report({ executionId, ...change }));
}

/** Moves the clock, runs `sending`, and reads the executions received since then. */
async function window(sending: () => Promise<unknown>): Promise<ObservedExecution[]> {
  services.clock.advance(DAY_MS);
  const from = services.clock.now();
  await sending();
  return read(from, services.clock.now());
}

async function read(from: Date, to: Date): Promise<ObservedExecution[]> {
  const found: ObservedExecution[] = [];
  for await (const one of services.get(ExecutionReader).read(from, to)) found.push(one);
  return found;
}

const roots = (found: ObservedExecution[]): Record<string, string> =>
  Object.fromEntries(found.map((one) => [sent.get(one.executionId), one.observed.support.root]));
const keyOf = (agent: Reporter, executionId: string): string =>
  `${agent.id}:${referenceOf({ app: services }, executionId)}`;

describe('the executions of a window', () => {
  it('have themselves as root without a parent', async () => {
    const found = await window(() => send(ada, 'alone'));
    expect(found.map(({ observed }) => observed)).toEqual([
      expect.objectContaining({
        agentName: 'Ada',
        support: expect.objectContaining({ owner: 'Books', origin: expect.any(String) }),
      }),
    ]);
    expect(roots(found)).toEqual({ alone: keyOf(ada, 'alone') });
  });

  it('of sub-agents at any depth have the execution at the top as root', async () => {
    const found = await window(async () => {
      await send(ben, 'grandchild', { parentExecutionId: 'child' });
      await send(ben, 'child', { parentExecutionId: 'top' });
      await send(ada, 'top');
    });
    const top = keyOf(ada, 'top');
    expect(roots(found)).toEqual({ grandchild: top, child: top, top });
  });

  it('have a root that was received before the window', async () => {
    await send(ada, 'old-top');
    await send(ada, 'old-middle', { parentExecutionId: 'old-top' });
    const found = await window(() => send(ada, 'late', { parentExecutionId: 'old-middle' }));
    expect(roots(found)).toEqual({ late: keyOf(ada, 'old-top') });
  });

  it('have themselves as root if their parent was never reported', async () => {
    expect(roots(await window(() => send(ada, 'orphan', { parentExecutionId: 'unreported' })))).toEqual({
      orphan: keyOf(ada, 'orphan'),
    });
  });

  it('may have cyclic parents', async () => {
    const found = await window(async () => {
      await send(ada, 'one', { parentExecutionId: 'two' });
      await send(ada, 'two', { parentExecutionId: 'one' });
      await send(ada, 'self', { parentExecutionId: 'self' });
    });
    expect(found).toHaveLength(3);
    expect(roots(found)['self']).toBe(keyOf(ada, 'self'));
  });

  it("never have the root of another agent's execution with the same id", async () => {
    const found = await window(async () => {
      await send(ada, 'run-1');
      await send(ben, 'run-1');
      await send(ada, 'ada-sub', { parentExecutionId: 'run-1' });
      await send(ben, 'ben-sub', { parentExecutionId: 'run-1' });
    });
    expect(roots(found)).toMatchObject({ 'ada-sub': keyOf(ada, 'run-1'), 'ben-sub': keyOf(ben, 'run-1') });
  });

  it('are selected by the server’s time of receipt, not by the reporter’s times', async () => {
    const future = { startedAt: '2099-01-01T00:00:00Z', finishedAt: '2099-01-01T01:00:00Z' };
    const past = { startedAt: '1999-01-01T00:00:00Z', finishedAt: '1999-01-01T01:00:00Z' };
    const found = await window(async () => {
      await send(ada, 'from-tomorrow', future);
      await send(ada, 'from-yesterday', past);
    });
    expect(Object.keys(roots(found)).sort()).toEqual(['from-tomorrow', 'from-yesterday']);
    const from = services.clock.now();
    services.clock.advance(DAY_MS);
    expect(await read(new Date(from.getTime() + 1), services.clock.now())).toEqual([]);
  });

  it('include only the last state of a session that was reported again', async () => {
    const found = await window(async () => {
      await send(ada, 'half', { sessionId: 'session-1' });
      await send(ada, 'whole', { sessionId: 'session-1', finishedAt: '2026-03-31T18:30:00Z' });
      await send(ada, 'next', {
        sessionId: 'session-1',
        startedAt: '2026-03-31T18:10:00Z',
        finishedAt: '2026-03-31T18:20:00Z',
      });
      await send(ben, 'of another', { sessionId: 'session-1' });
    });
    expect(Object.keys(roots(found)).sort()).toEqual(['next', 'of another', 'whole']);
  });

  it('are read in order and each once over several pages', async () => {
    const found = await window(() => Promise.all(Array.from({ length: 205 }, (_, n) => send(ada, `paged-${n}`))));
    expect(found).toHaveLength(205);
    expect(new Set(found.map(({ observed }) => observed.executionId)).size).toBe(205);
    const times = found.map(({ receivedAt }) => receivedAt.getTime());
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });
});
