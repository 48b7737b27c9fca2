import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FragmentAssembler } from '../../src/capture/gathering/fragment-assembler.service.js';
import type { Guildbook } from '../../src/client/guildbook.js';
import { MINUTE_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { http } from '../support/http.js';
import { referenceOf } from '../support/references.js';
import { approvedSkill } from '../support/skills.js';

let app: TestApplication;
let reader: Guildbook;
let ada: { id: string; token: string };
let skill: string;

beforeAll(async () => {
  // Without the memory of earlier sessions, which session-memory-delivery.spec.ts looks at.
  app = await startTestApplication({ GUILDBOOK_SESSION_PREAMBLE_BYTES: '0' });
  skill = await approvedSkill(app, 'Use python3 for closing');
  reader = app.client((await app.admin.services.add({ name: 'reader', scopes: ['read'] })).token);
  ada = await app.agent('Ada');
});
afterAll(() => app.close());

const PROMPT = 'Close the books before the merger is announced';

async function post(agent: 'claude-code' | 'codex', hook: object, token = ada.token) {
  const { status, body } = await http(app, token).post(`/v1/hooks/${agent}`).send(hook);
  return { status, body };
}

/** Posts the events of one session. Each response is empty. */
async function session(id: string, events: readonly object[], agent: 'claude-code' | 'codex' = 'claude-code') {
  for (const event of events) {
    const hook = { session_id: id, cwd: '/home/ada/books', prompt_id: 'turn-1', ...event };
    expect(await post(agent, hook)).toEqual({ status: 200, body: {} });
    app.clock.advance(1_000);
  }
}

async function advanceClock(milliseconds: number): Promise<void> {
  app.clock.advance(milliseconds);
  app.app.get(FragmentAssembler).wake();
  await app.app.get(FragmentAssembler).idle();
}

async function reports(id: string) {
  const { items } = await reader.executions.list({ limit: 200 });
  const own = items.filter(({ executionId }) => executionId.includes(`:${referenceOf(app, id)}:`));
  return Promise.all(own.map(async (item) => (await reader.executions.show(item.id)).report));
}

const start = { hook_event_name: 'SessionStart', source: 'startup' };
const prompt = { hook_event_name: 'UserPromptSubmit', prompt: PROMPT };
const stop = { hook_event_name: 'Stop', last_assistant_message: 'All closed, the merger may come' };
const end = { hook_event_name: 'SessionEnd', reason: 'other' };
const call = (id: string, command: string) => ({
  tool_name: 'Bash',
  tool_use_id: id,
  tool_input: { command, description: 'about the merger' },
});
const started = (id: string, command: string) => ({ hook_event_name: 'PreToolUse', ...call(id, command) });
const failed = (id: string, command: string) => ({
  hook_event_name: 'PostToolUseFailure',
  ...call(id, command),
  error: 'Exit code 1\nSyntaxError: invalid syntax',
  duration_ms: 12,
});
const worked = (id: string, command: string) => ({
  hook_event_name: 'PostToolUse',
  ...call(id, command),
  tool_response: { stdout: 'the merger is on Friday', interrupted: false },
  duration_ms: 7,
});
const RUN = [
  start,
  prompt,
  started('a', 'python close.py'),
  failed('a', 'python close.py'),
  started('b', 'python3 close.py'),
  worked('b', 'python3 close.py'),
];

describe('hooks posted to the server', () => {
  it('become an execution after the end of the session, with its calls and without its words', async () => {
    await session('normal', [...RUN, stop, end]);
    const fragments = JSON.stringify(await app.database.client.reportFragment.findMany());
    expect(fragments).not.toMatch(/merger|ada\/books/);
    expect(await reports('normal')).toEqual([]);
    await advanceClock(MINUTE_MS);
    const [report] = await reports('normal');
    expect(report).toMatchObject({
      sessionId: referenceOf(app, 'normal'),
      status: 'completed',
      terminationReason: 'ended',
      verification: { outcome: 'none' },
      toolCalls: [
        { action: 'python close.py', ok: false, errorCategory: 'SyntaxError', durationMs: 12 },
        { action: 'python3 close.py', ok: true, durationMs: 7 },
      ],
      tags: ['claude-code', 'project:books'],
    });
    expect(JSON.stringify(report)).not.toContain('merger');
  });

  it('of a session that ran out of turns have no Stop, and the session is unfinished', async () => {
    await session('max-turns', [...RUN, end]);
    await advanceClock(MINUTE_MS);
    expect(await reports('max-turns')).toMatchObject([{ status: 'aborted', terminationReason: 'unfinished' }]);
  });

  it('for the end of an earlier turn or of a sub-agent do not complete a session', async () => {
    const later = { ...prompt, prompt_id: 'turn-2' };
    const subAgent = { ...stop, hook_event_name: 'SubagentStop', agent_id: 'helper', prompt_id: 'turn-2' };
    await session('two-turns', [
      ...RUN,
      stop,
      later,
      subAgent,
      { ...stop, agent_id: 'helper', prompt_id: 'turn-2' },
      end,
    ]);
    await advanceClock(MINUTE_MS);
    expect(await reports('two-turns')).toMatchObject([{ status: 'aborted' }]);
  });

  it('report a failed request to the model', async () => {
    const failure = {
      hook_event_name: 'StopFailure',
      error: 'overloaded',
      last_assistant_message: 'API Error: 529 later',
    };
    await session('api-error', [...RUN, failure, end]);
    await advanceClock(MINUTE_MS);
    expect(await reports('api-error')).toMatchObject([
      { status: 'failed', terminationReason: 'api_error:529:overloaded', errorCategory: 'http-529' },
    ]);
  });

  it('add the calls of a sub-agent to its session', async () => {
    const inner = { agent_id: 'helper', agent_type: 'general' };
    await session('folded', [
      start,
      prompt,
      { hook_event_name: 'SubagentStart', ...inner },
      { ...started('c', 'ls'), ...inner },
      { ...worked('c', 'ls'), ...inner },
      { hook_event_name: 'SubagentStop', ...inner, last_assistant_message: 'found it' },
      stop,
      end,
    ]);
    await advanceClock(MINUTE_MS);
    expect(await reports('folded')).toMatchObject([{ status: 'completed', toolCalls: [{ action: 'ls', ok: true }] }]);
  });

  it('report a denied permission as a failed call', async () => {
    await session('denied', [
      start,
      prompt,
      started('d', 'rm -r old'),
      { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: { command: 'rm -r old' } },
      stop,
      end,
    ]);
    await advanceClock(MINUTE_MS);
    expect(await reports('denied')).toMatchObject([{ toolCalls: [{ ok: false, errorCategory: 'denied' }] }]);
  });

  it('that arrive twice are stored once, and a session without an end is complete half an hour after its last Stop', async () => {
    await session('quiet', [...RUN, ...RUN, stop]);
    await advanceClock(10 * MINUTE_MS);
    expect(await reports('quiet')).toEqual([]);
    await advanceClock(30 * MINUTE_MS);
    const [report, ...others] = await reports('quiet');
    expect(others).toEqual([]);
    expect(report).toMatchObject({ status: 'completed', toolCalls: [{ ok: false }, { ok: true }] });
  });

  it('of Codex have no mark for a failure, so the output decides', async () => {
    const printed = (id: string, command: string, tool_response: string) => ({
      hook_event_name: 'PostToolUse',
      ...call(id, command),
      model: 'a-model',
      tool_response,
    });
    await session(
      'codex',
      [
        { ...start, prompt_id: undefined, turn_id: 't' },
        { ...prompt, prompt_id: undefined, turn_id: 't' },
        printed('a', 'python close.py', 'SyntaxError: invalid syntax\n'),
        printed('b', 'python3 close.py', 'the merger is on Friday\n'),
        { ...stop, prompt_id: undefined, turn_id: 't' },
        end,
      ],
      'codex',
    );
    await advanceClock(MINUTE_MS);
    const [report] = await reports('codex');
    expect(report).toMatchObject({
      model: 'a-model',
      toolCalls: [{ ok: false }, { ok: true }],
      tags: ['codex', 'project:books'],
    });
    expect(JSON.stringify(report)).not.toContain('merger');
  });

  it('report which published skills were loaded', async () => {
    const load = (name: string, id: string) => ({ ...worked(id, ''), tool_name: 'Skill', tool_input: { skill: name } });
    await session('skilled', [start, prompt, load(skill, 's'), load('their-own', 't'), stop, end]);
    await advanceClock(MINUTE_MS);
    const [report] = await reports('skilled');
    expect(await app.database.client.skillUse.findMany()).toMatchObject([
      { skillName: skill, event: 'loaded', outcome: 'unknown', agentId: ada.id, executionId: report?.executionId },
    ]);
  });

  it('never stop an agent for an unknown event or a malformed payload', async () => {
    expect(await post('claude-code', { session_id: 'x', hook_event_name: 'SomethingNew', what: [1] })).toEqual({
      status: 200,
      body: {},
    });
    expect(await post('claude-code', { hook_event_name: 'Stop' })).toEqual({ status: 200, body: {} });
    expect(await post('codex', { session_id: 'x', hook_event_name: 'Stop' }, 'no-token')).toMatchObject({
      status: 401,
    });
  });
});
