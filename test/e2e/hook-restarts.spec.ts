import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Binding } from '../../src/evidence/predicate/check.schema.js';
import type { Predicate } from '../../src/evidence/predicate/predicate.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { startBeside } from '../support/application-beside.js';
import { checkedEvidence, PREDICATE } from '../support/checked-proposal.js';
import { http } from '../support/http.js';
import { submitTestProposal } from '../support/proposal-input.js';

let app: TestApplication;
let token: string;
let rita: Awaited<ReturnType<TestApplication['person']>>;
let sessions = 0;

beforeAll(async () => {
  // Whether an answer comes in time is not the question here.
  app = await startTestApplication({}, false, { hookDeadlineMs: 60_000 });
  ({ token } = await app.agent('Ada'));
  rita = await app.person('Rita', { reviewer: true });
});
afterAll(() => app.close());

function newSession(): string {
  sessions += 1;
  return `session-${sessions}`;
}

/** Approves a lesson that reviewers marked as a gate. */
async function gate(program: string, says: { predicate?: Predicate; binding?: Binding } = {}): Promise<void> {
  const predicate = { ...PREDICATE, when: { tool: 'shell', args: `\\b${program}\\b`, error: 'unknown option' } };
  const { id, artifactSha256, proposedSkill } = await submitTestProposal(
    ...[app, `Write py3 instead of ${program}`, {}, { predicate, ...says }, checkedEvidence('confirmed')],
  );
  const edited = await rita.client.proposals.edit(id, {
    artifactSha256,
    proposedSkill: { ...proposedSkill, gate: true },
  });
  await app.admin.proposals.approve(id, edited.artifactSha256);
  await app.settled();
  // A decision has an effect on answers within a second.
  app.clock.advance(1_001);
}

async function send(url: string, event: string, body: object, headers: Record<string, string> = {}): Promise<string> {
  const request = http({ url }, token).post(`/v1/hooks/claude-code/${event}`).set(headers);
  return (await request.send(body).expect(200)).text;
}
const tries = (url: string, session: string, command: string): Promise<string> =>
  send(url, 'PreToolUse', {
    session_id: session,
    cwd: '/tmp/work',
    tool_name: 'Bash',
    tool_use_id: `${session} ${command} ${url}`,
    tool_input: { command },
  });

/** Runs `work` with the address of a process that starts now. */
async function withNewProcess(work: (url: string) => Promise<void>): Promise<void> {
  const started = await startBeside(app, {}, { hookDeadlineMs: 60_000 });
  try {
    await work(started.url);
  } finally {
    await started.close();
  }
}

describe('a process that did not receive the earlier events of a session', () => {
  it('lets a call pass whose call before was made, and refuses it in a session that did not make it', async () => {
    await gate('restart1', { predicate: { start: { action: { args: 'restart1' }, prior: { args: 'prepare1' } } } });
    const [made, notMade] = [newSession(), newSession()];
    expect(await tries(app.url, made, 'prepare1 --all')).toBe('{}');
    expect(await tries(app.url, notMade, 'ls jobs')).toBe('{}');
    await withNewProcess(async (url) => {
      expect(await tries(url, made, 'restart1 a.py')).toBe('{}');
      expect(await tries(url, notMade, 'restart1 a.py')).toContain('"deny"');
    });
  });

  it('learns of a call before that another process receives in the meantime', async () => {
    await gate('restart2', { predicate: { start: { action: { args: 'restart2' }, prior: { args: 'prepare2' } } } });
    const session = newSession();
    await withNewProcess(async (url) => {
      expect(await tries(url, session, 'ls jobs')).toBe('{}');
      expect(await tries(app.url, session, 'prepare2 --all')).toBe('{}');
      expect(await tries(url, session, 'restart2 a.py')).toBe('{}');
    });
  });

  it('knows the project that the start of the session named', async () => {
    await gate('restart3', { binding: { project: 'acme/shop' } });
    const [here, elsewhere] = [newSession(), newSession()];
    const start = (session: string, origin: string) =>
      send(app.url, 'SessionStart', { session_id: session, cwd: '/tmp/work' }, { 'x-guildbook-origin': origin });
    await start(here, 'https://git.example.test/acme/shop.git');
    await start(elsewhere, 'https://git.example.test/acme/other.git');
    await withNewProcess(async (url) => {
      expect(await tries(url, here, 'restart3 a.py')).toContain('"deny"');
      expect(await tries(url, elsewhere, 'restart3 a.py')).toBe('{}');
    });
  });

  it('knows a pause of the project that the start of the session named', async () => {
    await gate('restart4');
    const olga = await app.person('Olga', {});
    const own = await app.agent('Olga agent', 'Olga');
    await olga.client.pauses.add({ project: 'acme/paused' });
    app.clock.advance(1_001);
    const session = newSession();
    const headers = { authorization: `Bearer ${own.token}` };
    const origin = { 'x-guildbook-origin': 'https://git.example.test/acme/paused.git' };
    await send(app.url, 'SessionStart', { session_id: session, cwd: '/tmp/work' }, { ...headers, ...origin });
    const call = { tool_name: 'Bash', tool_use_id: session, tool_input: { command: 'restart4 a.py' } };
    await withNewProcess(async (url) => {
      const body = { session_id: session, cwd: '/tmp/work', ...call };
      expect(await send(url, 'PreToolUse', body, headers)).toBe('{}');
      expect(await send(url, 'PreToolUse', { ...body, session_id: newSession() }, headers)).toContain('"deny"');
    });
  });
});
