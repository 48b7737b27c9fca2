import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FragmentAssembler } from '../../src/capture/gathering/fragment-assembler.service.js';
import type { Guildbook } from '../../src/client/guildbook.js';
import { MINUTE_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { agentSpan, modelSpan, otlp, PYTHON_RUN, postTraces, type SpanSketch, toolSpan } from '../support/otlp.js';
import { referenceOf } from '../support/references.js';
import { approvedSkill } from '../support/skills.js';

let app: TestApplication;
let ada: { id: string; token: string };
let collector: string;
/** Its token stays valid for the days that pass in this spec. */
let reader: Guildbook;
let skill: string;
let n = 0;

beforeAll(async () => {
  app = await startTestApplication();
  ada = await app.agent('Ada');
  skill = await approvedSkill(app, 'Use python3 for closing');
  reader = app.client((await app.admin.services.add({ name: 'reader', scopes: ['read'] })).token);
  collector = (await app.admin.services.add({ name: 'collector', scopes: ['report-for'] })).token;
});
afterAll(() => app.close());
beforeEach(async () => {
  n += 1;
});

const trace = () => n.toString(16).padStart(32, 'c');
const exportOf = (spans: readonly SpanSketch[]) => otlp(spans, { trace: trace() });

async function sendTraces(body: unknown, options: { gzip?: boolean; token?: string; agent?: string } = {}) {
  const headers = options.agent === undefined ? {} : { 'guildbook-agent': options.agent };
  const response = await postTraces(app.url, options.token ?? ada.token, body, {
    gzip: options.gzip ?? false,
    headers,
  });
  return { status: response.status, type: response.headers.get('content-type'), body: await response.json() };
}

/** Advances the clock and waits for all assemblies that are due. */
async function advanceClock(milliseconds: number): Promise<void> {
  app.clock.advance(milliseconds);
  app.app.get(FragmentAssembler).wake();
  await app.app.get(FragmentAssembler).idle();
}

async function reports() {
  const { items } = await reader.executions.list({ limit: 200 });
  const own = items.filter(({ executionId }) => executionId.startsWith(`otel:${referenceOf(app, trace())}:`));
  return Promise.all(own.map(async ({ id }) => (await reader.executions.show(id)).report));
}

describe('a trace over OTLP/HTTP', () => {
  it('becomes an execution of the agent that sent it after its end', async () => {
    expect(await sendTraces(exportOf(PYTHON_RUN))).toEqual({
      status: 200,
      type: 'application/json; charset=utf-8',
      body: {},
    });
    expect(await reports()).toEqual([]);
    await advanceClock(MINUTE_MS);
    expect(await reports()).toMatchObject([
      {
        sessionId: referenceOf(app, 'conversation-1'),
        model: 'a-model',
        status: 'completed',
        terminationReason: 'ended',
        verification: { outcome: 'none' },
        turnCount: 2,
        toolCalls: [
          { name: 'bash', action: 'python close.py', ok: false, errorMessage: 'SyntaxError: invalid syntax' },
          { name: 'bash', action: 'python3 close.py', ok: true },
        ],
      },
    ]);
  });

  it('may arrive in any fragments and any order, gzipped, and every fragment twice', async () => {
    for (const span of [...PYTHON_RUN].reverse())
      for (const gzip of [true, false]) expect((await sendTraces(exportOf([span]), { gzip })).body).toEqual({});
    await advanceClock(MINUTE_MS);
    const [first, ...others] = await reports();
    expect(others).toEqual([]);
    expect(first?.toolCalls.map(({ ok }) => ok)).toEqual([false, true]);
    await sendTraces(exportOf(PYTHON_RUN));
    await advanceClock(MINUTE_MS);
    expect(await reports()).toEqual([first]);
  });

  it('is reported again as the same session if a fragment is late, and the last report counts', async () => {
    const late = PYTHON_RUN.filter(({ id }) => id === 4);
    await sendTraces(exportOf(PYTHON_RUN.filter(({ id }) => id !== 4)));
    await advanceClock(MINUTE_MS);
    expect((await reports()).map(({ toolCalls }) => toolCalls.filter(({ ok }) => !ok).length)).toEqual([0]);
    await sendTraces(exportOf(late));
    await advanceClock(MINUTE_MS);
    const both = await reports();
    expect(both.map(({ toolCalls }) => toolCalls.filter(({ ok }) => !ok).length)).toEqual([1, 0]);
    expect(new Set(both.map(({ sessionId }) => sessionId)).size).toBe(1);
  });

  it('waits for its root, and is unfinished after a day without another fragment', async () => {
    const withoutEnd = PYTHON_RUN.filter(({ id }) => id !== 1);
    await sendTraces(exportOf(withoutEnd));
    await advanceClock(23 * 60 * MINUTE_MS);
    expect(await reports()).toEqual([]);
    await advanceClock(2 * 60 * MINUTE_MS);
    expect(await reports()).toMatchObject([{ status: 'aborted', terminationReason: 'unfinished' }]);
    expect(await app.database.client.fragmentAssembly.count({ where: { key: trace() } })).toBe(0);
    expect(await app.database.client.reportFragment.count()).toBe(0);
  });

  it('whose root is sent elsewhere is complete after the end of its agent and a pause', async () => {
    await sendTraces(exportOf(PYTHON_RUN.map((span) => (span.id === 1 ? { ...span, parent: 99 } : span))));
    await advanceClock(5 * MINUTE_MS);
    expect(await reports()).toEqual([]);
    await advanceClock(30 * MINUTE_MS);
    expect(await reports()).toMatchObject([{ status: 'completed' }]);
  });

  it('accepts readable spans, and returns the number of unreadable ones', async () => {
    const body = exportOf(PYTHON_RUN);
    const spans: unknown[] = body.resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
    spans.push('no span', { traceId: 'zz', spanId: '1' }, { ...Object(spans[0]), spanId: '0'.repeat(16) });
    expect(await sendTraces(body)).toMatchObject({
      status: 200,
      body: { partialSuccess: { rejectedSpans: '3', errorMessage: expect.stringContaining('without a trace id') } },
    });
    await advanceClock(MINUTE_MS);
    expect(await reports()).toHaveLength(1);
  });

  it('accepts an empty export, and refuses JSON that is malformed, no request or too deep', async () => {
    const refusal = (code: string) => ({
      status: 400,
      body: { code: 3, message: expect.stringContaining(`(${code})`) },
    });
    expect(await sendTraces({})).toMatchObject({ status: 200, body: {} });
    expect(await sendTraces('[]')).toMatchObject(refusal('request.invalid'));
    expect(await sendTraces('{')).toMatchObject(refusal('request.malformed_json'));
    expect(await sendTraces(`{"resourceSpans":${'['.repeat(100)}${']'.repeat(100)}}`)).toMatchObject(
      refusal('request.too_deep'),
    );
  });

  it('belongs to the agent that a collector names, in the header or in the resource, and to no other', async () => {
    // A session is that of one agent, so each has its own.
    const sent: string[] = [];
    const next = () => {
      n += 1;
      sent.push(referenceOf(app, trace()));
      return trace();
    };
    expect(
      await sendTraces(otlp(PYTHON_RUN, { trace: next(), resource: { 'guildbook.agent': 'Ben' } }), {
        token: collector,
      }),
    ).toMatchObject({ status: 200 });
    const own = () => otlp(PYTHON_RUN, { trace: next() });
    expect(await sendTraces(own(), { token: collector, agent: 'Cem' })).toMatchObject({ status: 200 });
    expect(await sendTraces(own(), { token: collector })).toMatchObject({ status: 200 });
    expect(await sendTraces(own(), { agent: 'Cem' })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('(execution.other_agent)') },
    });
    await advanceClock(MINUTE_MS);
    const { items } = await reader.executions.list({ limit: 200 });
    const agents = items
      .filter(({ executionId }) => sent.some((reference) => executionId.includes(reference)))
      .map(({ agent }) => agent);
    expect(agents.sort()).toEqual(['Ben', 'Cem', 'billing-agent']);
  });

  it('reports which published skills were loaded, and no others', async () => {
    const now = app.clock.now().getTime() - Date.UTC(2026, 2, 31, 18);
    await sendTraces(
      exportOf([
        toolSpan(2, now, 'Skill', {}, { attributes: { skill_name: skill } }),
        toolSpan(3, now, 'Skill', {}, { attributes: { skill_name: 'a-skill-of-their-own' } }),
        toolSpan(4, now, 'Skill', {}, { attributes: { skill_name: `other:${skill}` }, failed: true }),
        modelSpan(5, now),
        agentSpan({ to: now + 100 }),
      ]),
    );
    await advanceClock(MINUTE_MS);
    const [report] = await reports();
    const uses = await app.database.client.skillUse.findMany();
    expect(uses).toMatchObject([
      { skillName: skill, event: 'loaded', outcome: 'unknown', agentId: ada.id, executionId: report?.executionId },
    ]);
  });

  it('has every text of a conversation dropped before it is stored', async () => {
    const secret = 'the merger will be announced on Friday';
    const messages = JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: secret }] }]);
    const content = {
      'gen_ai.input.messages': messages,
      'gen_ai.output.messages': messages,
      'gen_ai.system_instructions': messages,
      'gen_ai.tool.call.result': secret,
      'gen_ai.prompt': secret,
      'gen_ai.completion': secret,
      user_prompt: secret,
      'input.value': secret,
      'output.value': secret,
      'an.attribute.of.their.own': secret,
    };
    const events = [{ name: 'gen_ai.user.message', attributes: { content: secret } }];
    await sendTraces(
      exportOf(PYTHON_RUN.map((span) => ({ ...span, events, attributes: { ...content, ...span.attributes } }))),
    );
    const { client } = app.database;
    expect(JSON.stringify(await client.reportFragment.findMany())).not.toContain('merger');
    await advanceClock(MINUTE_MS);
    const [report] = await reports();
    expect(JSON.stringify(report)).not.toContain('merger');
    expect(report?.toolCalls).toHaveLength(2);
  });

  it('of web requests only is not an execution', async () => {
    await sendTraces(exportOf([{ id: 1, name: 'GET /', attributes: { 'http.request.method': 'GET' } }]));
    await advanceClock(MINUTE_MS);
    expect(await reports()).toEqual([]);
  });
});
