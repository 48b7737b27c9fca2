import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import type { ExecutionReport } from '../../src/capture/report/execution-report.schema.js';
import { SkillWatch } from '../../src/effect/skill-watch.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { proposedByFleet, pythonReport } from '../support/fleet.js';
import { submitTestProposal } from '../support/proposal-input.js';
import { run } from '../support/reports.js';
import { bothSides, type TestAgent } from '../support/skills.js';

const FAILS: Partial<ExecutionReport> = {};
const GOES_WELL: Partial<ExecutionReport> = { toolCalls: [run('python3 manage.py check')] };
const runWatch = (app: TestApplication) => app.app.get(SkillWatch).checkSkills();
const requests = async (app: TestApplication, state: 'pending' | 'withdrawn' = 'pending') =>
  (await app.admin.proposals.list({ state })).items.filter(({ kind }) => kind === 'retire');

/** An application without the timer of the skill watch, so that only the test runs it. */
async function startWithoutWatch(): Promise<TestApplication> {
  const app = await startTestApplication();
  await app.app.get(SkillWatch).beforeApplicationShutdown();
  return app;
}

/** Each agent reports `each` executions of its own tasks. */
async function report(app: TestApplication, agents: readonly TestAgent[], each: number, change: object, round = '') {
  const all = async ({ name, client }: TestAgent) => {
    for (let n = 0; n < each; n += 1)
      await client.executions.report({ ...pythonReport(app, `${name} ${round} ${n}`), ...change });
  };
  await Promise.all(agents.map(all));
}

/** Returns the name of a skill that was proposed from a fleet's reports and approved. */
async function approveSkill(app: TestApplication): Promise<string> {
  const proposal = await proposedByFleet(app, ['ada', 'ben', 'cleo']);
  await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
  await app.settled();
  return proposal.skillName;
}

describe('a skill that harms', () => {
  let app: TestApplication;
  let skill: string;
  let sides: Awaited<ReturnType<typeof bothSides>>;
  let request: ProposalDetails;
  const git = (...args: string[]) => execFileSync('git', ['-C', app.skillsDir, ...args], { encoding: 'utf8' }).trim();

  beforeAll(async () => {
    app = await startWithoutWatch();
    skill = await approveSkill(app);
    sides = await bothSides(app, skill, 25, 6);
    // Before the comparison began, so not counted.
    await report(app, sides.outside, 1, FAILS, 'early');
    app.clock.advance(1_000);
    await app.admin.skills.rollout(skill, 25);
    await app.settled();
  });
  afterAll(() => app.close());

  it('gets no verdict while there is too little data', async () => {
    await report(app, [...sides.inside, ...sides.outside], 1, GOES_WELL, 'first');
    await app.settled();
    await runWatch(app);
    expect((await app.admin.skills.effect(skill)).figures).toMatchObject({
      with: { agents: 6, executions: 6, failures: 0 },
      without: { agents: 6, executions: 6, failures: 0 },
      verdict: 'not-enough-data',
    });
    expect(await requests(app)).toEqual([]);
  });

  it('is found: its failure occurs with it and not without it', async () => {
    await report(app, sides.inside, 5, FAILS);
    await report(app, sides.outside, 5, GOES_WELL);
    await app.settled();
    const effect = await app.admin.skills.effect(skill);
    expect(effect.figures).toMatchObject({
      with: { agents: 6, executions: 36, failures: 30 },
      without: { agents: 6, executions: 36, failures: 0, rate: 0 },
      verdict: 'harms',
      level: 0.95,
    });
    expect(effect.figures.interval?.[1]).toBeLessThan(0);
    expect(effect.says).toMatch(
      /^It harms: the failure occurred in 30 of 36 executions of 6 agents \(83.3 %\) with it/,
    );
  });

  it('causes a retirement request at the top of the queue, with the figures', async () => {
    await submitTestProposal(app, 'Much wanted', { impact: 1_000_000 });
    await runWatch(app);
    const [first, second] = (await app.admin.proposals.list()).items;
    expect([first?.kind, second?.title]).toEqual(['retire', 'Much wanted']);
    request = await app.admin.proposals.show(first?.id ?? '');
    const { figures } = await app.admin.skills.effect(skill);
    expect(request).toMatchObject({
      skillName: skill,
      risk: 'high',
      request: { reason: 'harm', says: expect.stringContaining('It harms'), effect: figures },
      artifact: (await app.admin.skills.show(skill)).artifact,
      difference: expect.stringContaining(`-name: "${skill}"`),
      history: [{ action: 'proposal.retirement_requested', actor: { kind: 'job', name: 'skill-watch' } }],
    });
  });

  it('causes one request while it is pending, however often the watch runs', async () => {
    await Promise.all([runWatch(app), runWatch(app)]);
    await runWatch(app);
    expect(await requests(app)).toHaveLength(1);
  });

  it('stays after a rejection until there is materially more evidence', async () => {
    await app.admin.proposals.reject(request.id, 'the failing machines were broken');
    await runWatch(app);
    await report(app, sides.inside, 2, FAILS, 'again');
    await app.settled();
    await runWatch(app);
    expect(await requests(app)).toEqual([]);
    await report(app, sides.inside, 10, FAILS, 'and again');
    await app.settled();
    await runWatch(app);
    const [again] = await requests(app);
    request = await app.admin.proposals.show(again?.id ?? '');
    expect(request.earlierRejections).toMatchObject([{ reason: 'the failing machines were broken' }]);
  });

  it("is retired by a reviewer's approval: file, commit and journal", async () => {
    const rita = await app.person('Rita Reviewer', { reviewer: true });
    await rita.client.proposals.approve(request.id, request.artifactSha256);
    await app.settled();
    expect((await app.admin.skills.list()).items).toEqual([]);
    expect(existsSync(join(app.skillsDir, skill))).toBe(false);
    expect(git('log', '-1', '--format=%an|%s')).toBe(`Rita Reviewer|Retire ${skill}`);
    expect(git('status', '--porcelain')).toBe('');
    const { items } = await app.admin.journal.list({ subject: request.id, order: 'newest' });
    expect(items[0]).toMatchObject({ action: 'proposal.approved', actor: { id: rita.id }, data: { kind: 'retire' } });
    await runWatch(app);
    expect(await requests(app)).toEqual([]);
  });

  it('keeps its figures, and its pattern is remembered with the reason', async () => {
    expect(await app.admin.skills.effect(skill)).toMatchObject({ live: false, figures: { verdict: 'harms' } });
    await app.admin.evolver.run(false);
    // Its own failures are new evidence for the pattern. The reviewer of the new proposal sees how the skill did.
    const again = (await app.admin.proposals.list()).items.find(({ title }) => title !== 'Much wanted');
    expect((await app.admin.proposals.show(again?.id ?? '')).earlierRejections).toMatchObject([
      { reason: expect.stringContaining('It harms') },
    ]);
  });
});

describe('a skill whose agents moved to another model', () => {
  let app: TestApplication;
  let skill: string;
  let agents: TestAgent[];
  const on = (model: string) => ({ ...GOES_WELL, model });

  beforeAll(async () => {
    app = await startWithoutWatch();
    agents = [];
    for (const name of ['dora', 'emil', 'finn']) agents.push({ name, ...(await app.agent(name)) });
    await report(app, agents, 1, { model: 'model-1' });
    await app.settled();
    await app.admin.evolver.run(false);
    const [proposal] = (await app.admin.proposals.list()).items;
    if (!proposal) throw new Error('nothing was proposed');
    expect((await app.admin.proposals.show(proposal.id)).evidence.models).toEqual(['model-1']);
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    await app.settled();
    skill = proposal.skillName;
  });
  afterAll(() => app.close());

  it('is left alone while half of their executions run on the model of its evidence', async () => {
    await report(app, agents, 7, on('model-1'), 'old');
    await report(app, agents, 7, on('model-2'), 'new');
    await runWatch(app);
    expect(await requests(app)).toEqual([]);
  });

  it('causes a request with both models, and stays in place until it is decided', async () => {
    await report(app, agents, 2, on('model-2'), 'newer');
    await runWatch(app);
    const [first] = await requests(app);
    expect(await app.admin.proposals.show(first?.id ?? '')).toMatchObject({
      risk: 'high',
      request: {
        reason: 'dependency-changed',
        was: ['model-1'],
        is: [{ model: 'model-2', executions: 27, agents: 3 }],
        executions: 48,
        onOthers: 27,
        says: expect.stringContaining('48 executions of its agents since its approval, 27 ran on model-2'),
      },
    });
    expect((await app.admin.skills.list()).items).toMatchObject([{ name: skill }]);
  });

  it('causes another request for a further model only', async () => {
    const [first] = await requests(app);
    await app.admin.proposals.reject(first?.id ?? '', 'still true on model-2');
    await runWatch(app);
    expect(await requests(app)).toEqual([]);
    await report(app, agents, 1, on('/home/mildred/models/model-3'), 'newest');
    await runWatch(app);
    const [again] = await requests(app);
    // The path contains a user name, which must not be shown.
    expect(JSON.stringify(await app.admin.proposals.show(again?.id ?? ''))).not.toContain('mildred');
  });

  it('causes no further request once it is retired otherwise', async () => {
    await app.admin.retireSkill((await app.admin.skills.show(skill)).proposalId, 'replaced by a tool');
    await runWatch(app);
    expect(await requests(app)).toEqual([]);
    const [withdrawn] = await requests(app, 'withdrawn');
    const { items } = await app.admin.journal.list({ subject: withdrawn?.id, order: 'newest' });
    expect(items[0]).toMatchObject({ action: 'proposal.withdrawn', actor: { kind: 'job' } });
  });
});

describe('a skill that is only old', () => {
  it('never causes a request', async () => {
    const app = await startWithoutWatch();
    const skill = await approveSkill(app);
    const gus = { name: 'gus', ...(await app.agent('gus')) };
    app.clock.advance(2 * 365 * 86_400_000);
    await report(app, [gus], 3, GOES_WELL);
    await app.settled();
    await runWatch(app);
    expect(await app.database.client.proposal.count({ where: { kind: 'retire' } })).toBe(0);
    expect((await gus.client.skills.list()).items).toMatchObject([{ name: skill }]);
    await app.close();
  });
});
