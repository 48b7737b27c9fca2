import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { report, run } from '../../../test/support/reports.js';
import { startServices, type TestServices } from '../../../test/support/services.js';
import type { Reporter } from '../../access/identity/reporter.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import { CaptureWorker } from '../analysis/capture-worker.service.js';
import { CaptureModule } from '../capture.module.js';
import { Executions } from '../intake/executions.service.js';
import { patternFingerprint } from '../observations/fingerprint.js';
import { ExecutionTallies } from './execution-tallies.service.js';

const PYTHON = patternFingerprint({ tool: 'shell', action: 'python', errorClass: 'SyntaxError' });
const GIT = patternFingerprint({ tool: 'shell', action: 'git push', errorClass: 'exit-1' });

let services: TestServices;
let tallies: ExecutionTallies;
let start: Date;

beforeAll(async () => {
  services = await startServices(CaptureModule);
  tallies = services.get(ExecutionTallies);
  start = services.clock.now();
});
afterAll(() => services.close());

const later = (hours: number): string => new Date(start.getTime() + hours * HOUR_MS).toISOString();
const send = (agent: Reporter, executionId: string, change: object = {}) =>
  services.get(Executions).report(agent, report({ executionId, startedAt: later(1), finishedAt: later(1), ...change }));
const captured = () => services.get(CaptureWorker).idle();
const SUCCESSFUL = { toolCalls: [run('python3 close.py')] };
const tallyOf = async (id: string, from = start, until: Date | null = null, patterns = [PYTHON]) =>
  (await tallies.countFailures(patterns, from, until)).find(({ agentId }) => agentId === id);

describe('counting executions', () => {
  it('counts an execution with the pattern as failed once, also if capture skipped it', async () => {
    const ada = await services.agent('Ada');
    const twice = { toolCalls: [run('python a.py', 'SyntaxError: x'), run('python a.py', 'SyntaxError: x')] };
    await send(ada, 'a-1');
    await send(ada, 'a-2', twice);
    await send(ada, 'a-3', SUCCESSFUL);
    await captured();
    expect(await tallyOf(ada.id)).toEqual({ agentId: ada.id, executions: 3, failures: 2 });
    expect(await tallyOf(ada.id, start, null, [GIT])).toMatchObject({ executions: 3, failures: 0 });
    expect(await tallyOf(ada.id, start, null, [GIT, PYTHON])).toMatchObject({ executions: 3, failures: 2 });
  });

  it('counts executions that started in the window, whenever they were reported', async () => {
    const ben = await services.agent('Ben');
    await send(ben, 'b-1', { startedAt: later(-2), finishedAt: later(-1) });
    await send(ben, 'b-2', { startedAt: later(2), finishedAt: later(2) });
    await send(ben, 'b-3', { startedAt: later(4), finishedAt: later(4) });
    await captured();
    const until = (hours: number) => tallyOf(ben.id, start, new Date(later(hours)));
    expect(await tallyOf(ben.id)).toMatchObject({ executions: 2 });
    expect(await until(4)).toMatchObject({ executions: 1 });
    expect(await until(2)).toBeUndefined();
  });

  it('counts a session that has grown once, in its last state', async () => {
    const cleo = await services.agent('Cleo');
    await send(cleo, 'c-1', { sessionId: 's', finishedAt: later(2), ...SUCCESSFUL });
    await send(cleo, 'c-2', { sessionId: 's', finishedAt: later(3) });
    await captured();
    expect(await tallyOf(cleo.id)).toMatchObject({ executions: 1, failures: 1 });
  });

  it('does not count an execution before it is captured', async () => {
    const dora = await services.agent('Dora');
    await services.get(CaptureWorker).beforeApplicationShutdown();
    await send(dora, 'd-1');
    expect(await tallyOf(dora.id)).toBeUndefined();
  });

  it('counts the executions that name their model by model', async () => {
    const emil = await services.agent('Emil');
    for (const [n, model] of ['m-1', 'm-1', 'm-2', undefined].entries()) await send(emil, `e-${n}`, { model });
    const own = (await tallies.countModels(start)).filter(({ agentId }) => agentId === emil.id);
    expect(own.sort((a, b) => (a.model < b.model ? -1 : 1))).toEqual([
      { agentId: emil.id, model: 'm-1', executions: 2 },
      { agentId: emil.id, model: 'm-2', executions: 1 },
    ]);
    expect(await tallies.countModels(new Date(later(5)))).toEqual([]);
  });
});
