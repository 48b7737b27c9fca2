import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { stopProposer } from '../../../test/support/proposer-worker.js';
import { reporter } from '../../../test/support/reporter.js';
import { report, run } from '../../../test/support/reports.js';
import type { Reporter } from '../../access/identity/reporter.js';
import { Lessons } from '../../memory/lessons/lessons.service.js';
import { RequestPriority } from '../../platform/background/request-priority.js';
import { Clock } from '../../platform/base/clock.js';
import { Ids } from '../../platform/base/ids.js';
import { type Config, loadConfig } from '../../platform/config/config.js';
import { Executions } from '../intake/executions.service.js';
import { patternFingerprint, patternKey } from '../observations/fingerprint.js';
import { ExecutionRepository } from '../store/execution.repository.js';
import { LineageRepository } from '../store/lineage.repository.js';
import { ObservationRepository } from '../store/observation.repository.js';
import { Observer } from '../store/observer.service.js';
import { CaptureWorker } from './capture-worker.service.js';
import { PayloadRepository } from './payload.repository.js';
import { AnalysisPayload } from './payload.schema.js';

let app: TestApplication;
let ada: Reporter;

beforeAll(async () => {
  app = await startTestApplication();
  ada = reporter((await app.agent('Ada', 'Books')).id, 'Ada', 'Books');
  // The process that receives the reports stops before it captures anything, and no proposer takes the payloads.
  await app.app.get(CaptureWorker).beforeApplicationShutdown();
  await stopProposer(app);
});
afterAll(() => app.close());

/** A capture worker of another process, started later on the same database. */
function nextProcess(settings: Record<string, string> = {}): CaptureWorker {
  const config: Config = loadConfig(settings);
  const { app: nest, database } = app;
  const [executions, payloads] = [nest.get(ExecutionRepository), nest.get(PayloadRepository)];
  const [clock, ids, observations] = [nest.get(Clock), nest.get(Ids), nest.get(ObservationRepository)];
  const [observer, priority] = [nest.get(Observer), nest.get(RequestPriority)];
  const stores = [executions, payloads, observations] as const;
  const lineage = nest.get(LineageRepository);
  return new CaptureWorker(config, database, clock, ids, ...stores, observer, lineage, priority, nest.get(Lessons));
}

async function captured(captureWorker: CaptureWorker): Promise<void> {
  captureWorker.wake();
  await captureWorker.idle();
}

const send = (executionId: string, change: Parameters<typeof report>[0] = {}) =>
  app.app.get(Executions).report(ada, report({ executionId, ...change }));
const payloadOf = (id: string) => app.database.client.analysisPayload.findUnique({ where: { executionId: id } });
const stateOf = async (id: string) => (await app.app.get(Executions).show(id)).capture;

describe('the capture worker', () => {
  it('captures after a restart what was reported before it', async () => {
    const { id } = await send('before the restart');
    expect(await stateOf(id)).toEqual({ state: 'pending', reason: null });
    await captured(nextProcess());
    expect(await stateOf(id)).toEqual({ state: 'captured', reason: null });
    expect(await payloadOf(id)).toMatchObject({ state: 'pending', kind: 'failure', attempts: 0, agentId: ada.id });
  });

  it('continues until nothing is pending, and wakes the proposer after each batch', async () => {
    const sent = await Promise.all(Array.from({ length: 45 }, (_, n) => send(`many-${n}`)));
    let wakeUps = 0;
    const captureWorker = nextProcess();
    captureWorker.wakeAfterBatch({
      wake: () => {
        wakeUps += 1;
      },
    });
    await captured(captureWorker);
    for (const { id } of sent) expect(await stateOf(id)).toMatchObject({ state: 'captured' });
    expect(wakeUps).toBe(3);
  });

  it('two processes capture each execution once', async () => {
    const sent = await Promise.all(Array.from({ length: 30 }, (_, n) => send(`both-${n}`)));
    await Promise.all([captured(nextProcess()), captured(nextProcess())]);
    await captured(nextProcess());
    const ids = sent.map(({ id }) => id);
    expect(await app.database.client.analysisPayload.count({ where: { executionId: { in: ids } } })).toBe(30);
  });

  it('stores why an execution was skipped', async () => {
    const { id } = await send('nothing', { toolCalls: [run('git status')] });
    await captured(nextProcess());
    expect(await stateOf(id)).toEqual({ state: 'skipped', reason: 'success is not verified' });
    expect(await payloadOf(id)).toBeNull();
    expect((await app.app.get(Executions).status()).skipped).toContainEqual({
      reason: 'success is not verified',
      count: 1,
    });
  });

  it('skips executions while the proposer is off, with this reason', async () => {
    const { id } = await send('off');
    await captured(nextProcess({ GUILDBOOK_PROPOSER_ENABLED: 'false' }));
    expect(await stateOf(id)).toEqual({ state: 'skipped', reason: 'the proposer is off' });
    expect(await payloadOf(id)).toBeNull();
  });

  it('stores which patterns occurred, also in skipped executions: the effect of a skill is counted by them', async () => {
    const { id: failed } = await send('failed', { model: 'model-1' });
    const { id: well } = await send('well', { toolCalls: [run('git status')] });
    await captured(nextProcess({ GUILDBOOK_PROPOSER_ENABLED: 'false' }));
    const { patterns, model } = await app.database.client.execution.findUniqueOrThrow({ where: { id: failed } });
    const fingerprint = patternFingerprint({ tool: 'shell', action: 'python', errorClass: 'SyntaxError' });
    expect(patterns).toContain(patternKey(fingerprint));
    const inPython = patternFingerprint({
      tool: 'shell',
      action: 'python',
      errorClass: 'SyntaxError',
      project: 'python',
    });
    expect(patterns).toContain(patternKey(inPython));
    expect(patterns).toHaveLength(4);
    expect(model).toBe('model-1');
    expect((await app.database.client.execution.findUniqueOrThrow({ where: { id: well } })).patterns).toEqual([]);
  });

  it('uses the configured strategy', async () => {
    const { id } = await send('strategy');
    await captured(nextProcess({ GUILDBOOK_CAPTURE: 'success' }));
    expect(await stateOf(id)).toEqual({ state: 'skipped', reason: 'success is not verified' });
  });

  it("measures a success against the agent's own recent scores", async () => {
    const scored = (executionId: string, qualityScore: number) =>
      send(executionId, {
        qualityScore,
        toolCalls: [run('git status')],
        verification: { outcome: 'succeeded', source: 'ci' },
      });
    for (let n = 0; n < 19; n += 1) await scored(`score-${n}`, 9.5);
    await captured(nextProcess());
    const { id: lower } = await scored('lower', 9);
    const { id: higher } = await scored('higher', 9.5);
    await captured(nextProcess());
    expect(await stateOf(lower)).toEqual({ state: 'skipped', reason: expect.any(String) });
    expect(await payloadOf(higher)).toMatchObject({ kind: 'success' });
  });

  it('a payload has no secret and stays within its limits', async () => {
    const errorMessage = `ValueError: ${'x'.repeat(480)} password=hunter2hunter ${'y'.repeat(400)}`;
    const { id } = await send('secret', {
      errorMessage,
      toolCalls: [run('python a.py', errorMessage), run('python3 a.py')],
    });
    await captured(nextProcess());
    const body = AnalysisPayload.parse((await payloadOf(id))?.body);
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(body.errorMessage?.length ?? 0).toBeLessThanOrEqual(300);
    expect(body.calls[0]?.errorLine?.length ?? 0).toBeLessThanOrEqual(300);
  });

  it('text that becomes longer when it is normalised does not stop capture', async () => {
    const long = '\ufdfa'.repeat(400);
    const { id } = await send('grown', { taskTitle: long, errorMessage: long });
    const { id: next } = await send('after the grown one');
    await captured(nextProcess());
    expect(await stateOf(id)).toMatchObject({ state: 'captured' });
    expect(await stateOf(next)).toMatchObject({ state: 'captured' });
  });
});
