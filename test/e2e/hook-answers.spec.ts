import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewProposal } from '../../src/approvals/proposals/new-proposal.js';
import { Evidence } from '../../src/approvals/proposals/proposed-skill.schema.js';
import { FragmentAssembler } from '../../src/capture/gathering/fragment-assembler.service.js';
import { DeliveryJudge } from '../../src/effect/delivery-judge.service.js';
import type { Verdict } from '../../src/evidence/predicate/check.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { checkedEvidence } from '../support/checked-proposal.js';
import { http } from '../support/http.js';
import { storedMemory, verifiedByPerson } from '../support/memories.js';
import { submitTestProposal } from '../support/proposal-input.js';
import { bothSides } from '../support/skills.js';

let app: TestApplication;
let ada: { id: string; token: string };
let sessions = 0;

function newSession(): string {
  sessions += 1;
  return `session-${sessions}`;
}
const EXAMPLE = {
  failed: { tool: 'shell', call: 'py2 jobs/close.py' },
  error: 'py2: unknown option --all',
  between: [],
  worked: { tool: 'shell', call: 'py3 jobs/close.py' },
};

/** Approves a skill for the failure of `program`, by default one that executions confirmed. */
async function approvedSkill(
  program: string,
  says: Partial<NewProposal['proposedSkill']> = {},
  verdict: 'confirmed' | 'observed' = 'confirmed',
): Promise<string> {
  const predicate = {
    follow: { tool: 'shell', args: '\\bpy3\\b' },
    when: { tool: 'shell', args: `\\b${program}\\b`, error: 'unknown option' },
  };
  const { id, artifactSha256, skillName } = await submitTestProposal(
    app,
    `Write py3 instead of ${program}`,
    {},
    { action: `Write \`py3\` in place of \`${program}\`.`, example: EXAMPLE, predicate, ...says },
    checkedEvidence(verdict),
  );
  await app.admin.proposals.approve(id, artifactSha256);
  await decided();
  return skillName;
}

/** A decision has an effect on answers within a second. */
async function decided(): Promise<void> {
  await app.settled();
  app.clock.advance(1_001);
}

async function send(
  product: string,
  event: string,
  body: object,
  { token = ada.token, origin }: { token?: string; origin?: string } = {},
): Promise<{ status: number; text: string }> {
  const headers = origin === undefined ? {} : { 'x-guildbook-origin': origin };
  const { status, text } = await http(app, token).post(`/v1/hooks/${product}/${event}`).set(headers).send(body);
  return { status, text };
}

const failure = (session: string, command: string, error = `Exit code 2\n${command}: unknown option --all`) => ({
  session_id: session,
  cwd: '/home/ada/shop',
  hook_event_name: 'PostToolUseFailure',
  tool_name: 'Bash',
  tool_use_id: `${session} ${command}`,
  tool_input: { command },
  error,
});
const fails = (session: string, command: string, options = {}, error?: string) =>
  send('claude-code', 'PostToolUseFailure', failure(session, command, error), options);
const contextOf = ({ text }: { text: string }): string => {
  const answer: unknown = JSON.parse(text);
  return /"additionalContext":"((?:[^"\\]|\\.)*)"/.exec(JSON.stringify(answer))?.[1] ?? '';
};
const deliveries = (skillName: string) =>
  app.database.client.delivery.findMany({ where: { skillName }, orderBy: { at: 'asc' } });

beforeAll(async () => {
  // Whether an answer comes in time is not the question here.
  app = await startTestApplication({}, false, { hookDeadlineMs: 60_000 });
  ada = await app.agent('Ada');
});
afterAll(() => app.close());

describe('the answer to a failed call', () => {
  it('is the confirmed lesson about it in three fenced lines: what to do, the example, the provenance', async () => {
    const skill = await approvedSkill('py2');
    const context = contextOf(await fails(newSession(), 'py2 jobs/close.py --all'));
    const lines = context.split('\\n').filter((line) => line.startsWith('{'));
    expect(lines).toHaveLength(3);
    expect(context).toContain('in place of');
    expect(context).toContain('py3 jobs/close.py');
    expect(context).toContain(`skill ${skill} v1, approved by a person`);
    expect(await deliveries(skill)).toMatchObject([
      { moment: 'failure', arm: 'delivered', agentId: ada.id, version: 1, harness: 'claude-code' },
    ]);
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });
  });

  it('shows the calls that came in between, too', async () => {
    const prepared = { ...EXAMPLE, between: [{ tool: 'shell', call: 'py3 prepare' }] };
    await approvedSkill('py2prep', { example: prepared });
    const context = contextOf(await fails(newSession(), 'py2prep jobs/close.py --all'));
    expect(context).toContain('py3 prepare');
  });

  it('comes once for each shape of error in a session, and again in another session', async () => {
    const skill = await approvedSkill('py4');
    const session = newSession();
    expect(contextOf(await fails(session, 'py4 a.py --all'))).toContain('py3');
    expect((await fails(session, 'py4 b.py --all')).text).toBe('{}');
    expect(contextOf(await fails(newSession(), 'py4 a.py --all'))).toContain('py3');
    expect(await deliveries(skill)).toHaveLength(2);
  });

  it('is nothing for another failure, for a failure of the environment, and for a call that worked', async () => {
    await approvedSkill('py5');
    expect((await fails(newSession(), 'ls /nowhere', {}, 'Exit code 2\nls: cannot access')).text).toBe('{}');
    expect((await fails(newSession(), 'py5 a.py', {}, 'Exit code 1\nNo space left on device')).text).toBe('{}');
    const worked = { ...failure(newSession(), 'py5 a.py --all'), hook_event_name: 'PostToolUse', tool_response: 'ok' };
    expect((await send('claude-code', 'PostToolUse', worked)).text).toBe('{}');
  });

  it('says so where a person approved a lesson that no other executions tested yet', async () => {
    const skill = await approvedSkill('py6', {}, 'observed');
    const context = contextOf(await fails(newSession(), 'py6 a.py --all'));
    expect(context).toMatch(/approved by a person \([0-9a-f-]{36}\), not tested on other runs yet/);
    expect(await deliveries(skill)).toMatchObject([{ arm: 'delivered' }]);
    const tested = contextOf(await fails(newSession(), 'py2 jobs/close.py --all'));
    expect(tested).not.toContain('not tested');
  });

  it('is labelled by what a cycle found about the skill since its approval', async () => {
    const skill = await approvedSkill('py61', {}, 'observed');
    const { liveCheck, memory, proposal } = app.database.client;
    const { id, proposalId } = await memory.findFirstOrThrow({ where: { skillName: skill } });
    const { evidence } = await proposal.findUniqueOrThrow({ where: { id: proposalId ?? '' } });
    const found = async (verdict: Verdict): Promise<string> => {
      const { check } = Evidence.parse(evidence);
      if (!check) throw new Error('the skill has no check');
      const row = {
        check: { ...check, verdict },
        agents: 1,
        owners: 1,
        projects: 1,
        tasks: 1,
        cycleId: id,
        at: new Date(0),
      };
      await liveCheck.upsert({ where: { memoryId: id }, create: { memoryId: id, ...row }, update: row });
      app.clock.advance(5_000);
      return contextOf(await fails(newSession(), 'py61 a.py --all'));
    };
    expect(await found('refuted')).toMatch(/approved by a person \([0-9a-f-]{36}\), but later runs speak against it/);
    expect(await found('confirmed')).toMatch(/approved by a person \([0-9a-f-]{36}\)(?!,)/);
  });

  it('is nothing where the lesson is bound to another harness or project', async () => {
    await approvedSkill('py7', { binding: { harness: 'codex' } });
    await approvedSkill('py8', { binding: { project: 'billing' } });
    expect((await fails(newSession(), 'py7 a.py --all')).text).toBe('{}');
    expect((await fails(newSession(), 'py8 a.py --all')).text).toBe('{}');
    const session = newSession();
    const start = { session_id: session, cwd: '/home/ada/billing', source: 'startup' };
    await send('claude-code', 'SessionStart', start);
    expect(contextOf(await fails(session, 'py8 a.py --all'))).toContain('py3');
  });

  it('is withheld from an agent of the control group, and recorded as withheld', async () => {
    const skill = await approvedSkill('py9');
    await app.admin.skills.rollout(skill, 25);
    await decided();
    const { inside, outside } = await bothSides(app, skill, 25, 1);
    const [inn, out] = [inside[0]?.token ?? '', outside[0]?.token ?? ''];
    expect(contextOf(await fails(newSession(), 'py9 a.py --all', { token: inn }))).toContain('py3');
    expect((await fails(newSession(), 'py9 a.py --all', { token: out })).text).toBe('{}');
    expect((await deliveries(skill)).map(({ arm }) => arm)).toEqual(['delivered', 'withheld']);
  });

  it('is a verified lesson of the agent itself where no skill is about the failure', async () => {
    const grace = await app.agent('Grace');
    const error = 'Exit code 2\npy20: unknown option --all';
    const failed = (token: string) => fails(newSession(), 'py20 jobs/close.py --all', { token }, error);
    const example = {
      ...EXAMPLE,
      failed: { tool: 'shell', call: 'py20 jobs/close.py' },
      error: 'py20: unknown option --all',
    };
    const id = await storedMemory(app.database, {
      agentId: grace.id,
      discovery: 'py20 knows no --all.',
      action: 'Write `py3` in its place.',
      parts: { example },
      createdAt: app.clock.now(),
    });
    expect((await failed(grace.token)).text).toBe('{}');
    await verifiedByPerson(app.database, id);
    const context = contextOf(await failed(grace.token));
    expect(context).toContain('in its place');
    expect(context).toContain('your own lesson');
    expect((await failed(ada.token)).text).toBe('{}');
    expect(await app.database.client.delivery.findMany({ where: { memoryId: id } })).toMatchObject([
      { moment: 'failure', skillName: null, agentId: grace.id },
    ]);
  });

  it('takes one transaction for the event and one for the delivery: an agent waits for them', async () => {
    await approvedSkill('py21');
    const transactions: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      const before = app.database.endedTransactions;
      expect(contextOf(await fails(newSession(), 'py21 a.py --all'))).toContain('py3');
      transactions.push(app.database.endedTransactions - before);
    }
    // Background work may have ended one at the same time as one of them.
    expect(Math.min(...transactions)).toBe(2);
  });

  it('ends with the retirement of the skill', async () => {
    const skill = await approvedSkill('py10');
    const proposal = await app.database.client.memory.findFirstOrThrow({ where: { skillName: skill } });
    await app.admin.retireSkill(proposal.proposalId ?? '', 'not true any more');
    await decided();
    expect((await fails(newSession(), 'py10 a.py --all')).text).toBe('{}');
  });

  it.each([
    ['codex', 'PostToolUse', { tool_response: 'error: py2: unknown option --all\n', tool_name: 'Bash' }],
    [
      'gemini',
      'AfterTool',
      {
        tool_name: 'run_shell_command',
        tool_response: { llmContent: 'Output: py2: unknown option --all\nExit Code: 2\nProcess Group PGID: 1' },
      },
    ],
    ['opencode', 'PostToolUse', { tool_name: 'bash', tool_response: 'py2: unknown option --all', exit_code: 2 }],
  ])('reaches %s in its own words', async (product, event, body) => {
    const command = { command: 'py2 jobs/close.py --all' };
    const hook = { session_id: newSession(), cwd: '/home/ada/shop', tool_use_id: 'c1', tool_input: command, ...body };
    expect(contextOf(await send(product, event, hook))).toContain('py3 jobs/close.py');
  });

  it('reaches copilot in its own words', async () => {
    const hook = {
      sessionId: newSession(),
      timestamp: 1_795_345_128_161,
      cwd: '/home/ada/shop',
      toolName: 'bash',
      toolArgs: { command: 'py2 jobs/close.py --all' },
      toolResult: {
        resultType: 'success',
        textResultForLlm: 'py2: unknown option --all\n<shellId: 0 completed with exit code 2>',
      },
    };
    expect(JSON.parse((await send('copilot', 'postToolUse', hook)).text)).toMatchObject({
      additionalContext: expect.stringContaining('py3 jobs/close.py'),
    });
  });

  it('is one line of ASCII that a shell can check', async () => {
    const { text } = await fails(newSession(), 'py2 jobs/close.py --all');
    expect(text).toMatch(
      /^\{"hookSpecificOutput":\{"hookEventName":"PostToolUseFailure","additionalContext":"(?:[ !#-[\]-~]|\\u[0-9a-f]{4})+"\}\}$/,
    );
  });
});

describe('the answer to a service that sends the events of an agent', () => {
  const headers = { 'guildbook-agent': 'Imported' };
  const asService = async (headers: Record<string, string>, path: string, body: object) => {
    sessions += 1;
    const service = { name: `Importer ${sessions}`, owner: 'Fleet', scopes: ['report-for' as const] };
    const { token } = await app.admin.services.add(service);
    return (await http(app, token).post(`/v1/hooks/claude-code${path}`).set(headers).send(body)).text;
  };
  const command = 'py22 a.py --all';

  it('is empty and no delivery, because no agent waits for it, and the event is stored', async () => {
    const skill = await approvedSkill('py22', { binding: { project: 'shop' } });
    const start = { session_id: newSession(), cwd: '/home/ada/shop', source: 'startup' };
    expect(await asService(headers, '/PostToolUseFailure', failure(newSession(), command))).toBe('{}');
    expect(await asService(headers, '/SessionStart', start)).toBe('{}');
    expect(await deliveries(skill)).toEqual([]);
    const agent = { name: 'Imported' };
    expect(await app.database.client.fragmentAssembly.count({ where: { agent } })).toBe(2);
  });

  it('is the lesson if the service says that an agent waits, in both addresses', async () => {
    const skill = await approvedSkill('py23');
    const live = { ...headers, 'guildbook-live': 'yes' };
    const fails = (path: string) => asService(live, path, failure(newSession(), 'py23 a.py --all'));
    expect(await fails('/PostToolUseFailure')).toContain('py3');
    expect(await fails('')).toContain('py3');
    expect((await deliveries(skill)).map(({ arm }) => arm)).toEqual(['delivered', 'delivered']);
  });
});

describe('an answer to an agent that does not wait for it', () => {
  it('is empty and no delivery, and the event is stored', async () => {
    const skill = await approvedSkill('py24');
    const { token } = await app.agent('Slow Line');
    const body = failure(newSession(), 'py24 a.py --all');
    const post = http(app, token).post('/v1/hooks/claude-code/PostToolUseFailure').set({ 'guildbook-live': 'no' });
    expect((await post.send(body)).text).toBe('{}');
    expect(await deliveries(skill)).toEqual([]);
    expect(await app.database.client.fragmentAssembly.count({ where: { agent: { name: 'Slow Line' } } })).toBe(1);
  });
});

describe('what became of an answer', () => {
  it('is known from the report of the session, and counted beside agents from whom it was withheld', async () => {
    const skill = await approvedSkill('py14');
    await app.admin.skills.rollout(skill, 25);
    await decided();
    const { inside, outside } = await bothSides(app, skill, 25, 1);
    const run = async (token: string, next: string) => {
      const session = newSession();
      const event = (name: string, body: object = {}) =>
        send('claude-code', name, { session_id: session, cwd: '/home/ada/shop', prompt_id: 't', ...body }, { token });
      await event('UserPromptSubmit', { prompt: 'Close the books' });
      await fails(session, 'py14 jobs/close.py --all', { token });
      const call = { tool_name: 'Bash', tool_use_id: `${session} next`, tool_input: { command: next } };
      await event('PostToolUse', { ...call, tool_response: { stdout: '' }, duration_ms: 2_000 });
      await event('Stop');
      await event('SessionEnd');
    };
    await run(inside[0]?.token ?? '', 'py3 jobs/close.py');
    await run(outside[0]?.token ?? '', 'ls');
    app.clock.advance(2 * 60_000);
    app.app.get(FragmentAssembler).wake();
    await app.app.get(FragmentAssembler).idle();
    await app.settled();
    app.app.get(DeliveryJudge).wake();
    await app.app.get(DeliveryJudge).idle();
    const { moments } = await app.admin.skills.effect(skill);
    expect(moments).toMatchObject([
      {
        moment: 'failure',
        delivered: { agents: 1, deliveries: 1, judged: 1, followed: 1, overcome: 1, meanCalls: 1, meanSeconds: 2 },
        withheld: { agents: 1, deliveries: 1, judged: 1, followed: 0, overcome: 0, meanCalls: null },
        figures: { verdict: 'not-enough-data' },
      },
    ]);
  });
});

describe('the answer at the start of a session', () => {
  it('is the approved skills bound to its project, in the same bytes each time', async () => {
    const skill = await approvedSkill('py11', { binding: { project: 'ledger' } });
    const start = (session: string) => ({ session_id: session, cwd: '/home/ada/ledger', source: 'startup' });
    const first = await send('claude-code', 'SessionStart', start(newSession()));
    expect(contextOf(first)).toContain(`skill ${skill} v1`);
    expect((await send('claude-code', 'SessionStart', start(newSession()))).text).toBe(first.text);
    expect(contextOf(first).length).toBeLessThanOrEqual(2_000);
    expect((await deliveries(skill)).map(({ moment }) => moment)).toEqual(['start', 'start']);
    const elsewhere = { ...start(newSession()), cwd: '/home/ada/other' };
    expect((await send('claude-code', 'SessionStart', elsewhere)).text).not.toContain(skill);
  });

  it('knows the project by its git remote as well', async () => {
    const skill = await approvedSkill('py12', { binding: { project: 'acme/shop' } });
    const start = { session_id: newSession(), cwd: '/tmp/work', source: 'startup' };
    const origin = 'https://git.example.test/acme/shop.git';
    expect((await send('claude-code', 'SessionStart', start, { origin })).text).toContain(skill);
  });
});

describe('the answer to a prompt', () => {
  it('is a verified memory about it, once in a session, and usually nothing', async () => {
    const skill = await approvedSkill('py13', {
      discovery: 'Use when about to reconcile the quarterly ledger with the bank export.',
      condition: 'The quarterly ledger is reconciled with the bank export.',
    });
    const session = newSession();
    const prompt = (text: string) => send('claude-code', 'UserPromptSubmit', { session_id: session, prompt: text });
    expect((await prompt('Rename the variable in the parser')).text).toBe('{}');
    const about = await prompt('Reconcile the quarterly ledger with the bank export');
    expect(contextOf(about)).toContain(skill);
    expect((await prompt('Reconcile the quarterly ledger with the bank export')).text).toBe('{}');
  });
});

describe('an event that is not known', () => {
  it.each([
    ['some-product', 'SessionStart'],
    ['claude-code', 'SomethingNew'],
    ['gemini', '__proto__'],
  ])('of %s (%s) is answered with nothing, and counted', async (product, event) => {
    const { unknownEvents: before } = await app.admin.skills.hookState();
    expect(await send(product, event, { session_id: 'x' })).toEqual({ status: 200, text: '{}' });
    expect(await app.admin.skills.hookState()).toEqual({ unknownEvents: before + 1 });
  });
});
