import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { report, run } from '../../../test/support/reports.js';
import { WitnessCounts } from './witness-counts.service.js';

const REJECTED = 'error: failed to push some refs';
const OVERCOME = [run('git push origin main', REJECTED), run('git push -u origin main')];
const OPEN = ['main', 'HEAD', 'next'].map((branch) => run(`git push origin ${branch}`, REJECTED));

let app: TestApplication;
let counts: WitnessCounts;
const agents: string[] = [];

async function reported(name: string, change: Parameters<typeof report>[0] = { toolCalls: OVERCOME }): Promise<string> {
  const { client, id } = await app.agent(name);
  await client.executions.report(report({ executionId: `of ${name}`, ...change }));
  await app.settled();
  agents.push(id);
  return id;
}

const lessonOf = (agentId: string) =>
  app.database.client.memory.findFirstOrThrow({ where: { scope: 'agent', agentId } });

beforeAll(async () => {
  app = await startTestApplication({ GUILDBOOK_UPKEEP_CRON: 'off' });
  counts = app.app.get(WitnessCounts);
  for (const name of ['ada', 'ben']) await reported(name);
  await reported('cem', { status: 'failed', toolCalls: OPEN });
});
afterAll(() => app.close());

describe('private lessons as witnesses of a failure', () => {
  it('are counted by their agents, and by their remedy', async () => {
    const { failureKey, remedyKey } = await lessonOf(agents[0] ?? '');
    const failures = [`sha256:${'0'.repeat(64)}`, failureKey ?? ''];
    expect(await counts.of(failures)).toEqual({ agents: 3, withRemedy: 0 });
    expect(await counts.of(failures, [remedyKey ?? ''])).toEqual({ agents: 3, withRemedy: 2 });
    expect(await counts.of(failures, ['sha256:other'])).toEqual({ agents: 3, withRemedy: 0 });
  });

  it('give no number for a failure that no lesson is about', async () => {
    expect(await counts.of([`sha256:${'1'.repeat(64)}`])).toEqual({ agents: 0, withRemedy: 0 });
    expect(await counts.of([])).toEqual({ agents: 0, withRemedy: 0 });
  });

  it('count an agent once, whatever number of its lessons is about the failure', async () => {
    const { client } = await app.agent('dan');
    const other = [run('git push origin main', REJECTED), run('git push --set-upstream origin main')];
    for (const [n, toolCalls] of [OVERCOME, other].entries())
      await client.executions.report(report({ executionId: `of dan ${n}`, toolCalls }));
    await app.settled();
    const { failureKey } = await lessonOf(agents[0] ?? '');
    expect(await counts.of([failureKey ?? ''])).toMatchObject({ agents: 4 });
  });

  it('are no witnesses once they have ended, and copies of another agent never are', async () => {
    const [first, second] = [await lessonOf(agents[0] ?? ''), await lessonOf(agents[1] ?? '')];
    const { memory } = app.database.client;
    const before = await counts.of([first.failureKey ?? '']);
    await memory.update({ where: { id: first.id }, data: { supersededAt: new Date('2026-04-01T00:00:00Z') } });
    await memory.update({ where: { id: second.id }, data: { propagatedFromId: first.id } });
    expect(await counts.of([first.failureKey ?? ''])).toMatchObject({ agents: before.agents - 2 });
  });
});
