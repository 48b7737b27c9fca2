import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CaptureWorker } from '../../src/capture/analysis/capture-worker.service.js';
import { FragmentAssembler } from '../../src/capture/gathering/fragment-assembler.service.js';
import { claudeCodeHooksImporter } from '../../src/capture/hook-events/hooks.importer.js';
import type { ExecutionReport } from '../../src/capture/report/execution-report.schema.js';
import { otelImporter } from '../../src/capture/traces/otel.importer.js';
import { MINUTE_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { dumpTables } from '../support/dump.js';
import { http } from '../support/http.js';
import { IDENTIFIER_FORMATS } from '../support/identifier-formats.js';
import { otlp, PYTHON_RUN, postTraces } from '../support/otlp.js';
import { referenceOf } from '../support/references.js';
import { report } from '../support/reports.js';
import { approvedSkill } from '../support/skills.js';

let app: TestApplication;
let skill: string;

beforeAll(async () => {
  app = await startTestApplication();
  skill = await approvedSkill(app, 'Close with python3');
  // Capture is stopped: nothing here needs lessons.
  await app.app.get(CaptureWorker).beforeApplicationShutdown();
});
afterAll(() => app.close());

/**
 * Few, because these ids go the whole way. That 1,000 of each format hold no secret, and have as many references, is shown
 * by `secrets-in-identifier.spec.ts` and `identifier-reference.spec.ts`.
 */
const COUNT = 25;
// Assembled here, so that no file contains a whole secret.
const secret = (n: number): string =>
  ['gh', 'p_', `${n}`.padStart(2, '0'), 'LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTbVk0Q'].join('');

describe.each(Object.entries(IDENTIFIER_FORMATS))(`${COUNT} executions with ids of the format %s`, (format, make) => {
  const reports = Array.from({ length: COUNT }, (_, n): ExecutionReport => {
    const [executionId, taskId, sessionId, parentExecutionId] = [
      make(4 * n),
      make(4 * n + 1),
      make(4 * n + 2),
      make(4 * n + 3),
    ];
    return report({ executionId, taskId, sessionId, parentExecutionId, toolCalls: [] });
  });

  it('are all stored apart, known again when they are sent again, and found by the original id', async () => {
    const { id: agentId, client } = await app.agent(`Agent with ${format}`);
    const first = await client.executions.reportAll(reports);
    expect(first).toMatchObject({ new: COUNT, duplicate: 0, refused: 0 });
    expect(first.lines.map(({ executionId }) => executionId)).toEqual(reports.map(({ executionId }) => executionId));
    expect(await client.executions.reportAll(reports)).toMatchObject({ new: 0, duplicate: COUNT, refused: 0 });
    const rows = await app.database.client.execution.findMany({ where: { agentId } });
    for (const field of ['executionId', 'taskId', 'sessionId', 'parentExecutionId'] as const)
      expect([field, new Set(rows.map((row) => row[field])).size]).toEqual([field, COUNT]);
    const [one] = reports;
    const found = await app.admin.executions.list({ executionId: one?.executionId ?? '' });
    expect(found).toMatchObject({ total: 1, items: [{ id: first.lines[0]?.id }] });
  });
});

describe('an identifier', () => {
  it('with a secret is stored as a keyed hash, counted as a finding, and not echoed', async () => {
    const { id: agentId, client } = await app.agent('Leaky');
    const [a, b, c, d] = [1, 2, 3, 4].map(secret);
    const ids = { executionId: `id ${a}`, taskId: b ?? '', sessionId: `session:${c}`, parentExecutionId: d ?? '' };
    const answer = await client.executions.report(report({ ...ids, toolCalls: [] }));
    expect(answer.executionId).toBe(referenceOf(app, ids.executionId));
    await client.skills.use(skill, { executionId: `use ${a}`, event: 'loaded', at: app.clock.now().toISOString() });
    await client.recall({ query: 'close with python3', sessionId: `recall ${c}` });
    await client.remember({ lesson: 'Close with python3', tags: [], sessionId: `note ${c}` });
    await client.gate({ tool: { name: 'Bash' }, memories: [], sessionId: `gate ${c}` });
    await app.settled();
    const dump = JSON.stringify(await dumpTables(app.database));
    expect(dump).not.toContain('LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTbVk0Q');
    const row = await app.database.client.execution.findFirstOrThrow({ where: { agentId } });
    expect(row.findings).toEqual([{ rule: 'github-token', count: 4 }]);
  });

  it('in the title of a task keeps two tasks apart, although the title is redacted', async () => {
    const { id: agentId, client } = await app.agent('Titles');
    const titles = ['01HV8X2J9QK3M5N7P9R1S3T5V7', '01HV9A4C6E8G0J2M4P6R8T0V2X'].map(
      (id) => `Resolve the ticket q7Zt2LmX9aBv4Kc1RfY8${id}`,
    );
    for (const [n, taskTitle] of [...titles, titles[0] ?? ''].entries())
      await client.executions.report(report({ executionId: `titled ${n}`, taskTitle, toolCalls: [] }));
    const rows = await app.database.client.execution.findMany({ where: { agentId }, orderBy: { receivedAt: 'asc' } });
    expect(JSON.stringify(rows.map((row) => row.report))).not.toContain('01HV');
    const [first, second, third] = rows.map(({ origin }) => origin);
    expect(first).not.toBe(second);
    expect(third).toBe(first);
  });

  it('of a skill use, a recall, a note and the action gate meets the one of the report', async () => {
    const { id: agentId, client } = await app.agent('Meeting');
    const [executionId, sessionId] = ['resp_68f1a2b3c4d5e6f7a8b9c0d1e2f3a4b5', 'msg_01XFDUDYJgAACzvnptvVoYEL'];
    await client.executions.report(report({ executionId, sessionId, toolCalls: [] }));
    const use = { executionId, event: 'applied', at: app.clock.now().toISOString() } as const;
    expect(await client.skills.use(skill, use)).toMatchObject({ executionId, duplicate: false });
    expect(await client.skills.use(skill, use)).toMatchObject({ executionId, duplicate: true });
    await client.recall({ query: 'close with python3', sessionId });
    await client.remember({ lesson: 'Close with python3, at Meeting', tags: [], sessionId });
    await client.gate({ tool: { name: 'Bash' }, memories: [], sessionId });
    await app.settled();
    const { client: db } = app.database;
    const row = await db.execution.findFirstOrThrow({ where: { agentId } });
    expect(await db.skillUse.findMany({ where: { agentId } })).toMatchObject([{ executionId: row.executionId }]);
    expect(await db.memoryRetrieval.findMany({ where: { agentId } })).toMatchObject([{ sessionId: row.sessionId }]);
    const { items } = await app.admin.journal.list({ order: 'newest', limit: 20 });
    const own = items.filter(({ actor, data }) => actor.id === agentId && JSON.stringify(data).includes('"session"'));
    expect(own.map(({ action }) => action).sort()).toEqual(['gate.allowed', 'memory.recalled', 'memory.remembered']);
    for (const { data } of own) expect(data).toMatchObject({ session: row.sessionId });
  });

  it('of a session is the same from a hook, a trace, an imported file and a report', async () => {
    const { id: agentId, token, client } = await app.agent('Everywhere');
    const session = '01HV8X2J9QK3M5N7P9R1S3T5V7';
    const events = [
      { hook_event_name: 'UserPromptSubmit', prompt: 'Close the books' },
      { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_use_id: 'toolu_01A', tool_input: { command: 'ls' } },
      { hook_event_name: 'SessionEnd' },
    ].map((event) => ({ session_id: session, ...event }));
    for (const event of events) await http(app, token).post('/v1/hooks/claude-code').send(event).expect(200);
    const spans = PYTHON_RUN.map((span) => ({
      ...span,
      attributes: { ...span.attributes, 'gen_ai.conversation.id': session },
    }));
    await postTraces(app.url, token, otlp(spans));
    app.clock.advance(MINUTE_MS);
    app.app.get(FragmentAssembler).wake();
    await app.app.get(FragmentAssembler).idle();
    const at = { received_at: '2026-03-31T18:00:00Z' };
    const lines = events.map((event) => JSON.stringify({ ...event, ...at }));
    const imported = claudeCodeHooksImporter.derive(lines).reports;
    expect(imported).toMatchObject([{ sessionId: session }]);
    for (const one of imported) await client.executions.report(one);
    await client.executions.report(report({ executionId: 'by hand', sessionId: session, toolCalls: [] }));
    const rows = await app.database.client.execution.findMany({ where: { agentId } });
    expect(rows.map(({ executionId }) => executionId.split(/[:~]/)[0]).sort()).toEqual([
      'by',
      'claude-code-hooks',
      'claude-code-hooks',
      'otel',
    ]);
    expect(new Set(rows.map(({ sessionId }) => sessionId))).toEqual(new Set([referenceOf(app, session)]));
    // A trace has its own times, so the file is known as the same execution.
    for (const one of otelImporter.derive([JSON.stringify(otlp(spans))]).reports)
      expect(await client.executions.report(one)).toMatchObject({ duplicate: true });
  });

  it('of a fragment that is not assembled yet is a keyed hash, too', async () => {
    const { id: agentId, token } = await app.agent('Half way');
    const [session, turn, call] = [11, 12, 13].map(secret);
    const event = {
      session_id: session,
      prompt_id: turn,
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_use_id: call,
      tool_input: { command: 'ls' },
    };
    await http(app, token).post('/v1/hooks/claude-code').send(event).expect(200);
    const fragments = await app.database.client.reportFragment.findMany({ where: { assembly: { agentId } } });
    expect(fragments).toHaveLength(1);
    expect(JSON.stringify(fragments)).not.toContain('LmX9aBv4');
    expect(fragments[0]?.facts).toMatchObject({ session: referenceOf(app, session ?? '') });
  });
});

describe('two sessions of one agent in hooks or traces', () => {
  it.each(['ULID', 'nanoid', 'Anthropic message', 'base64url'])('stay two sessions: %s', async (format) => {
    const { id: agentId, token } = await app.agent(`Two of ${format}`);
    for (const n of [0, 1])
      for (const event of ['UserPromptSubmit', 'SessionEnd']) {
        const session_id = IDENTIFIER_FORMATS[format]?.(n);
        const hook = { session_id, hook_event_name: event, prompt: 'Close the books' };
        await http(app, token).post('/v1/hooks/codex').send(hook).expect(200);
      }
    app.clock.advance(MINUTE_MS);
    app.app.get(FragmentAssembler).wake();
    await app.app.get(FragmentAssembler).idle();
    const rows = await app.database.client.execution.findMany({ where: { agentId } });
    expect(new Set(rows.map(({ sessionId }) => sessionId)).size).toBe(2);
    expect(rows).toHaveLength(2);
  });
});
