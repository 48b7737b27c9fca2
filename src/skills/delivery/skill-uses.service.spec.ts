import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { whileJournalIsBroken } from '../../../test/support/journal.js';
import { submitTestProposal } from '../../../test/support/proposal-input.js';
import { referenceOf } from '../../../test/support/references.js';
import { report } from '../../../test/support/reports.js';
import { approvedSkill } from '../../../test/support/skills.js';
import { SkillUses } from './skill-uses.service.js';

let app: TestApplication;
let skill: string;
let ada: Awaited<ReturnType<TestApplication['agent']>>;

beforeAll(async () => {
  app = await startTestApplication();
  skill = await approvedSkill(app, 'Write the long name');
  ada = await app.agent('Ada');
});
afterAll(() => app.close());

const at = (): string => app.clock.now().toISOString();
const counters = async (name = skill) => {
  const { applicationCount, lastAppliedAt } = await app.admin.skills.show(name);
  return { applicationCount, lastAppliedAt };
};
const rows = () => app.database.client.skillUse.count();

describe('reporting the use of a skill', () => {
  it('counts an application once, with the time of the last one, and journals it under the agent', async () => {
    const [first, last] = [at(), at()];
    const use = { executionId: 'run-1', event: 'applied', at: last, outcome: 'success' } as const;
    expect(await ada.client.skills.use(skill, use)).toEqual({
      ...use,
      skill,
      version: 1,
      agent: 'Ada',
      duplicate: false,
    });
    expect(await counters()).toEqual({ applicationCount: 1, lastAppliedAt: last });
    await ada.client.skills.use(skill, { executionId: 'run-2', event: 'applied', at: first });
    expect(await counters()).toEqual({ applicationCount: 2, lastAppliedAt: last });
    const { items } = await app.admin.journal.list({ subject: skill, order: 'newest', limit: 1 });
    expect(items).toMatchObject([
      {
        action: 'skill.use_reported',
        actor: { kind: 'agent', id: ada.id },
        data: { executionId: referenceOf(app, 'run-2'), version: 1 },
      },
    ]);
  });

  it('is idempotent: the first report is kept', async () => {
    const before = await counters();
    const use = { executionId: 'run-3', event: 'applied', at: at() } as const;
    const sent = await Promise.all(Array.from({ length: 4 }, () => ada.client.skills.use(skill, use)));
    expect(sent.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    const again = await ada.client.skills.use(skill, { ...use, outcome: 'failure' });
    expect(again).toMatchObject({ duplicate: true, outcome: 'unknown' });
    expect((await counters()).applicationCount).toBe(before.applicationCount + 1);
  });

  it('counts an application once that a session repeats with the calls before it, and each of its own', async () => {
    const before = await counters();
    const then = at();
    app.clock.advance(1_000);
    const later = at();
    const [first, second] = ['4b825dc642cb6eb9a060e54bf8d69288', '5b825dc642cb6eb9a060e54bf8d69288'];
    const session = (id: string, callKeys: string[]) =>
      report({
        executionId: id,
        sessionId: id,
        toolCalls: callKeys.map((_, n) => ({ name: 'Bash', action: `step ${n}`, ok: true })),
        callKeys,
      });
    await ada.client.executions.report(session('run-a', [first]));
    await ada.client.executions.report(session('run-fork', [first, second]));
    await ada.client.executions.report(session('run-other', [second.replace('5', '6')]));
    const use = (executionId: string, when: string) =>
      ada.client.skills.use(skill, { executionId, event: 'applied', at: when });
    expect((await use('run-a', then)).duplicate).toBe(false);
    expect((await use('run-fork', then)).duplicate).toBe(true);
    expect((await use('run-fork', later)).duplicate).toBe(false);
    expect((await use('run-other', then)).duplicate).toBe(false);
    expect((await counters()).applicationCount).toBe(before.applicationCount + 3);
  });

  it('does not count offered or loaded as an application', async () => {
    const before = await counters();
    for (const event of ['offered', 'loaded'] as const)
      expect(await ada.client.skills.use(skill, { executionId: 'run-4', event, at: at() })).toMatchObject({ event });
    expect(await counters()).toEqual(before);
  });

  it('is allowed to an agent for itself, and to an importer that names the agent', async () => {
    const { token } = await app.admin.services.add({ name: 'importer', scopes: ['report-for', 'read'] });
    const use = { executionId: 'run-5', event: 'loaded', at: at() } as const;
    expect(await app.client(token).skills.use(skill, use, 'Bob')).toMatchObject({ agent: 'Bob', duplicate: false });
    await expect(app.client(token).skills.use(skill, use)).rejects.toMatchObject({
      problem: { code: 'execution.agent_missing' },
    });
    await expect(ada.client.skills.use(skill, use, 'Bob')).rejects.toMatchObject({
      problem: { status: 403, code: 'execution.other_agent' },
    });
  });

  it('names the field that is wrong', async () => {
    const use = { executionId: 'run-6', event: 'applied', at: at() } as const;
    const refused = async (change: object, field: string, name = skill) => {
      const stored = await rows();
      await expect(ada.client.skills.use(name, { ...use, ...change })).rejects.toMatchObject({
        problem: { errors: [{ field, message: expect.any(String) }] },
      });
      expect(await rows()).toBe(stored);
    };
    const hour = 3_600_000;
    await refused({}, 'name', 'no-such-skill');
    await refused({ at: new Date(app.clock.now().getTime() + hour).toISOString() }, 'at');
    await refused({ at: new Date(app.clock.now().getTime() - hour).toISOString() }, 'at');
    await refused({ at: 'yesterday' }, 'at');
    await refused({ version: 2 }, 'version');
    await refused({ event: 'loved' }, 'event');
    await refused({ executionId: '' }, 'executionId');
    await refused({ executionId: '\u200b\u200b' }, 'executionId');
    await refused({ prompt: 'please' }, 'prompt');
    await expect(ada.client.skills.use('no-such-skill', use)).rejects.toMatchObject({
      problem: { status: 404, code: 'skill.not_found' },
    });
  });

  it('stores nothing if the journal cannot be written', async () => {
    const before = { ...(await counters()), rows: await rows() };
    await whileJournalIsBroken(app, async () => {
      const use = { executionId: 'run-7', event: 'applied', at: at(), outcome: 'unknown' } as const;
      const reporting = app.app.get(SkillUses).report({ kind: 'agent', id: ada.id, name: 'Ada' }, skill, use);
      await expect(reporting).rejects.toThrow();
    });
    expect({ ...(await counters()), rows: await rows() }).toEqual(before);
  });

  it('counts for the version that was live at that time, unless it names a version', async () => {
    const name = await approvedSkill(app, 'Two versions');
    const inFirst = at();
    app.clock.advance(1_000);
    const live = await app.database.client.memory.findFirstOrThrow({ where: { skillName: name } });
    const next = await submitTestProposal(app, name, { kind: 'supersede', supersedesId: live.id });
    await app.admin.proposals.approve(next.id, next.artifactSha256);
    const used = async (executionId: string, more: object) =>
      (await ada.client.skills.use(name, { executionId, event: 'applied', at: at(), ...more })).version;
    expect(await used('late', { at: inFirst })).toBe(1);
    expect(await used('now', {})).toBe(2);
    expect(await used('said', { version: 1 })).toBe(1);
    expect((await counters(name)).applicationCount).toBe(1);
  });

  it('is accepted after the skill was retired, and earlier reports are kept', async () => {
    const name = await approvedSkill(app, 'Soon retired');
    const use = (executionId: string) => ada.client.skills.use(name, { executionId, event: 'applied', at: at() });
    await use('before');
    await app.admin.retireSkill((await app.admin.skills.show(name)).proposalId, 'no longer true');
    expect(await use('from a clone')).toMatchObject({ duplicate: false, version: 1 });
    expect(await app.admin.skills.effect(name)).toMatchObject({ live: false, uses: { applied: 2, agents: 1 } });
  });
});

describe('the outcome of an application', () => {
  it('is taken from the report of its execution, whether that arrives before or after', async () => {
    const name = await approvedSkill(app, 'Outcomes');
    const use = (executionId: string, outcome: 'success' | 'failure' | 'unknown') =>
      ada.client.skills.use(name, { executionId, event: 'applied', at: at(), outcome });
    const ends = (executionId: string, change: object) =>
      ada.client.executions.report(report({ executionId, ...change }));
    await ends('verified', { verification: { outcome: 'succeeded', source: 'ci' } });
    await use('verified', 'unknown');
    await use('overruled', 'success');
    await ends('overruled', { verification: { outcome: 'failed', source: 'test' } });
    await use('failed', 'unknown');
    await ends('failed', { status: 'failed' });
    await use('own word', 'unknown');
    await ends('own word', { verification: { outcome: 'succeeded', source: 'self' } });
    await use('never reported', 'success');
    expect((await app.admin.skills.effect(name)).uses).toEqual({
      offered: 0,
      loaded: 0,
      applied: 5,
      outcomes: { success: 2, failure: 2, unknown: 1 },
      agents: 1,
      withheldAgents: 0,
    });
  });
});
