import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jobActor } from '../../src/journal/actor.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { EmbedderDeployments } from '../../src/tuning/checkpoints/embedder-deployments.service.js';
import { CheckpointDeployer } from '../../src/tuning/runs/checkpoint-deployer.service.js';
import { TrainingSets } from '../../src/tuning/runs/training-set.service.js';
import { TuningRunner } from '../../src/tuning/runs/tuning-runner.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { startBeside } from '../support/application-beside.js';
import { http } from '../support/http.js';
import { report } from '../support/reports.js';
import { approvedSkill } from '../support/skills.js';
import { storeTopics, writeForeignSource, writeTopicLabels } from '../support/topic-source.js';

const WHY = { confirm: true, reason: 'The answers became worse.' } as const;
const JOB = jobActor('a test');

let app: TestApplication;
let folder: string;
let checkpointId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildbook-tuning-'));
  writeTopicLabels(join(folder, 'tuning', 'topics'));
  writeForeignSource(join(folder, 'tuning', 'foreign'));
  const environment = { GUILDBOOK_RETRIEVAL: 'hybrid', GUILDBOOK_DATA_DIR: join(folder, 'database') };
  app = await startTestApplication(environment, false, { tuningCoreShare: 1 });
  await storeTopics(app.database);
  const { id } = await app.admin.tuning.start({ sourceDir: 'topics', outputDir: 'made' });
  await app.app.get(TuningRunner).idle();
  checkpointId = (await app.admin.tuning.status(id)).run?.checkpointId ?? '';
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

const served = async () => (await app.admin.tuning.active()).checkpointId;
const journalled = async (action: string) =>
  (await app.admin.journal.list({ action, limit: 100 })).items.map(({ subject, data }) => ({ id: subject.id, data }));

describe('a base of a foreign folder', () => {
  it('is never deployed by the queries of that folder', async () => {
    const before = await served();
    const { id } = await app.admin.tuning.start({ sourceDir: 'foreign' });
    await app.app.get(TuningRunner).idle();
    const { run } = await app.admin.tuning.status(id);
    expect(run).toMatchObject({ outcome: 'kept', checkpointId: null, documents: 160, pairs: 0 });
    expect(run?.verdict).toMatchObject({ deploy: false, measures: { gateQueries: 0, probeQueries: 0 } });
    expect(await served()).toBe(before);
  });
});

describe('a checkpoint in service', () => {
  it('stays if it was measured again within the bound, and is taken back below it', async () => {
    const deployer = app.app.get(CheckpointDeployer);
    const takenBack = (gateGain: number, probeGain: number) =>
      deployer.takeBackIfHarmful(checkpointId, null, { gateGain, probeGain });
    expect(await takenBack(-0.005, 0.1)).toBe(false);
    expect(await served()).toBe(checkpointId);
    expect(await takenBack(0.1, -0.006)).toBe(true);
    expect(await served()).toBeNull();
    const [entry] = await journalled('memory.checkpoint_rolled_back');
    expect(entry).toMatchObject({ id: 'configured', data: { replaced: checkpointId } });
    expect(JSON.stringify(entry?.data)).toContain('-0.0060 on the probe');
    // An administrator put something else in service meanwhile: that stays.
    expect(await takenBack(-1, -1)).toBe(false);
  });

  it('is not replaced by a run that compared itself with something else, and the journal says so', async () => {
    await expect(app.app.get(EmbedderDeployments).deploy(JOB, checkpointId, randomUUID())).rejects.toMatchObject({
      code: 'tuning.served_changed',
    });
    expect(await served()).toBeNull();
    expect(await journalled('memory.checkpoint_deploy_failed')).toMatchObject([{ id: checkpointId }]);
  });

  it('is followed by another process on the database', async () => {
    const beside = await startBeside(app);
    const servedBeside = async (): Promise<string | null> => {
      const { body } = await http(beside, app.adminToken).get('/v1/memory/tuning/embedder');
      return body.checkpointId;
    };
    try {
      expect(await servedBeside()).toBeNull();
      await app.admin.tuning.rollback(checkpointId, WHY);
      for (let tries = 0; (await servedBeside()) !== checkpointId; tries += 1) {
        if (tries > 200) throw new Error('the other process does not follow');
        await sleep(50);
      }
      await app.admin.tuning.rollback('configured', WHY);
    } finally {
      await beside.close();
    }
  });

  it('was written whole to the folder of the plan', async () => {
    const [file = ''] = await readdir(join(folder, 'tuning', 'made'));
    expect(file).toBe(`${checkpointId}.checkpoint`);
    const { items } = await app.admin.tuning.checkpoints();
    expect(sha256(await readFile(join(folder, 'tuning', 'made', file)))).toBe(items[0]?.modelSha256);
  });
});

describe('what a training reads', () => {
  it('has the tasks that two agents solved with an approved skill, and none of one agent alone', async () => {
    const name = await approvedSkill(app, 'Close the books with python3');
    const [skill] = await app.database.client.memory.findMany({ where: { skillName: name } });
    const agents = [await app.agent('ada-bot'), await app.agent('bob-bot')];
    for (const [n, { client }] of agents.entries()) {
      const sessionId = `session ${n}`;
      await client.recall({ query: 'close the books with python3', sessionId });
      await app.settled();
      for (const taskTitle of ['Close the books of the month', ...(n === 0 ? ['Ship the secret product'] : [])]) {
        const outcome = { status: 'completed', verification: { outcome: 'succeeded', source: 'test' } } as const;
        await client.executions.report(
          report({ executionId: `${taskTitle} ${n}`, taskTitle, sessionId, finishedAt: later(), ...outcome }),
        );
      }
    }
    await app.settled();
    const { queries } = await app.app.get(TrainingSets).collect({}, 1_000);
    expect(queries.find(({ text }) => text.includes('Close the books of the month'))?.relevant).toEqual([skill?.id]);
    expect(JSON.stringify(queries)).not.toContain('secret product');
  });
});

const later = (): string => new Date(app.clock.now().getTime() + 60_000).toISOString();
