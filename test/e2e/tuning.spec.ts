import { randomUUID } from 'node:crypto';
import { symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Prisma } from '../../src/platform/generated/prisma/client.js';
import { MemoryVectors } from '../../src/recall/index/memory-vectors.service.js';
import { EmbedderSwitch } from '../../src/tuning/checkpoints/embedder-switch.service.js';
import { TuningRunner } from '../../src/tuning/runs/tuning-runner.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { storeTopics, writeTopicLabels } from '../support/topic-source.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const WHY = { confirm: true, reason: 'The answers became worse.' } as const;

let app: TestApplication;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildbook-tuning-'));
  writeTopicLabels(join(folder, 'tuning', 'topics'));
  writeTopicLabels(join(folder, 'tuning', 'few'), { queries: 50 });
  app = await startTestApplication(
    { GUILDBOOK_RETRIEVAL: 'hybrid', GUILDBOOK_DATA_DIR: join(folder, 'database') },
    false,
    { tuningCoreShare: 1 },
  );
  await storeTopics(app.database);
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

const refusal = (status: number, code: string) => ({ problem: { status, code } });
const tuning = () => app.admin.tuning;
const settled = () => app.app.get(TuningRunner).idle();
/** Waits until this process serves what the row names. */
async function followed(checkpointId: string | null): Promise<void> {
  for (let tries = 0; (await tuning().active()).checkpointId !== checkpointId; tries += 1) {
    if (tries > 200) throw new Error('the process does not follow');
    await app.app.get(EmbedderSwitch).follow();
    await sleep(20);
  }
}
const journalled = async (action: string) =>
  (await app.admin.journal.list({ action, limit: 100 })).items.map(({ subject, data, actor }) => ({
    subject,
    data,
    actor: actor.name,
  }));

describe('a run of the base', () => {
  it('says before it starts what it would read, and whether the rule could pass', async () => {
    expect(await tuning().preflight({ sourceDir: 'topics', outputDir: 'made' })).toMatchObject({
      ready: true,
      documents: 160,
      pairs: 320,
      canPass: true,
      reasons: [],
      folders: { source: { usable: true }, output: { usable: true } },
    });
    expect(await tuning().preflight({ sourceDir: 'few' })).toMatchObject({
      ready: false,
      canPass: false,
      pairs: 50,
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
    expect(await tuning().active()).toMatchObject({
      checkpointId: run?.checkpointId,
      name: items[0]?.name,
      problem: null,
    });
    expect((await journalled('memory.checkpoint_deployed')).map(({ subject }) => subject.id)).toEqual([
      run?.checkpointId,
    ]);
  });
});

describe('a run that may not be deployed', () => {
  it('leaves what is served, and says why', async () => {
    await tuning().rollback('configured', WHY);
    const { id } = await tuning().start({ sourceDir: 'few' });
    await settled();
    const { run } = await tuning().status(id);
    expect(run).toMatchObject({ state: 'completed', outcome: 'kept', checkpointId: null, verdict: { deploy: false } });
    expect(run?.verdict?.reasons.map(({ code }) => code)).toContain('too_few_gate_queries');
    expect(await tuning().active()).toMatchObject({ checkpointId: null });
  });
});

describe('a recall', () => {
  it('meets vectors of the embedder in service alone, before and after a switch', async () => {
    const ada = await app.agent('Ada');
    await ada.client.remember({ lesson: 'The osprey export needs python3', tags: ['non-inferable'] });
    await ada.client.recall({ query: 'osprey', retrieval: 'hybrid' });
    await app.app.get(MemoryVectors).idle();
    const names = async () =>
      (await app.database.client.memoryVector.findMany({ select: { embedder: true } })).map(({ embedder }) => embedder);
    const [made] = (await tuning().checkpoints()).items;
    await tuning().rollback(made?.id ?? '', WHY);
    await followed(made?.id ?? '');
    const { name, configured, checkpointId } = await tuning().active();
    expect(await names()).toContain(name);
    // As long as a memory lacks its vector.
    const vectors = app.app.get(MemoryVectors);
    const { prepare } = vectors;
    vectors.prepare = () => false;
    const during = await tuning().rollback('configured', WHY);
    vectors.prepare = prepare;
    expect(during).toMatchObject({ name, checkpointId, next: configured });
    await followed(null);
    expect(await tuning().active()).toMatchObject({ name: configured, next: null });
    expect(new Set(await names())).toEqual(new Set([name, configured]));
    const { warnings, memories } = await ada.client.recall({ query: 'osprey', retrieval: 'vectors' });
    expect({ warnings, found: memories.length }).toEqual({ warnings: [], found: 1 });
    await tuning().rollback(checkpointId ?? '', WHY);
    await followed(checkpointId);
    expect((await ada.client.recall({ query: 'osprey', retrieval: 'hybrid' })).memories).toHaveLength(1);
  });
});

describe('a run that ends early', () => {
  it('is cancelled with its actor and a reason, and goes on to the same checkpoint when it is resumed', async () => {
    await tuning().rollback('configured', WHY);
    const { id } = await tuning().start({ sourceDir: 'topics', overrides: { coreShare: 0.3 } });
    await expect(tuning().start({})).rejects.toMatchObject(refusal(409, 'tuning.busy'));
    expect(await tuning().status()).toMatchObject({ active: true, run: { id } });
    expect(await tuning().cancel({ confirm: true, reason: 'Key AKIAIOSFODNN7EXAMPLE, too slow' })).toEqual({
      cancelled: id,
    });
    await settled();
    expect(await tuning().status(id)).toMatchObject({ active: false, run: { state: 'cancelled' } });
    expect(await tuning().cancel(WHY)).toEqual({ cancelled: null });
    const [entry] = (await journalled('admin.operation_executed')).filter(({ subject }) => subject.id === id);
    expect(entry).toMatchObject({
      subject: { type: 'tuning_run' },
      data: { operation: 'embedder.cancel', target: id },
    });
    expect(JSON.stringify(entry)).not.toContain('AKIAIOSFODNN7EXAMPLE');
    expect(await tuning().resume(id)).toMatchObject({ id, state: 'queued' });
    await settled();
    expect(await tuning().status(id)).toMatchObject({ run: { state: 'completed', outcome: 'deployed' } });
    await tuning().rollback('configured', WHY);
    await tuning().start({ sourceDir: 'topics' });
    await settled();
    const [undisturbed, resumed] = (await tuning().checkpoints()).items;
    expect(resumed).toMatchObject({ runId: id, modelSha256: undisturbed?.modelSha256 });
    await expect(tuning().resume(id)).rejects.toMatchObject(refusal(409, 'tuning.not_resumable'));
  });

  it('begins again and says so if what it reads changed meanwhile', async () => {
    await tuning().rollback('configured', WHY);
    const { id } = await tuning().start({ sourceDir: 'topics' });
    await settled();
    await app.database.transaction((tx) =>
      tx.tuningRun.update({
        where: { id },
        data: { state: 'cancelled', outcome: null, verdict: Prisma.DbNull, checkpointId: null, inputSha256: 'other' },
      }),
    );
    await tuning().rollback('configured', WHY);
    await app.database.transaction((tx) => tx.embedderCheckpoint.deleteMany({ where: { runId: id } }));
    await tuning().resume(id);
    await settled();
    const { run } = await tuning().status(id);
    expect(run).toMatchObject({ state: 'completed', notes: [expect.stringContaining('began again')] });
  });

  it('fails with its reason if its source is of another form', async () => {
    writeFileSync(join(folder, 'tuning', 'few', 'queries.jsonl'), '{"no":"query"}\n');
    const { id } = await tuning().start({ sourceDir: 'few' });
    await settled();
    const { run } = await tuning().status(id);
    expect(run).toMatchObject({ state: 'failed', failure: 'Line 1 of a source file has another form.' });
    expect((await journalled('memory.tuning_failed')).map(({ subject }) => subject.id)).toEqual([id]);
  });
});

describe('the list of runs', () => {
  it('has pages and a total', async () => {
    const all = await tuning().runs({ limit: 100 });
    expect(all.items).toHaveLength(all.total);
    const page = await tuning().runs({ limit: 2, offset: 1 });
    expect(page).toEqual({ items: all.items.slice(1, 3), total: all.total });
  });
});

describe('an operation that ends or replaces something', () => {
  it('is refused without confirm: true, and without a reason', async () => {
    const [checkpoint] = (await tuning().checkpoints()).items;
    const id = checkpoint?.id ?? '';
    for (const operation of [
      { confirm: false, reason: 'x' },
      { confirm: 'true', reason: 'x' },
      { confirm: true, reason: '  ' },
      { confirm: true },
    ]) {
      // What a caller without types could send.
      const given = operation as typeof WHY;
      for (const call of [
        tuning().cancel,
        (o: typeof WHY) => tuning().rollback(id, o),
        (o: typeof WHY) => tuning().delete(id, o),
      ])
        await expect(call(given)).rejects.toMatchObject(refusal(400, 'request.invalid'));
    }
  });

  it('needs an administrator', async () => {
    const rosa = await app.person('Rosa', { reviewer: true });
    const refused = { problem: { status: 403 } };
    await expect(rosa.client.tuning.start({})).rejects.toMatchObject(refused);
    await expect(rosa.client.tuning.preflight({})).rejects.toMatchObject(refused);
    await expect(rosa.client.tuning.resume(UNKNOWN)).rejects.toMatchObject(refused);
    await expect(rosa.client.tuning.cancel(WHY)).rejects.toMatchObject(refused);
    await expect(rosa.client.tuning.rollback('configured', WHY)).rejects.toMatchObject(refused);
    await expect(rosa.client.tuning.delete(UNKNOWN, WHY)).rejects.toMatchObject(refused);
    expect((await rosa.client.tuning.runs()).total).toBeGreaterThan(0);
  });

  it('does not know what is not there', async () => {
    await expect(tuning().status(UNKNOWN)).rejects.toMatchObject(refusal(404, 'tuning.unknown_run'));
    await expect(tuning().resume(UNKNOWN)).rejects.toMatchObject(refusal(404, 'tuning.unknown_run'));
    const unknown = refusal(404, 'tuning.unknown_checkpoint');
    await expect(tuning().rollback(UNKNOWN, WHY)).rejects.toMatchObject(unknown);
    await expect(tuning().delete(UNKNOWN, WHY)).rejects.toMatchObject(unknown);
  });

  it('rolls back once, deletes once, and never what is in service', async () => {
    const { items } = await tuning().checkpoints();
    const [active, other] = [items.find((one) => one.active), items.find((one) => !one.active)];
    const inService = refusal(409, 'tuning.checkpoint_active');
    await expect(tuning().delete(active?.id ?? '', WHY)).rejects.toMatchObject(inService);
    await expect(tuning().rollback(active?.id ?? '', WHY)).rejects.toMatchObject(refusal(409, 'tuning.already_active'));
    const id = other?.id ?? '';
    expect(await tuning().delete(id, WHY)).toMatchObject({ id, bytes: null, deletedAt: expect.any(String) });
    await expect(tuning().delete(id, WHY)).rejects.toMatchObject(refusal(409, 'tuning.checkpoint_deleted'));
    await expect(tuning().rollback(id, WHY)).rejects.toMatchObject(refusal(404, 'tuning.unknown_checkpoint'));
    const entries = (await journalled('admin.operation_executed')).filter(({ subject }) => subject.id === id);
    expect(entries).toMatchObject([{ data: { operation: 'embedder.delete', reason: WHY.reason, target: id } }]);
  });

  it('has an event of its own if a rollback fails, and leaves what is served', async () => {
    await tuning().rollback('configured', WHY);
    await followed(null);
    const [checkpoint] = (await tuning().checkpoints()).items.filter(({ deletedAt }) => deletedAt === null);
    const id = checkpoint?.id ?? '';
    await app.database.transaction((tx) =>
      tx.embedderCheckpoint.update({ where: { id }, data: { model: Uint8Array.of(1, 2, 3) } }),
    );
    await expect(tuning().rollback(id, WHY)).rejects.toMatchObject(refusal(501, 'not_supported'));
    expect(await tuning().active()).toMatchObject({ checkpointId: null, problem: null });
    const failed = await journalled('memory.checkpoint_rollback_failed');
    expect(failed).toMatchObject([{ subject: { id }, data: { failure: expect.stringContaining('damaged') } }]);
  });
});

describe('a plan', () => {
  it.each(['../data', 'a/../../b', 'a\\b', 'C:data', '/etc', '~/x', '', 'a//b', '.hidden'])(
    'is refused with the folder %j',
    async (path) => {
      for (const plan of [{ sourceDir: path }, { outputDir: path }]) {
        const invalid = refusal(400, 'request.invalid');
        await expect(tuning().start(plan)).rejects.toMatchObject(invalid);
        await expect(tuning().preflight(plan)).rejects.toMatchObject(invalid);
      }
    },
  );

  it('is refused with a folder that is not there, that leads out through a link, and with values out of bounds', async () => {
    symlinkSync(tmpdir(), join(folder, 'tuning', 'out'));
    const refused = refusal(400, 'tuning.plan_refused');
    await expect(tuning().start({ sourceDir: 'nothing' })).rejects.toMatchObject(refused);
    await expect(tuning().start({ outputDir: 'out' })).rejects.toMatchObject(refused);
    await expect(tuning().start({ overrides: { coreShare: 2 } })).rejects.toMatchObject(refused);
    expect(await tuning().preflight({ sourceDir: 'nothing', overrides: { maxDocuments: 1 } })).toMatchObject({
      ready: false,
      folders: { source: { usable: false, problem: 'cannot be used (ENOENT)' } },
      overrides: [
        { name: 'coreShare', allowed: true },
        { name: 'maxDocuments', value: 1, min: 50, allowed: false },
      ],
    });
  });
});

describe('a map of queries, which earlier versions made', () => {
  it('is listed and not served, neither by its row nor by a rollback, and the message says what to do', async () => {
    const { embedderCheckpoint, tuningRun, activeEmbedder } = app.database.client;
    const base = await embedderCheckpoint.findFirstOrThrow({ where: { deletedAt: null } });
    const run = await tuningRun.findUniqueOrThrow({ where: { id: base.runId } });
    const [id, runId] = [randomUUID(), randomUUID()];
    const json = { plan: { kind: 'adapter', seed: 1 }, verdict: run.verdict ?? {}, measuredAgain: Prisma.DbNull };
    await tuningRun.create({ data: { ...run, ...json, id: runId, kind: 'adapter', checkpointId: id } });
    const map = {
      ...base,
      id,
      runId,
      kind: 'adapter',
      name: `${base.name}+a1234567`,
      baseName: base.name,
      measures: {},
    };
    await embedderCheckpoint.create({ data: map });
    expect((await tuning().status(runId)).run).toMatchObject({ kind: 'adapter', plan: { kind: 'adapter' } });
    expect((await tuning().checkpoints()).items).toContainEqual(expect.objectContaining({ id, kind: 'adapter' }));
    await expect(tuning().rollback(id, WHY)).rejects.toMatchObject(refusal(501, 'not_supported'));

    await app.database.transaction((tx) => tx.activeEmbedder.updateMany({ data: { checkpointId: id } }));
    await app.app.get(EmbedderSwitch).follow();
    const active = await tuning().active();
    expect(active).toMatchObject({ name: active.configured, checkpointId: null });
    expect(active.problem).toContain('is a map of queries, which this version no longer applies');
    await tuning().rollback(base.id, WHY);
    await followed(base.id);
    expect(await tuning().active()).toMatchObject({ name: base.name, problem: null });
    expect(await activeEmbedder.count()).toBe(1);
    await tuning().rollback('configured', WHY);
  });

  it('is trained by no run that waited for it', async () => {
    const waiting = {
      id: randomUUID(),
      kind: 'adapter',
      trigger: 'request',
      state: 'queued',
      stage: 'collect',
      seed: 1,
    };
    const plan = { kind: 'adapter', seed: 1, overrides: {} };
    await app.database.transaction((tx) =>
      tx.tuningRun.create({ data: { ...waiting, plan, notes: [], createdAt: app.clock.now() } }),
    );
    app.app.get(TuningRunner).wake();
    await settled();
    expect((await tuning().status(waiting.id)).run).toMatchObject({
      state: 'failed',
      failure: 'This version trains no map of queries. Start a run of the base.',
    });
  });
});
