import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewProposal } from '../../src/approvals/proposals/new-proposal.js';
import { HOOK_PRODUCTS, type HookProduct } from '../../src/capture/hook-events/products.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { runHook, writeHookSettings } from '../support/hook-client.js';
import { http } from '../support/http.js';
import { answersFollow, approveProgramSkill } from '../support/program-skills.js';
import { submitTestProposal } from '../support/proposal-input.js';
import { bothSides } from '../support/skills.js';

let app: TestApplication;
let ada: { id: string; token: string };
let rita: Awaited<ReturnType<TestApplication['person']>>;
let sessions = 0;

function newSession(): string {
  sessions += 1;
  return `session-${sessions}`;
}

/** Approves a skill against `program`; a reviewer marks it as a gate before, unless `isGate` is false. */
const gate = (
  program: string,
  says: Partial<NewProposal['proposedSkill']> = {},
  { isGate = true, verdict = 'confirmed' as 'confirmed' | 'observed' } = {},
) => approveProgramSkill(app, program, { says, verdict, ...(isGate ? { gatedBy: rita } : {}) });

const EVENTS: Readonly<Record<HookProduct, string>> = {
  'claude-code': 'PreToolUse',
  codex: 'PreToolUse',
  gemini: 'BeforeTool',
  opencode: 'PreToolUse',
  copilot: 'preToolUse',
};
const SHELLS = { 'claude-code': 'Bash', codex: 'Bash', gemini: 'run_shell_command', opencode: 'bash' } as const;
let calls = 0;

function bodyOf(product: HookProduct, session: string, command: string): object {
  calls += 1;
  const timestamp = 1_795_345_000_000 + calls;
  if (product === 'copilot')
    return { sessionId: session, timestamp, cwd: '/home/ada/shop', toolName: 'bash', toolArgs: { command } };
  return {
    session_id: session,
    cwd: '/home/ada/shop',
    hook_event_name: EVENTS[product],
    tool_name: SHELLS[product],
    ...(product === 'gemini' ? { timestamp: new Date(timestamp).toISOString() } : { tool_use_id: `call-${calls}` }),
    tool_input: { command },
  };
}

async function send(product: string, event: string, body: object, token = ada.token): Promise<string> {
  return (await http(app, token).post(`/v1/hooks/${product}/${event}`).send(body).expect(200)).text;
}
const announced = (product: HookProduct, session: string, command: string, token?: string): Promise<string> =>
  send(product, EVENTS[product], bodyOf(product, session, command), token);
const tries = (session: string, command: string, token?: string): Promise<string> =>
  announced('claude-code', session, command, token);
const deliveries = (skillName: string) =>
  app.database.client.delivery.findMany({ where: { skillName }, orderBy: { at: 'asc' } });

beforeAll(async () => {
  // Whether an answer comes in time is not the question here.
  app = await startTestApplication({}, false, { hookDeadlineMs: 60_000 });
  rita = await app.person('Rita Reviewer', { reviewer: true });
  ada = await app.agent('Ada');
});
afterAll(() => app.close());

describe('a call that a gate is about', () => {
  it.each(HOOK_PRODUCTS)(
    'of %s is refused once, passes the second time, and is never allowed or asked about',
    async (product) => {
      const skill = await gate(`old-${product}`);
      const session = newSession();
      const refused = await announced(product, session, `old-${product} jobs/close.py`);
      expect(refused).toMatch(/"(?:permissionDecision|decision)":"deny"/);
      expect(refused).toMatch(/^[ -~]+$/);
      const said = JSON.stringify(JSON.parse(refused));
      expect(said).toContain('Guildbook refused this call once');
      expect(said).toContain(`skill ${skill} v1, approved by a person`);
      const again = [
        await announced(product, session, `old-${product} jobs/close.py`),
        await announced(product, session, `old-${product} jobs/open.py`),
        await announced(product, newSession(), 'ls jobs'),
      ];
      expect(again).toEqual(['{}', '{}', '{}']);
      expect(`${refused} ${again.join(' ')}`).not.toMatch(/"allow"|"ask"|"approve"|"continue"|additionalContext/);
      expect(await deliveries(skill)).toMatchObject([
        { moment: 'refused', arm: 'delivered', agentId: ada.id, version: 1, harness: product },
      ]);
    },
  );

  it.each(HOOK_PRODUCTS)(
    'of %s is refused through the client that is installed, which then prints nothing',
    async (product) => {
      await gate(`older-${product}`);
      const home = await mkdtemp(join(tmpdir(), 'guildbook-refusals-'));
      try {
        await writeHookSettings(home, product, { server: app.url, token: ada.token });
        const session = newSession();
        const run = () => {
          const input = JSON.stringify(bodyOf(product, session, `older-${product} a.py`));
          return runHook(['sh'], [product, EVENTS[product]], { home, input });
        };
        const first = await run();
        expect(first).toMatchObject({ exit: 0, stderr: '' });
        expect(JSON.stringify(JSON.parse(first.stdout))).toContain('Guildbook refused this call once');
        expect(await run()).toEqual({ exit: 0, stdout: '', stderr: '' });
      } finally {
        await rm(home, { recursive: true, force: true });
      }
    },
  );

  it('is refused again in another session, and by another gate in the same one', async () => {
    await gate('old1');
    await gate('old2');
    const session = newSession();
    expect(await tries(session, 'old1 a.py')).toContain('"deny"');
    expect(await tries(session, 'old2 a.py')).toContain('"deny"');
    expect(await tries(newSession(), 'old1 a.py')).toContain('"deny"');
  });

  it('passes the second time also if two gates are about it', async () => {
    await gate('old3');
    await gate('old4');
    const session = newSession();
    expect(await tries(session, 'old3 a.py && old4 b.py')).toContain('"deny"');
    expect(await tries(session, 'old3 a.py && old4 b.py')).toBe('{}');
  });

  it('is refused by the mark of the reviewers, also where the lesson was only observed', async () => {
    await gate('old5', {}, { verdict: 'observed' });
    expect(await tries(newSession(), 'old5 a.py')).toContain('"deny"');
  });

  it('is in the journal beside the calls that the gate at use denies', async () => {
    const skill = await gate('old6');
    await tries(newSession(), 'old6 a.py');
    const { items } = await app.admin.journal.list({ action: 'gate.denied', limit: 1, order: 'newest' });
    expect(items).toMatchObject([
      {
        actor: { id: ada.id },
        subject: { type: 'agent', id: ada.id },
        data: {
          tool: { name: 'Bash', action: 'old6 a.py' },
          skill,
          version: 1,
          reasons: [{ because: 'marked_as_gate' }],
        },
      },
    ]);
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });
  });
});

describe('a call passes', () => {
  it('in the taught form', async () => {
    await gate('old10', { predicate: { when: { args: 'old10', error: 'unknown' }, follow: { args: '--all-names' } } });
    expect(await tries(newSession(), 'old10 a.py --all-names')).toBe('{}');
    expect(await tries(newSession(), 'old10 a.py')).toContain('"deny"');
  });

  it('once the session made the call that the lesson wants before it', async () => {
    const start = { action: { args: 'old19' }, prior: { args: 'prepare19' } };
    await gate('old19', { predicate: { start } });
    const session = newSession();
    expect(await tries(session, 'prepare19 --all')).toBe('{}');
    expect(await tries(session, 'old19 a.py')).toBe('{}');
    expect(await tries(newSession(), 'prepare19 && old19 a.py')).toBe('{}');
    expect(await tries(newSession(), 'old19 a.py')).toContain('"deny"');
  });

  it('of hooks that only report: they name the event in the body and not in the address', async () => {
    const skill = await gate('old20');
    const body = bodyOf('claude-code', newSession(), 'old20 a.py');
    await http(app, ada.token).post('/v1/hooks/claude-code').send(body).expect(200, '{}');
    expect(await deliveries(skill)).toEqual([]);
  });

  it('where no reviewer marked the skill', async () => {
    const skill = await gate('old11', {}, { isGate: false });
    expect(await tries(newSession(), 'old11 a.py')).toBe('{}');
    expect(await deliveries(skill)).toEqual([]);
  });

  it('where the gate is bound to another harness or project', async () => {
    await gate('old12', { binding: { harness: 'codex' } });
    await gate('old13', { binding: { project: 'billing' } });
    expect(await tries(newSession(), 'old12 a.py')).toBe('{}');
    expect(await announced('codex', newSession(), 'old12 a.py')).toContain('"deny"');
    expect(await tries(newSession(), 'old13 a.py')).toBe('{}');
  });

  it('of an agent of the control group, which is recorded as withheld once', async () => {
    const skill = await gate('old14');
    await app.admin.skills.rollout(skill, 25);
    await answersFollow(app);
    const { inside, outside } = await bothSides(app, skill, 25, 1);
    expect(await tries(newSession(), 'old14 a.py', inside[0]?.token)).toContain('"deny"');
    const session = newSession();
    expect(await tries(session, 'old14 a.py', outside[0]?.token)).toBe('{}');
    expect(await tries(session, 'old14 a.py', outside[0]?.token)).toBe('{}');
    expect((await deliveries(skill)).map(({ arm }) => arm)).toEqual(['delivered', 'withheld']);
  });

  it('once it has run: its event is no question', async () => {
    const skill = await gate('old15');
    const ran = { ...bodyOf('claude-code', newSession(), 'old15 a.py'), hook_event_name: 'PostToolUse' };
    expect(await send('claude-code', 'PostToolUse', { ...ran, tool_response: 'done' })).toBe('{}');
    expect(await deliveries(skill)).toEqual([]);
  });

  it('after the skill was retired, or replaced by a version without the mark', async () => {
    const retired = await gate('old16');
    const { proposalId } = await app.database.client.memory.findFirstOrThrow({ where: { skillName: retired } });
    await app.admin.retireSkill(proposalId ?? '', 'not true any more');
    const replaced = await gate('old17');
    const entry = await app.database.client.memory.findFirstOrThrow({ where: { skillName: replaced } });
    const next = await submitTestProposal(app, 'Another version', { kind: 'supersede', supersedesId: entry.id });
    await app.admin.proposals.approve(next.id, next.artifactSha256);
    await answersFollow(app);
    expect(await tries(newSession(), 'old16 a.py')).toBe('{}');
    expect(await tries(newSession(), 'old17 a.py')).toBe('{}');
  });

  it('if a service reports it for the agent after the fact', async () => {
    const skill = await gate('old18');
    const { token } = await app.admin.services.add({ name: 'Importer', scopes: ['report-for'] });
    const request = http(app, token).post('/v1/hooks/claude-code/PreToolUse').set('guildbook-agent', 'Imported');
    await request.send(bodyOf('claude-code', newSession(), 'old18 a.py')).expect(200, '{}');
    expect(await deliveries(skill)).toEqual([]);
  });
});
