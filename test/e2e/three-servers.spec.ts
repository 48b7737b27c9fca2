import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ScheduledJobs } from '../../src/platform/background/scheduled-jobs.service.js';
import { SECOND_MS } from '../../src/platform/base/durations.js';
import { Readiness } from '../../src/platform/http/readiness.service.js';
import { Reconciler } from '../../src/skills/publishing/reconciler.service.js';
import { SkillsFollower } from '../../src/skills/publishing/skills-follower.service.js';
import { settle, startTestApplication, type TestApplication } from '../support/application.js';
import { type ApplicationBeside, startBeside } from '../support/application-beside.js';
import { onlyPending, pythonReport } from '../support/fleet.js';
import { http } from '../support/http.js';

const SCHEDULE = { GUILDBOOK_EVOLVER_ENABLED: 'true', GUILDBOOK_EVOLVER_CRON: '0 3 * * *' };

/** Two processes share the skills folder that publishes; the third has its own, which follows. */
describe('three processes on one database', () => {
  let first: TestApplication;
  let second: ApplicationBeside;
  let third: ApplicationBeside;
  let processes: (TestApplication | ApplicationBeside)[];
  let ownFolder: string;

  beforeAll(async () => {
    ownFolder = mkdtempSync(join(tmpdir(), 'guildbook-third-'));
    first = await startTestApplication(SCHEDULE);
    second = await startBeside(first, SCHEDULE);
    third = await startBeside(first, { ...SCHEDULE, GUILDBOOK_SKILLS_DIR: ownFolder });
    processes = [first, second, third];
  });
  afterAll(async () => {
    for (const one of processes.toReversed()) await one.close();
    rmSync(ownFolder, { recursive: true, force: true });
  });

  const journalled = async (action: string) => (await first.admin.journal.list({ action, limit: 50 })).items.length;
  /** A day has passed, the time of every scheduled job has come, and each process looks for what is due. */
  const allComeDue = async () => {
    await first.database.client.$executeRaw`UPDATE "evolver_cycle" SET "started_at" = "started_at" - interval '1 day'`;
    await first.database.client.scheduledJob.updateMany({ data: { dueAt: first.clock.now() } });
    await Promise.all(processes.map(({ app }) => app.get(ScheduledJobs).runDue()));
  };
  /** All work that waits, in each process at the same time. */
  const work = async () => {
    await Promise.all(processes.map(({ app }) => settle(app)));
    for (const type of [SkillsFollower, Reconciler])
      await Promise.all(
        processes.map(async ({ app }) => {
          const worker = app.get<{ wake(): void; idle(): Promise<void> }>(type);
          worker.wake();
          await worker.idle();
        }),
      );
  };

  it('share the loop: reports to each, the scheduled cycle in one, the decision in another, the skill from all', async () => {
    for (const [n, name] of ['ada', 'ben', 'cleo'].entries()) {
      const { token } = await first.agent(name, `team of ${name}`);
      await processes[n]?.client(token).executions.report(pythonReport(first, name));
    }
    await work();
    expect(await first.admin.executions.status()).toMatchObject({ awaitingCapture: 0, awaitingProposal: 0 });
    expect(await journalled('memory.lesson_extracted')).toBe(3);

    await allComeDue();
    expect(await journalled('SKILL_EVOLVER_CYCLE_START')).toBe(1);
    const { id, artifactSha256, artifact, skillName } = await onlyPending(first);

    await third.client(first.adminToken).proposals.approve(id, artifactSha256);
    await work();
    expect(await journalled('skill.published')).toBe(1);
    for (const server of processes)
      await http(server).get(`/.well-known/agent-skills/${skillName}/SKILL.md`).expect(200, artifact);
    for (const folder of [first.skillsDir, ownFolder])
      expect(readFileSync(join(folder, skillName, 'SKILL.md'), 'utf8')).toBe(artifact);
  });

  it('run each scheduled job once, also after the process that ran it last is gone', async () => {
    await second.close();
    processes = [first, third];
    const before = await journalled('SKILL_EVOLVER_CYCLE_START');
    for (let times = 1; times <= 3; times += 1) {
      await allComeDue();
      expect(await journalled('SKILL_EVOLVER_CYCLE_START')).toBe(before + times);
    }
    expect((await first.admin.evolver.reports()).items.map(({ state }) => state)).not.toContain('failed');
  });

  it('raise no alarm about the journal, the skills or each other', async () => {
    expect(await first.admin.journal.verify()).toMatchObject({ intact: true });
    for (const { app } of processes) {
      expect(app.get(Readiness).problems()).toEqual([]);
      expect(app.get(Reconciler).findings()).toEqual([]);
    }
    for (const action of ['skills.repository_repaired', 'skills.push_held', 'skills.folder_changed'])
      expect([action, await journalled(action)]).toEqual([action, 0]);
  });

  it('refuse a revoked token half a second later in each', async () => {
    const { id, token } = await first.agent('Dan');
    for (const { url } of processes) expect((await me(url, token)).status).toBe(200);
    await first.admin.principals.disable(id);
    first.clock.advance(SECOND_MS / 2 + 1);
    for (const { url } of processes) expect((await me(url, token)).status).toBe(401);
  });
});

const me = (url: string, token: string) => http({ url }, token).get('/v1/me');
