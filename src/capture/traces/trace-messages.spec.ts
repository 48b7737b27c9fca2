import { describe, expect, it } from '@jest/globals';
import { otlp, otlpLogs, type SpanSketch, traceId } from '../../../test/support/otlp.js';
import { otelImporter } from './otel.importer.js';

const LLM = { 'openinference.span.kind': 'LLM', 'llm.model_name': 'a-model' };
const root: SpanSketch = { id: 1, name: 'LangGraph', to: 900, attributes: { 'openinference.span.kind': 'CHAIN' } };
const model = (id: number, from: number, attributes: object, events: SpanSketch['events'] = []): SpanSketch => ({
  id,
  parent: 1,
  name: 'ChatCompletion',
  from,
  attributes: { ...LLM, ...attributes },
  events,
});

/** The calls of the only execution in these spans, each with whether it worked. */
function callsOf(spans: readonly SpanSketch[], ...more: object[]) {
  const lines = [otlp(spans), ...more].map((request) => JSON.stringify(request));
  const { reports } = otelImporter.derive(lines);
  expect(reports).toHaveLength(1);
  return reports[0]?.toolCalls.map(({ name, action, ok, errorCategory }) => [name, action, ok, errorCategory]);
}

const EXPECTED = [
  ['bash', 'python close.py', false, 'SyntaxError'],
  ['bash', 'python3 close.py', true, undefined],
];
const FAILED = 'Traceback (most recent call last):\nSyntaxError: invalid syntax';
const JSON_ARGUMENTS = (command: string) => JSON.stringify({ command });

describe('tool calls of a framework that writes no spans of tools', () => {
  it.each([
    ['', ['a', 'b', 'c']],
    [', also if a gateway gives all of them one id', ['a', 'a', 'a']],
  ])('are read from the messages of OpenInference%s', (_also, [a = '', b = '', c = '']) => {
    const flat = (prefix: string, n: number, id: string, command: string) => ({
      [`${prefix}.${n}.message.role`]: 'assistant',
      [`${prefix}.${n}.message.tool_calls.0.tool_call.id`]: id,
      [`${prefix}.${n}.message.tool_calls.0.tool_call.function.name`]: 'bash',
      [`${prefix}.${n}.message.tool_calls.0.tool_call.function.arguments`]: JSON_ARGUMENTS(command),
    });
    const result = (n: number, id: string, text: string) => ({
      [`llm.input_messages.${n}.message.role`]: 'tool',
      [`llm.input_messages.${n}.message.tool_call_id`]: id,
      [`llm.input_messages.${n}.message.content`]: text,
    });
    const user = { 'llm.input_messages.0.message.role': 'user', 'llm.input_messages.0.message.content': 'Close' };
    const first = { ...user, ...flat('llm.output_messages', 0, a, 'python close.py') };
    const second = {
      ...user,
      ...flat('llm.input_messages', 1, a, 'python close.py'),
      ...result(2, a, FAILED),
      ...flat('llm.output_messages', 0, b, 'python3 close.py'),
    };
    const third = {
      ...second,
      ...flat('llm.input_messages', 3, b, 'python3 close.py'),
      ...result(4, b, 'closed'),
      ...flat('llm.output_messages', 0, c, 'rm never-answered'),
    };
    expect(callsOf([root, model(2, 10, first), model(3, 30, second), model(4, 50, third)])).toEqual(EXPECTED);
  });

  it('are read from the messages of OpenLLMetry', () => {
    const call = (prefix: string, id: string, command: string) => ({
      [`${prefix}.role`]: 'assistant',
      [`${prefix}.tool_calls.0.id`]: id,
      [`${prefix}.tool_calls.0.name`]: 'bash',
      [`${prefix}.tool_calls.0.arguments`]: JSON_ARGUMENTS(command),
    });
    const result = (n: number, id: string, content: string) => ({
      [`gen_ai.prompt.${n}.role`]: 'tool',
      [`gen_ai.prompt.${n}.tool_call_id`]: id,
      [`gen_ai.prompt.${n}.content`]: content,
    });
    const first = call('gen_ai.completion.0', 'a', 'python close.py');
    const second = {
      ...call('gen_ai.prompt.1', 'a', 'python close.py'),
      ...result(2, 'a', FAILED),
      ...call('gen_ai.completion.0', 'b', 'python3 close.py'),
    };
    const third = { ...call('gen_ai.prompt.3', 'b', 'python3 close.py'), ...result(4, 'b', 'closed') };
    expect(callsOf([root, model(2, 10, first), model(3, 30, second), model(4, 50, third)])).toEqual(EXPECTED);
  });

  const asked = (id: string, command: string) => ({
    role: 'assistant',
    parts: [{ type: 'tool_call', id, name: 'bash', arguments: { command } }],
  });
  const answered = (id: string, response: string) => ({
    role: 'tool',
    parts: [{ type: 'tool_call_response', id, response }],
  });
  const turns = [
    { 'gen_ai.output.messages': [asked('a', 'python close.py')] },
    {
      'gen_ai.input.messages': [asked('a', 'python close.py'), answered('a', FAILED)],
      'gen_ai.output.messages': [asked('b', 'python3 close.py')],
    },
    { 'gen_ai.input.messages': [asked('b', 'python3 close.py'), answered('b', 'closed')] },
  ];
  const asText = (turn: object) => Object.fromEntries(Object.entries(turn).map(([k, v]) => [k, JSON.stringify(v)]));

  it('are read from the messages of the GenAI conventions: as text, as values, and as an event of the span', () => {
    const spans = (of: (turn: object) => Pick<SpanSketch, 'attributes' | 'events'>) => [
      root,
      ...turns.map((turn, n) => {
        const { attributes = {}, events } = of(turn);
        return model(n + 2, n * 20, attributes, events);
      }),
    ];
    const event = 'gen_ai.client.inference.operation.details';
    expect(callsOf(spans((turn) => ({ attributes: asText(turn) as Record<string, unknown> })))).toEqual(EXPECTED);
    expect(callsOf(spans((turn) => ({ attributes: { ...turn } })))).toEqual(EXPECTED);
    expect(callsOf(spans((turn) => ({ events: [{ name: event, attributes: { ...turn } }] })))).toEqual(EXPECTED);
  });

  it('are read from log records of the same conventions', () => {
    const trace = traceId();
    const details = turns.map((turn, n) => ({
      event: 'gen_ai.client.inference.operation.details',
      at: n * 20,
      span: n + 2,
      attributes: { 'gen_ai.operation.name': 'chat', ...turn },
    }));
    const spans = [root, ...turns.map((_, n) => model(n + 2, n * 20, {}))];
    expect(callsOf(spans, otlpLogs(details, { trace }))).toEqual(EXPECTED);
    const call = (id: string, command: string) => ({
      id,
      type: 'function',
      function: { name: 'bash', arguments: JSON_ARGUMENTS(command) },
    });
    const choice = (at: number, one: object) => ({
      event: 'gen_ai.choice',
      at,
      body: { index: 0, message: { tool_calls: [one] } },
    });
    const result = (at: number, id: string, content: string) => ({
      event: 'gen_ai.tool.message',
      at,
      body: { id, content },
    });
    const messages = [
      choice(10, call('a', 'python close.py')),
      result(20, 'a', FAILED),
      choice(30, call('b', 'python3 close.py')),
      result(40, 'b', 'closed'),
    ];
    expect(callsOf(spans, otlpLogs(messages, { trace }))).toEqual(EXPECTED);
  });

  it('do not count beside spans of tools, which say the same', () => {
    const tool: SpanSketch = {
      id: 9,
      parent: 1,
      from: 15,
      attributes: { 'openinference.span.kind': 'TOOL', 'tool.name': 'shell', 'input.value': JSON_ARGUMENTS('ls') },
    };
    const spans = turns.map((turn, n) => model(n + 2, n * 20, asText(turn)));
    expect(callsOf([root, tool, ...spans])).toEqual([['shell', 'ls', true, undefined]]);
  });

  it('have failed if the message says so, whatever its text', () => {
    const messages = [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'lookup', input: { city: 'Oslo' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true, content: 'no such city' }] },
    ];
    const span = model(2, 10, { 'gen_ai.input.messages': JSON.stringify(messages) });
    expect(callsOf([root, span])).toMatchObject([['lookup', expect.any(String), false, expect.any(String)]]);
  });
});

describe('a span of a tool in OpenInference', () => {
  const tool = (attributes: object, change: Partial<SpanSketch> = {}): SpanSketch => ({
    id: 3,
    parent: 1,
    from: 30,
    ...change,
    attributes: { 'openinference.span.kind': 'TOOL', 'tool.name': 'bash', ...attributes },
  });

  it('has its arguments under any of the names, and never takes the schema of the tool for them', () => {
    const schema = JSON.stringify({ type: 'object', properties: { command: { type: 'string' } } });
    for (const attributes of [
      { 'input.value': JSON_ARGUMENTS('ls') },
      { 'tool.parameters': JSON_ARGUMENTS('ls') },
      { 'tool_call.function.arguments': JSON_ARGUMENTS('ls'), 'tool.parameters': schema },
      { 'input.value': JSON.stringify({ args: [], kwargs: { command: 'ls' } }) },
    ])
      expect(callsOf([root, tool(attributes)])).toEqual([['bash', 'ls', true, undefined]]);
    expect(callsOf([root, tool({ 'tool.parameters': schema })])).toEqual([['bash', '', true, undefined]]);
  });

  it('has failed with the exception that left it: its message, else the last line of its stack', () => {
    const failed = (attributes: object) =>
      callsOf([
        root,
        tool({}, { failed: true, events: [{ name: 'exception', attributes: { ...attributes } }] }),
      ])?.[0]?.[3];
    expect(failed({ 'exception.type': 'TimeoutError', 'exception.message': 'took 30 s' })).toBe('TimeoutError');
    expect(failed({ 'exception.stacktrace': 'Traceback:\n  File\nKeyError: 3\n' })).toBe('KeyError');
  });
});
