import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TuningRunner } from '../../src/tuning/runs/tuning-runner.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { writeTopicSource } from '../support/topic-source.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const WHY = { confirm: true, reason: 'The answers became worse.' } as const;

let app: TestApplication;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildbook-tuning-'));
  writeTopicSource(join(folder, 'tuning', 'topics'));
  writeTopicSource(join(folder, 'tuning', 'few'), { queries: 50 });
  app = await startTestApplication(
    { GUILDBOOK_RETRIEVAL: 'hybrid', GUILDBOOK_DATA_DIR: join(folder, 'database') },
    false,
    { tuningCoreShare: 1 },
  );
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

const tuning = () => app.admin.tuning;
const settled = () => app.app.get(TuningRunner).idle();
const journalled = async (action: string) =>
  (await app.admin.journal.list({ action, limit: 100 })).items.map(({ subject, data, actor }) => ({
    ...{ subject, data, actor: actor.name },
  }));

describe('a run of the base', () => {
  it('says before it starts what it would read, and whether the rule could pass', async () => {
    expect(await tuning().preflight({ sourceDir: 'topics', outputDir: 'made' })).toMatchObject({
      ...{ ready: true, documents: 240, pairs: 320, canPass: true, reasons: [] },
      folders: { source: { usable: true }, output: { usable: true } },
    });
    expect(await tuning().preflight({ sourceDir: 'few' })).toMatchObject({
      ...{ ready: false, canPass: false, pairs: 50 },
      reasons: [{ code: 'too_few_gate_queries' }, { code: 'too_few_probe_queries' }],
    });
  });

  it('deploys what its gate finds better, measures it again, and keeps it as a file', async () => {
    const before = await tuning().active();
    expect(before).toMatchObject({ checkpointId: null, name: before.configured });
    const started = await tuning().start({ sourceDir: 'topics', outputDir: 'made' });
    expect(started).toMatchObject({ state: 'queued', kind: 'base', trigger: 'request' });
    await settled();
    const { run, active } = await tuning().status(started.id);
    expect(run?.failure).toBeNull();
    expect(active).toBe(false);
    expect(run).toMatchObject({ state: 'completed', stage: 'done', outcome: 'deployed', verdict: { deploy: true } });
    expect(run?.measuredAgain?.gateGain).toBeGreaterThan(0.01);
    const { items } = await tuning().checkpoints();
    expect(items).toMatchObject([{ id: run?.checkpointId, active: true, kind: 'base', deletedAt: null }]);
    expect(await tuning().active()).toMatchObject({ checkpointId: run?.checkpointId, name: items[0]?.name, problem: null });
    expect((await journalled('memory.checkpoint_deployed')).map(({ subject }) => subject.id)).toEqual([run?.checkpointId]);
  });
});
