import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Guildbook } from '../../src/client/guildbook.js';
import { jobActor } from '../../src/journal/actor.js';
import { LiveChecks } from '../../src/skills/delivery/live-checks.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { checkedEvidence, checkOf } from '../support/checked-proposal.js';
import { Console, decoded } from '../support/console.js';
import { pythonReport } from '../support/fleet.js';
import { http } from '../support/http.js';
import { McpTestClient } from '../support/mcp-client.js';
import { submitTestProposal } from '../support/proposal-input.js';
import { bothSides } from '../support/skills.js';

type Agent = { id: string; token: string; client: Guildbook };

let app: TestApplication;
let rita: Agent;
let sven: Agent;
let sessions = 0;
beforeEach(async () => {
  app = await startTestApplication({}, false, { hookDeadlineMs: 60_000 });
  rita = await app.agent('claude of rita', 'rita');
});
afterEach(() => app.close());

const other = async () => {
  sven = await app.agent('claude of sven', 'sven');
};
const SAYS = 'Only agents of rita receive it until agents of another owner support it.';
const predicate = {
  follow: { tool: 'shell', args: '\\bpy3\\b' },
  when: { tool: 'shell', args: '\\bpy2\\b', error: 'unknown option' },
};

/** A proposal that a cycle learned from agents of these owners. */
function proposed(owners: readonly string[], more: object = {}) {
  const seenBy = owners.map((owner) => ({ agent: `claude of ${owner}`, owner, executions: 2, failures: 3 }));
  const evidence = { ...checkedEvidence('confirmed'), owners: owners.length, seenBy };
  return submitTestProposal(app, 'Write py3 instead of py2', more, { predicate }, evidence);
}

async function approved(owners: readonly string[], more: object = {}) {
  const { id, artifactSha256, skillName } = await proposed(owners, more);
  await app.admin.proposals.approve(id, artifactSha256);
  await decided();
  return skillName;
}

/** A decision has an effect within a second. */
async function decided(): Promise<void> {
  await app.settled();
  app.clock.advance(1_001);
}

async function answered({ token }: Agent): Promise<boolean> {
  sessions += 1;
  const command = 'py2 jobs/close.py --all';
  const { text } = await http(app, token)
    .post('/v1/hooks/claude-code/PostToolUseFailure')
    .send({
      session_id: `session-${sessions}`,
      cwd: '/home/dev/shop',
      hook_event_name: 'PostToolUseFailure',
      tool_name: 'Bash',
      tool_use_id: `use-${sessions}`,
      tool_input: { command },
      error: `Exit code 2\n${command}: unknown option --all`,
    });
  return text.includes('skill write-py3-instead-of-py2');
}

/** Whether it reaches the agent at a failure, by recall, in the list of skills, as a file and over MCP. */
async function received(agent: Agent) {
  const { memories } = await agent.client.recall({ query: 'Write py3 instead of py2' });
  const { text: index } = await http(app, agent.token).get('/.well-known/agent-skills/index.json');
  const mcp = await McpTestClient.connect(app.url, agent.token);
  const listed = await mcp.call('list_skills', {});
  await mcp.close();
  return {
    failure: await answered(agent),
    recall: memories.length > 0,
    list: (await agent.client.skills.list()).total > 0,
    index: index.includes('write-py3'),
    mcp: JSON.stringify(listed).includes('write-py3'),
  };
}
const EVERYWHERE = { failure: true, recall: true, list: true, index: true, mcp: true };
const NOWHERE = { failure: false, recall: false, list: false, index: false, mcp: false };

const pages = async () => Console.signedIn(app, 'Rosa Reviewer', { reviewer: true });
const arms = async () =>
  (await app.database.client.delivery.findMany({ orderBy: { at: 'asc' } })).map(({ agentId, arm }) => ({
    agentId,
    arm,
  }));

describe('a skill that agents of one owner support', () => {
  it('reaches the agents of this owner only, and others neither receive it nor are its control group', async () => {
    await other();
    const skillName = await approved(['rita']);
    expect(await received(rita)).toEqual(EVERYWHERE);
    expect(await received(sven)).toEqual(NOWHERE);
    expect(await arms()).toEqual([{ agentId: rita.id, arm: 'delivered' }]);
    await expect(sven.client.skills.show(skillName)).rejects.toMatchObject({ problem: { code: 'skill.not_found' } });
    const later: Agent = await app.agent('codex of rita', 'rita');
    await decided();
    expect(await received(later)).toEqual(EVERYWHERE);
  });

  it('says so to people before and after the approval', async () => {
    await other();
    const { id, artifactSha256, skillName } = await proposed(['rita']);
    const reviewer = await pages();
    expect(decoded((await reviewer.get(`/review/${id}`)).text)).toContain(SAYS);
    await app.admin.proposals.approve(id, artifactSha256);
    await decided();
    expect(decoded((await reviewer.get(`/skills/${skillName}`)).text)).toContain(SAYS);
    expect(await app.admin.skills.show(skillName)).toMatchObject({ onlyOwner: 'rita', percent: 100 });
  });

  it('reaches everybody as soon as agents of another owner support it', async () => {
    await other();
    const skillName = await approved(['rita']);
    const { id: memoryId } = await app.database.client.memory.findFirstOrThrow({ where: { skillName } });
    const finding = { memoryId, check: checkOf('confirmed'), agents: 2, owners: 2, projects: 2, tasks: 4 };
    const cycleId = '00000000-0000-4000-8000-000000000001';
    await app.database.transaction((tx) =>
      app.app.get(LiveChecks, { strict: false }).record(tx, jobActor('evolver'), finding, cycleId),
    );
    await decided();
    expect(await received(sven)).toEqual(EVERYWHERE);
    expect(await app.admin.skills.show(skillName)).toMatchObject({ onlyOwner: null });
    expect(decoded((await (await pages()).get(`/skills/${skillName}`)).text)).not.toContain('Only agents of');
  });

  it('is measured on the agents of this owner only', async () => {
    await other();
    const skillName = await approved(['rita']);
    await app.admin.skills.rollout(skillName, 25);
    await decided();
    const { inside, outside } = await bothSides(app, skillName, 25, 1);
    for (const { token, id, client } of [...inside, ...outside])
      expect(await answered({ token, id, client })).toBe(false);
    expect(await arms()).toEqual([]);
    for (const { client } of [...inside, ...outside, sven])
      await client.executions.report(pythonReport(app, 'of another'));
    await rita.client.executions.report(pythonReport(app, 'of rita'));
    await app.settled();
    const { figures } = await app.admin.skills.effect(skillName);
    expect(figures.with.executions + figures.without.executions).toBe(1);
  });

  it('is for everybody where the organisation has one owner', async () => {
    await approved(['rita']);
    const second: Agent = await app.agent('codex of rita', 'rita');
    expect(await received(second)).toEqual(EVERYWHERE);
    expect(decoded((await (await pages()).get('/skills/write-py3-instead-of-py2')).text)).not.toContain(
      'Only agents of',
    );
  });

  it('is for everybody where several owners support it', async () => {
    await other();
    await approved(['rita', 'tom']);
    expect(await received(sven)).toEqual(EVERYWHERE);
  });

  it('is for everybody where no cycle learned it', async () => {
    await other();
    await approved(['rita'], { cycleId: null });
    expect(await received(sven)).toEqual(EVERYWHERE);
  });
});
