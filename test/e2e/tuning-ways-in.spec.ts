import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TuningRunner } from '../../src/tuning/runs/tuning-runner.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';
import { McpTestClient } from '../support/mcp-client.js';
import { storeTopics, writeTopicLabels } from '../support/topic-source.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const WHY = { confirm: true, reason: 'Answers became worse.' };
const TOOLS = [
  'active',
  'cancel',
  'checkpoints',
  'delete',
  'preflight',
  'resume',
  'rollback',
  'runs',
  'status',
  'train',
];

let app: TestApplication;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildbook-tuning-ways-'));
  writeTopicLabels(join(folder, 'tuning', 'topics'));
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

const settled = () => app.app.get(TuningRunner).idle();

describe('the memory service over MCP', () => {
  let mcp: McpTestClient;
  beforeAll(async () => {
    mcp = await McpTestClient.connect(app.url, app.adminToken);
  });
  afterAll(() => mcp.close());

  it('offers an administrator each verb and nothing of an agent, and an agent none of them', async () => {
    expect((await mcp.tools()).map(({ name }) => name).sort()).toEqual(TOOLS.map((name) => `embedder_${name}`));
    const agent = await McpTestClient.connect(app.url, (await app.agent('Mcp agent')).token);
    expect((await agent.tools()).filter(({ name }) => name.startsWith('embedder'))).toEqual([]);
    await agent.close();
  });

  it('does not admit a person who is no administrator', async () => {
    const rosa = await app.person('Rosa', { reviewer: true });
    await expect(McpTestClient.connect(app.url, rosa.token)).rejects.toThrow(/administer|403/);
  });

  it('preflights, trains, shows, rolls back and deletes', async () => {
    expect((await mcp.call('embedder_preflight', { sourceDir: 'topics' })).data).toMatchObject({ ready: true });
    const started = await mcp.call('embedder_train', { sourceDir: 'topics' });
    const runId = String(JSON.parse(started.text).id);
    await settled();
    expect((await mcp.call('embedder_status', {})).data).toMatchObject({ run: { id: runId, outcome: 'deployed' } });
    expect((await mcp.call('embedder_status', { runId })).data).toMatchObject({ active: false });
    expect((await mcp.call('embedder_runs', { limit: 1 })).data).toMatchObject({ items: [{ id: runId }], total: 1 });
    const { checkpointId } = await app.admin.tuning.active();
    expect((await mcp.call('embedder_active', {})).data).toMatchObject({ checkpointId });
    expect((await mcp.call('embedder_checkpoints', {})).data).toMatchObject({ items: [{ id: checkpointId }] });
    expect(await mcp.call('embedder_delete', { checkpointId, ...WHY })).toMatchObject({
      isError: true,
      text: expect.stringContaining('tuning.checkpoint_active'),
    });
    const back = await mcp.call('embedder_rollback', { checkpointId: 'configured', ...WHY });
    expect(back.isError).toBe(false);
    expect((await mcp.call('embedder_delete', { checkpointId, ...WHY })).data).toMatchObject({ bytes: null });
    const { items } = await app.admin.journal.list({ action: 'admin.operation_executed', limit: 10 });
    const of = (operation: string, target: string | null) =>
      expect.objectContaining({
        actor: expect.objectContaining({ kind: 'admin' }),
        data: { operation, target, reason: WHY.reason },
      });
    expect(items).toEqual([of('embedder.rollback', 'configured'), of('embedder.delete', checkpointId)]);
  });

  it('refuses what ends something without the word and the reason, and says what is unknown', async () => {
    for (const guard of [{}, { confirm: true }, { confirm: true, reason: ' ' }, { confirm: 'true', reason: 'x' }])
      for (const [name, args] of [
        ['embedder_cancel', {}],
        ['embedder_rollback', { checkpointId: 'configured' }],
        ['embedder_delete', { checkpointId: UNKNOWN }],
      ] as const)
        expect(await mcp.call(name, { ...args, ...guard })).toMatchObject({ isError: true });
    expect((await mcp.call('embedder_resume', { runId: UNKNOWN })).text).toContain('tuning.unknown_run');
    expect((await mcp.call('embedder_delete', { checkpointId: UNKNOWN, ...WHY })).text).toContain('unknown_checkpoint');
    expect((await mcp.call('embedder_cancel', WHY)).data).toEqual({ cancelled: null });
    expect(await mcp.call('embedder_train', { sourceDir: '../x' })).toMatchObject({ isError: true });
  });
});

describe('the memory service on the command line', () => {
  let program: CommandLine;
  beforeAll(async () => {
    program = await CommandLine.create();
  });
  afterAll(() => program.remove());

  const guildbook = (...args: string[]) =>
    program.run(args, { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: app.adminToken });
  const json = async (...args: string[]) => JSON.parse((await guildbook('--json', 'embedder', ...args)).stdout);

  it('preflights, trains with progress, and shows runs, checkpoints and what is in service', async () => {
    expect((await guildbook('embedder', 'preflight')).stdout).toContain('0 gate queries, 50 needed.');
    const trained = await guildbook('embedder', 'train', '--source', 'topics', '--core-share', '0.5');
    expect(trained).toMatchObject({ code: 0, stderr: expect.stringMatching(/train|choose|gate/) });
    expect(trained.stdout).toMatch(/^base [0-9a-f-]{36}: completed, deployed\n/);
    const { run } = await json('status');
    expect(run).toMatchObject({ state: 'completed', plan: { overrides: { coreShare: 0.5 } } });
    expect((await json('status', run.id.slice(0, 8))).run.id).toBe(run.id);
    expect(await json('runs', '--limit', '1')).toMatchObject({ items: [{ id: run.id }], total: 2 });
    expect((await guildbook('embedder', 'runs')).stdout).toContain('2 of 2 runs');
    expect((await guildbook('embedder', 'active')).stdout).toContain('latent-terms');
    expect(await json('active')).toMatchObject({ checkpointId: run.checkpointId });
    expect((await guildbook('embedder', 'checkpoints')).stdout).toContain('in service');
  });

  it('asks for the word and the reason, and then cancels, rolls back and deletes', async () => {
    expect(await guildbook('embedder', 'cancel', '--reason', 'x')).toMatchObject({ code: 2 });
    expect(await guildbook('embedder', 'rollback', 'configured', '--confirm')).toMatchObject({ code: 2 });
    expect((await guildbook('embedder', 'cancel', '--confirm', '--reason', 'x')).stdout).toBe('No run was active.\n');
    const { checkpointId } = await json('active');
    const guard = ['--confirm', '--reason', 'Answers became worse.'];
    expect((await guildbook('embedder', 'delete', checkpointId, ...guard)).stderr).toContain('in service');
    expect((await guildbook('embedder', 'rollback', 'configured', ...guard)).stdout).toMatch(/^In service: hashed/);
    expect((await guildbook('embedder', 'delete', checkpointId.slice(0, 8), ...guard)).stdout).toMatch(
      /^Deleted: latent/,
    );
    expect((await guildbook('embedder', 'resume', UNKNOWN)).stderr).toContain('There is no tuning run');
    expect((await guildbook('embedder', 'train', '--source', '../x')).stderr).toContain('parent folder');
  });
});

describe('a configuration that uses no embedder', () => {
  it.each(['words', 'keyword_overlap'])('answers 501 with one code over REST and MCP: %s', async (retrieval) => {
    const plain = await startTestApplication({ GUILDBOOK_RETRIEVAL: retrieval });
    const unsupported = { problem: { status: 501, code: 'not_supported' } };
    await expect(plain.admin.tuning.start({})).rejects.toMatchObject(unsupported);
    await expect(plain.admin.tuning.preflight({})).rejects.toMatchObject(unsupported);
    await expect(plain.admin.tuning.resume(UNKNOWN)).rejects.toMatchObject(unsupported);
    const mcp = await McpTestClient.connect(plain.url, plain.adminToken);
    for (const [name, args] of [
      ['embedder_train', {}],
      ['embedder_preflight', {}],
      ['embedder_resume', { runId: UNKNOWN }],
    ] as const)
      expect(await mcp.call(name, args)).toMatchObject({
        isError: true,
        text: expect.stringMatching(/^not_supported: /),
      });
    await mcp.close();
    expect(await plain.admin.tuning.status()).toEqual({ active: false, run: null });
    await plain.close();
  });
});
