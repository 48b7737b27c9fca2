import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AuthService } from '../../src/access/identity/auth.service.js';
import { FragmentAssembler } from '../../src/capture/gathering/fragment-assembler.service.js';
import { Hooks } from '../../src/capture/gathering/hooks.service.js';
import { hooksFormatOf } from '../../src/capture/hook-events/hooks.importer.js';
import { HOOK_PRODUCTS, type HookProduct, hookPayloadOf } from '../../src/capture/hook-events/products.js';
import { sessionAgentName } from '../../src/capture/report/agent-name.js';
import type { ExecutionReport } from '../../src/capture/report/execution-report.schema.js';
import { ExecutionReader } from '../../src/capture/store/execution-reader.service.js';
import { HOUR_MS, MINUTE_MS } from '../../src/platform/base/durations.js';
import { IdentifierReferences } from '../../src/platform/database/identifier-references.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { FOREIGN_FORMATS, type Session } from '../support/foreign-sessions.js';
import { otlpLogs, START } from '../support/otlp.js';
import { postOtlp, toProtobuf } from '../support/otlp-protobuf.js';

let app: TestApplication;
let agent: Awaited<ReturnType<TestApplication['agent']>>;
let other: typeof agent;
let reader: TestApplication['admin'];
let serviceToken: string;
let sessions = 0;
let session: Session;

beforeAll(async () => {
  app = await startTestApplication();
  agent = await app.agent('Ada');
  other = await app.agent('Ben');
  serviceToken = (await app.admin.services.add({ name: 'importer', scopes: ['report-for'] })).token;
  reader = app.client((await app.admin.services.add({ name: 'reader', scopes: ['read'] })).token);
});
afterAll(() => app.close());
beforeEach(() => {
  sessions += 1;
  session = {
    id: `session-${sessions}`,
    task: 'Close the books',
    steps: [
      { tool: 'Bash', input: { command: 'python close.py' }, error: 'SyntaxError: invalid syntax' },
      { tool: 'Bash', input: { command: 'python3 close.py' }, output: 'closed' },
    ],
    answer: 'Closed',
    end: 'normal',
  };
});

/** Products whose runs without a person print a stream of events that is imported. */
const STREAMED: readonly HookProduct[] = ['claude-code', 'codex'];

const formatNamed = (name: string) => {
  const found = FOREIGN_FORMATS.find(({ importer }) => importer.format === name);
  if (found === undefined) throw new Error(`there is no format ${name}`);
  return found;
};

/** Sends the events of the session, a second apart; without its end, as after a kill, if `killed`. */
async function sendHooks(product: HookProduct, { killed = false, from = agent } = {}): Promise<void> {
  const caller = await app.app.get(AuthService).authenticate(from.token, ['token']);
  for (const line of formatNamed(`${product}-hooks`).lines(session)) {
    const body = JSON.parse(line);
    const hook = hookPayloadOf(product, body.hook_event_name, body);
    if (hook === undefined || (killed && /^(?:Stop|SessionEnd)$/.test(hook.hook_event_name))) continue;
    await app.app.get(Hooks).receive(caller, undefined, hooksFormatOf(product), hook);
    app.clock.advance(1_000);
  }
}

/** Waits until the fragments of the session are assembled. */
async function advance(milliseconds: number): Promise<void> {
  app.clock.advance(milliseconds);
  app.app.get(FragmentAssembler).wake();
  await app.app.get(FragmentAssembler).idle();
}

/** The report of the session in a format of files, ended at that time. */
function reportOf(format: string, finishedAt = app.clock.now()): ExecutionReport {
  const { importer, lines, context } = formatNamed(format);
  const [report] = importer.derive(lines(session), context?.(session)).reports;
  if (report === undefined) throw new Error('the transcript gives no report');
  const startedAt = new Date(finishedAt.getTime() - 5_000).toISOString();
  return { ...report, startedAt, finishedAt: finishedAt.toISOString() };
}

/** Reports the transcript of the session, which ended at that time. */
const sendTranscript = (format: string, finishedAt?: Date) =>
  agent.client.executions.report(reportOf(format, finishedAt));

/** The formats of the session's stored executions, and of those that count as evidence. */
async function stored(): Promise<{ all: string[]; counted: string[] }> {
  const format = (executionId: string) => executionId.split(':')[0] ?? '';
  const { items } = await reader.executions.list({ limit: 200 });
  const reports = await Promise.all(items.map(({ id }) => reader.executions.show(id)));
  const sessionId = app.app.get(IdentifierReferences).of(session.id);
  const own = reports.filter(({ report }) => report.sessionId === sessionId);
  const counted: string[] = [];
  await app.settled();
  const to = app.clock.now();
  for await (const { observed } of app.app.get(ExecutionReader).read(new Date(0), to))
    counted.push(...own.filter(({ id }) => id === observed.executionId).map(({ executionId }) => format(executionId)));
  return { all: own.map(({ executionId }) => format(executionId)).sort(), counted };
}

describe.each(HOOK_PRODUCTS)('a session of %s', (product) => {
  it('is one execution if its transcript comes before its hooks are assembled', async () => {
    await sendHooks(product);
    const endedAt = app.clock.now();
    expect(await sendTranscript(product, endedAt)).toMatchObject({ duplicate: false });
    await advance(2 * HOUR_MS);
    expect(await stored()).toEqual({ all: [product], counted: [product] });
    expect(await sendTranscript(product, endedAt)).toMatchObject({ duplicate: true });
  });

  it('is one execution if its transcript comes afterwards', async () => {
    await sendHooks(product);
    const endedAt = app.clock.now();
    await advance(31 * MINUTE_MS);
    const [known] = (await reader.executions.list({ limit: 1 })).items;
    expect(await sendTranscript(product, endedAt)).toMatchObject({
      duplicate: true,
      id: known?.id,
      executionId: known?.executionId,
    });
    expect(await stored()).toEqual({ all: [`${product}-hooks`], counted: [`${product}-hooks`] });
  });

  it('counts once, by its last report, if it went on after the first one', async () => {
    await sendHooks(product);
    await advance(31 * MINUTE_MS);
    expect(await sendTranscript(product)).toMatchObject({ duplicate: false });
    expect(await stored()).toEqual({ all: [product, `${product}-hooks`], counted: [product] });
  });

  it('that was killed is reported by its events, an hour after the last one', async () => {
    await sendHooks(product, { killed: true });
    await advance(59 * MINUTE_MS);
    expect(await stored()).toMatchObject({ all: [] });
    await advance(2 * MINUTE_MS);
    expect(await stored()).toEqual({ all: [`${product}-hooks`], counted: [`${product}-hooks`] });
    const [newest] = (await reader.executions.list({ limit: 1 })).items;
    expect(newest).toMatchObject({ status: 'aborted', toolCalls: 2, failedCalls: 1 });
    await advance(48 * HOUR_MS);
    expect(await stored()).toMatchObject({ all: [`${product}-hooks`] });
  });
});

describe.each(STREAMED)('a session of %s with the stream of its events', (product) => {
  const stream = `${product}-stream`;

  it.each([
    [product, stream],
    [stream, product],
  ])('is one execution if %s is imported before %s, in two imports', async (first, second) => {
    const endedAt = app.clock.now();
    expect(await sendTranscript(first, endedAt)).toMatchObject({ duplicate: false });
    expect(await sendTranscript(second, endedAt)).toMatchObject({ duplicate: true });
    expect(await stored()).toEqual({ all: [first], counted: [first] });
  });

  it.each([
    [product, stream],
    [stream, product],
  ])(
    'is one execution if %s stands before %s in one import, for agents of different folders',
    async (first, second) => {
      const importer = app.client(serviceToken);
      const endedAt = app.clock.now();
      await importer.executions.report(reportOf(first, endedAt), `${session.id}-one`);
      await importer.executions.report(reportOf(second, endedAt), `${session.id}-other`);
      expect(await stored()).toEqual({ all: [first], counted: [first] });
    },
  );

  it.each([
    [product, stream],
    [stream, product],
  ])('is one execution if %s and %s are in one batch', async (first, second) => {
    const endedAt = app.clock.now();
    const receipt = await agent.client.executions.reportAll([reportOf(first, endedAt), reportOf(second, endedAt)]);
    expect(receipt).toMatchObject({ new: 1, duplicate: 1 });
    expect(await stored()).toEqual({ all: [first], counted: [first] });
  });

  it('is one execution if its hooks come first, whatever the date of the file', async () => {
    await sendHooks(product);
    await advance(31 * MINUTE_MS);
    expect(await sendTranscript(stream, new Date(app.clock.now().getTime() + 48 * HOUR_MS))).toMatchObject({
      duplicate: true,
    });
    expect(await stored()).toEqual({ all: [`${product}-hooks`], counted: [`${product}-hooks`] });
  });

  it('is one execution if its hooks come afterwards', async () => {
    await sendHooks(product);
    expect(await sendTranscript(stream)).toMatchObject({ duplicate: false });
    await advance(2 * HOUR_MS);
    expect(await stored()).toEqual({ all: [stream], counted: [stream] });
  });

  it('counts once, by its transcript, if that went on after the stream', async () => {
    await sendTranscript(stream);
    app.clock.advance(5 * MINUTE_MS);
    expect(await sendTranscript(product)).toMatchObject({ duplicate: false });
    expect(await stored()).toEqual({ all: [product, stream], counted: [product] });
  });
});

describe('the telemetry of a session', () => {
  /** Log records of the session in which the same happened, as Claude Code sends them. */
  async function sendLogs(): Promise<void> {
    const start = app.clock.now().getTime() - START;
    const call = (at: number, id: string, command: string, error?: string) => ({
      event: 'claude_code.tool_result',
      at: start + at,
      attributes: {
        'session.id': session.id,
        tool_name: 'Bash',
        tool_use_id: id,
        success: String(error === undefined),
        tool_input: JSON.stringify({ command }),
        ...(error === undefined ? {} : { error }),
      },
    });
    const records = [
      call(0, 'a', 'python close.py', 'SyntaxError: invalid syntax'),
      call(900, 'b', 'python3 close.py'),
    ];
    const answer = await postOtlp(app.url, 'logs', agent.token, toProtobuf('logs', otlpLogs(records)));
    expect(answer.status).toBe(200);
  }

  it('is one execution with its transcript and its hooks, whichever comes first', async () => {
    await sendLogs();
    await sendHooks('claude-code', { killed: true });
    const endedAt = app.clock.now();
    await advance(2 * HOUR_MS);
    const { all } = await stored();
    expect(all).toHaveLength(1);
    expect(await sendTranscript('claude-code', endedAt)).toMatchObject({ duplicate: true });
    expect((await stored()).counted).toEqual(all);
  });

  it('is not stored if the transcript was', async () => {
    await sendLogs();
    await sendTranscript('claude-code');
    await advance(2 * HOUR_MS);
    expect(await stored()).toEqual({ all: ['claude-code'], counted: ['claude-code'] });
  });

  it('alone is an execution an hour after its last record', async () => {
    await sendLogs();
    await advance(59 * MINUTE_MS);
    expect((await stored()).all).toEqual([]);
    await advance(2 * MINUTE_MS);
    expect(await stored()).toEqual({ all: ['claude-code-otel'], counted: ['claude-code-otel'] });
    const [newest] = (await reader.executions.list({ limit: 1 })).items;
    expect(newest).toMatchObject({ toolCalls: 2, failedCalls: 1 });
  });
});

it('two agents with one session id are two executions', async () => {
  await sendTranscript('codex');
  await sendHooks('codex', { from: other });
  await advance(MINUTE_MS);
  expect((await stored()).all).toEqual(['codex', 'codex-hooks']);
});

it('hooks and an import with the credential of a service are of one agent, that of the project', async () => {
  const file = '/home/jo/.claude/projects/-srv-shop/one.jsonl';
  const caller = await app.app.get(AuthService).authenticate(serviceToken, ['token']);
  for (const event of ['UserPromptSubmit', 'Stop', 'SessionEnd']) {
    const body = { session_id: session.id, transcript_path: file, cwd: '/srv/shop', prompt: 'Close the books' };
    const hook = hookPayloadOf('claude-code', event, body);
    if (hook !== undefined) await app.app.get(Hooks).receive(caller, undefined, hooksFormatOf('claude-code'), hook);
  }
  await advance(MINUTE_MS);
  const [newest] = (await reader.executions.list({ limit: 1 })).items;
  expect(newest?.agent).toBe(sessionAgentName('claude-code', { file, cwd: '/srv/shop' }));
});
