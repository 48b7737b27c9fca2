import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FragmentAssembler } from '../../src/capture/gathering/fragment-assembler.service.js';
import type { Guildbook } from '../../src/client/guildbook.js';
import { HOUR_MS } from '../../src/platform/base/durations.js';
import { ServerLogger } from '../../src/platform/telemetry/server-logger.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { dumpTables } from '../support/dump.js';
import { type LogSketch, otlp, otlpLogs, type SpanSketch, traceId } from '../support/otlp.js';
import { postOtlp, toProtobuf } from '../support/otlp-protobuf.js';

/** In every text below. It is prose, so no rule for secrets finds it: only what is stored decides. */
const WORDS = 'the merger will be announced on friday';
/** What WORDS look like in a database or a log, whatever happened to case and spaces. */
const TRACE_OF_WORDS = /merger|announced\W+on/i;

const messages = (role: string) =>
  JSON.stringify([
    { role, parts: [{ type: 'text', content: WORDS }] },
    { role, content: [{ type: 'tool_use', id: 'x', name: 'send', input: { body: `${WORDS}, ${WORDS}` } }] },
    { role: 'tool', tool_call_id: 'x', content: `${WORDS}\n${WORDS}` },
  ]);
const ARGUMENTS = JSON.stringify({ body: `${WORDS}, ${WORDS}`, content: WORDS, prompt: WORDS });

/** Every attribute of a convention that can hold a part of a conversation or name a person. */
const CONTENT: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(
    [
      ...['gen_ai.prompt', 'gen_ai.completion', 'gen_ai.system_instructions', 'gen_ai.tool.call.result', 'user_prompt'],
      ...['gen_ai.tool.description', 'gen_ai.agent.description', 'gen_ai.data_source.id', 'enduser.id', 'user.id'],
      ...['input.value', 'output.value', 'tool.description', 'llm.prompts.0.prompt.text'],
      ...['llm.choices.0.completion.text', 'llm.function_call', 'llm.invocation_parameters', 'metadata', 'tag.tags'],
      ...['retrieval.documents.0.document.content', 'embedding.text', 'traceloop.entity.output', 'user.email'],
      ...['llm.tools.0.tool.json_schema', 'prompt', 'prompt_text', 'response', 'output', 'tool_output', 'request_text'],
      ...['response_text', 'gen_ai.prompt.0.content', 'gen_ai.completion.0.content', 'an.attribute.of.their.own'],
      ...['langsmith.metadata.note', 'langfuse.trace.input', 'langfuse.observation.output', 'error_description'],
      ...[
        'llm.input_messages.0.message.content',
        'llm.output_messages.0.message.content',
        'gen_ai.evaluation.explanation',
      ],
    ].map((name) => [name, WORDS]),
  ),
  // Of an error the line that says why stays, and none around it.
  'exception.stacktrace': `Traceback:\n  send("${WORDS}")\nValueError: invalid`,
  'gen_ai.input.messages': messages('user'),
  'gen_ai.output.messages': messages('assistant'),
  'gen_ai.tool.definitions': JSON.stringify([{ name: 'send', description: WORDS }]),
  'gen_ai.tool.call.arguments': ARGUMENTS,
  tool_input: ARGUMENTS,
  'tool.parameters': ARGUMENTS,
  function_args: ARGUMENTS,
  arguments: ARGUMENTS,
  'traceloop.entity.input': ARGUMENTS,
  'llm.input_messages.0.message.role': 'user',
  'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'x',
  'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'send',
  'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': ARGUMENTS,
  'gen_ai.conversation.id': WORDS,
  nested: { deeper: { deepest: [WORDS, { again: WORDS }] } },
};
const EVENTS = [
  'gen_ai.user.message',
  'gen_ai.system.message',
  'gen_ai.assistant.message',
  'gen_ai.tool.message',
  'gen_ai.choice',
  'gen_ai.client.inference.operation.details',
  'gen_ai.evaluation.result',
].map((name) => ({ name, attributes: { ...CONTENT, content: WORDS, message: WORDS, id: 'x' } }));

const KINDS: readonly Readonly<Record<string, string>>[] = [
  ...['AGENT', 'TOOL', 'LLM', 'CHAIN', 'RETRIEVER'].map((kind) => ({ 'openinference.span.kind': kind })),
  ...['invoke_agent', 'execute_tool', 'chat', 'embeddings'].map((name) => ({ 'gen_ai.operation.name': name })),
  ...['workflow', 'tool', 'llm'].map((kind) => ({ 'traceloop.span.kind': kind })),
];
const SPANS: readonly SpanSketch[] = [
  { id: 1, name: 'run', to: 900, attributes: { 'gen_ai.operation.name': 'invoke_agent' } },
  ...KINDS.map((kind, n) => ({
    id: n + 2,
    parent: 1,
    name: `span of ${WORDS}`,
    from: n * 10,
    attributes: { ...CONTENT, ...kind, 'tool.name': 'send', 'gen_ai.tool.name': 'send' },
    events: EVENTS,
  })),
];
const LOGS: readonly LogSketch[] = [
  'claude_code.user_prompt',
  'claude_code.tool_result',
  'claude_code.tool_decision',
  'claude_code.api_request',
  'claude_code.assistant_response',
  'claude_code.skill_activated',
  'codex.user_prompt',
  'codex.tool_result',
  'codex.api_request',
  'gemini_cli.user_prompt',
  'gemini_cli.tool_call',
  'gemini_cli.api_response',
  ...EVENTS.map(({ name }) => name),
  'exception',
  'http.request',
].flatMap((event, n) => [
  { event, at: n, attributes: { ...CONTENT, 'session.id': WORDS, 'conversation.id': WORDS, success: 'true' } },
  { event, at: n, span: 2, attributes: { 'session.id': WORDS }, body: { ...CONTENT, content: WORDS, id: 'x' } },
]);

let app: TestApplication;
/** Its token stays valid for the days that pass here. */
let reader: Guildbook;
const tokens: string[] = [];
let written = '';

beforeAll(async () => {
  for (const stream of [process.stdout, process.stderr])
    jest.spyOn(stream, 'write').mockImplementation((chunk) => {
      written += String(chunk);
      return true;
    });
  app = await startTestApplication({}, new ServerLogger('json', (text) => text));
  reader = app.client((await app.admin.services.add({ name: 'reader', scopes: ['read'] })).token);
  for (const name of ['Ada', 'Ben']) tokens.push((await app.agent(name)).token);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await app.close();
});

describe('the words of a conversation', () => {
  it.each(['JSON', 'protobuf'])(
    'are dropped from traces and logs in %s before anything is stored',
    async (encoding) => {
      const token = tokens[encoding === 'JSON' ? 0 : 1] ?? '';
      const trace = traceId(encoding.length);
      const requests = [
        ['traces', otlp(SPANS, { trace, resource: { 'host.name': WORDS, 'process.command_line': WORDS } })],
        ['logs', otlpLogs(LOGS, { trace, resource: { 'host.name': WORDS } })],
      ] as const;
      for (const [signal, request] of requests) {
        const json = JSON.stringify(request);
        expect(json.split(WORDS).length).toBeGreaterThan(100);
        const answer = await postOtlp(app.url, signal, token, encoding === 'JSON' ? json : toProtobuf(signal, request));
        const { status, bytes } = answer;
        expect({ status, text: bytes.toString() }).toEqual({ status: 200, text: encoding === 'JSON' ? '{}' : '' });
      }
      const fragments = await app.database.client.reportFragment.findMany();
      expect(fragments.length).toBeGreaterThan(20);
      expect(JSON.stringify(fragments)).not.toMatch(TRACE_OF_WORDS);
      app.clock.advance(48 * HOUR_MS);
      app.app.get(FragmentAssembler).wake();
      await app.app.get(FragmentAssembler).idle();
      await app.settled();
    },
  );

  it('are in no table, no log and no answer afterwards', async () => {
    const { items } = await reader.executions.list({ limit: 200 });
    const formats = new Set(items.map(({ executionId }) => executionId.split(':')[0]));
    expect([...formats].sort()).toEqual(['claude-code-otel', 'codex-otel', 'gemini-otel', 'otel']);
    for (const { id } of items) {
      const shown = await reader.executions.show(id);
      expect(JSON.stringify(shown)).not.toMatch(TRACE_OF_WORDS);
    }
    expect(JSON.stringify(await dumpTables(app.database))).not.toMatch(TRACE_OF_WORDS);
    expect(written).not.toMatch(TRACE_OF_WORDS);
  });
});
