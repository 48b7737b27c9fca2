import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PropagationWorker } from '../../src/memory/upkeep/propagation-worker.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { submitTestProposal } from '../support/proposal-input.js';
import { report, run } from '../support/reports.js';

const REJECTED = 'error: failed to push some refs';
const OPEN = ['main', 'HEAD', 'next'].map((branch) => run(`git push origin ${branch}`, REJECTED));
const OVERCOME = [run('git push origin main', REJECTED), run('git push -u origin main')];

type Agent = Awaited<ReturnType<TestApplication['agent']>>;

let app: TestApplication;
let executions = 0;
let dan: Agent;

beforeAll(async () => {
  app = await startTestApplication({
    GUILDBOOK_UPKEEP_CRON: 'off',
    GUILDBOOK_CONSOLIDATION_CRON: 'off',
    GUILDBOOK_PROPAGATION: 'role',
  });
});
afterAll(() => app.close());

async function reported({ client }: Agent, isOvercome: boolean): Promise<void> {
  executions += 1;
  await client.executions.report(
    report({
      executionId: `execution ${executions}`,
      taskId: `task ${executions}`,
      ...(isOvercome ? { toolCalls: OVERCOME } : { status: 'failed', toolCalls: OPEN }),
    }),
  );
  await app.settled();
  await app.app.get(PropagationWorker).idle();
}

const rows = ({ id }: Agent) =>
  app.database.client.memory.findMany({ where: { agentId: id, scope: 'agent' }, orderBy: { createdAt: 'asc' } });
const claims = async (agent: Agent) => (await rows(agent)).filter(({ remedyKey }) => remedyKey === null);
const answered = (by: string | undefined) => ({ endReason: 'answered', supersededById: by });

describe('the claim that nothing helped ends', () => {
  it('when its agent overcomes the failure, and at once while a lesson for it is live', async () => {
    const ada = await app.agent('ada');
    await reported(ada, false);
    expect(await claims(ada)).toMatchObject([{ supersededAt: null }]);
    await reported(ada, true);
    const lesson = (await rows(ada)).find(({ remedyKey }) => remedyKey !== null);
    expect(lesson?.supersededAt).toBeNull();
    expect(await claims(ada)).toMatchObject([answered(lesson?.id)]);
    await reported(ada, false);
    expect(await claims(ada)).toMatchObject([answered(lesson?.id), answered(lesson?.id)]);
    const [claim] = await claims(ada);
    expect(await app.admin.tombstones.show(claim?.id ?? '')).toMatchObject({
      reason: 'answered',
      supersededBy: { id: lesson?.id },
    });
  });

  it('when a peer’s lesson about the failure is copied to its agent', async () => {
    const [ben, cem] = [await app.agent('ben'), await app.agent('cem')];
    await app.database.client.principal.updateMany({
      where: { id: { in: [ben.id, cem.id] } },
      data: { role: 'clerk' },
    });
    await reported(ben, false);
    await reported(cem, true);
    const copy = (await rows(ben)).find(({ propagatedFromId }) => propagatedFromId !== null);
    expect(copy?.supersededAt).toBeNull();
    expect(await claims(ben)).toMatchObject([answered(copy?.id)]);
  });

  it('for every agent when a person approves a skill against the failure, unless a person pinned it', async () => {
    dan = await app.agent('dan');
    const [eve, fay] = [await app.agent('eve'), await app.agent('fay')];
    for (const agent of [dan, eve, fay]) await reported(agent, false);
    const [[claim], [pinned]] = [await claims(dan), await claims(fay)];
    await app.admin.lesson.pin(pinned?.id ?? '', true);
    const fingerprints = [claim?.failureKey ?? ''];
    const proposal = await submitTestProposal(app, 'Push with an upstream', { fingerprints });
    expect(await claims(dan)).toMatchObject([{ supersededAt: null }]);
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    const skill = await app.database.client.memory.findFirstOrThrow({ where: { proposalId: proposal.id } });
    for (const agent of [dan, eve]) expect(await claims(agent)).toMatchObject([answered(skill.id)]);
    expect(await claims(fay)).toMatchObject([{ supersededAt: null }]);
    expect(await app.admin.tombstones.show(claim?.id ?? '')).toMatchObject({
      reason: 'answered',
      supersededBy: { id: skill.id, skillName: 'push-with-an-upstream' },
      endedBy: { kind: 'reviewer', action: 'memory.claims_answered' },
    });

    const gil = await app.agent('gil');
    await reported(gil, false);
    expect(await claims(gil)).toMatchObject([answered(skill.id)]);
  });

  it('with a journal entry by the approval of a skill, also if a lesson answers it already', async () => {
    await reported(dan, true);
    const where = { agentId: dan.id, scope: 'agent', remedyKey: null } as const;
    const { memory } = app.database.client;
    const [claim] = await memory.findMany({ where });
    await memory.updateMany({ where, data: { supersededAt: null, supersededById: null, endReason: null } });
    const proposal = await submitTestProposal(app, 'Push to a review branch', {
      fingerprints: [claim?.failureKey ?? ''],
    });
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    const skill = await memory.findFirstOrThrow({ where: { proposalId: proposal.id } });
    expect(await memory.findMany({ where })).toMatchObject([answered(skill.id)]);
    const { items } = await app.admin.journal.list({ order: 'newest', limit: 20 });
    expect(items).toContainEqual(
      expect.objectContaining({ action: 'memory.claims_answered', subject: { type: 'memory', id: skill.id } }),
    );
  });

  it('in a consolidation, which can be undone, if it was stored before', async () => {
    const { memory } = app.database.client;
    const where = { agentId: dan.id, scope: 'agent', remedyKey: null } as const;
    await memory.updateMany({ where, data: { supersededAt: null, supersededById: null, endReason: null } });
    const [done] = (await app.admin.consolidation.run({ agentId: where.agentId })).items;
    const [claim] = await memory.findMany({ where });
    expect(done).toMatchObject({ state: 'completed', report: { prune: { total: 1, items: [{ id: claim?.id }] } } });
    expect(claim).toMatchObject({ endReason: 'answered', endedByRunId: done?.id, supersededById: expect.any(String) });
    expect(await app.admin.consolidation.undo(done?.id ?? '')).toMatchObject({ restored: 1 });
    expect(await memory.findMany({ where })).toMatchObject([{ supersededAt: null }]);

    await reported(dan, true);
    expect(await memory.findMany({ where })).toMatchObject([{ supersededAt: null }]);
  });
});

describe('the claim that nothing helped, and a skill that some agents do not receive', () => {
  beforeAll(async () => {
    await app.close();
    app = await startTestApplication({ GUILDBOOK_ROLLOUT_PERCENT: '25', GUILDBOOK_CONSOLIDATION_CRON: 'off' });
  });

  it('ends when the skill reaches every agent', async () => {
    const hal = await app.agent('hal');
    await reported(hal, false);
    const [claim] = await claims(hal);
    const proposal = await submitTestProposal(app, 'Push with an upstream', {
      fingerprints: [claim?.failureKey ?? ''],
    });
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    await app.admin.consolidation.run({ agentId: hal.id });
    expect(await claims(hal)).toMatchObject([{ supersededAt: null }]);
    await app.admin.skills.rollout(proposal.skillName, 100);
    const skill = await app.database.client.memory.findFirstOrThrow({ where: { proposalId: proposal.id } });
    expect(await claims(hal)).toMatchObject([answered(skill.id)]);
    const { items } = await app.admin.journal.list({ order: 'newest', limit: 20 });
    expect(items).toContainEqual(
      expect.objectContaining({ action: 'memory.claims_answered', subject: { type: 'memory', id: skill.id } }),
    );
  });
});
