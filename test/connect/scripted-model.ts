import { createServer, type ServerResponse } from 'node:http';
import { parseJson } from '../../src/platform/base/parse-json.js';

/** What the model does after as many tool results as the step has steps before it: run a command, or end. */
export type Step = { readonly shell: string } | { readonly text: string };

export interface ScriptedModel {
  readonly url: string;
  /** The bodies of all requests that offered tools, as JSON. */
  readonly requests: string[];
  script: readonly Step[];
  close(): Promise<void>;
}

type Fields = Readonly<Record<string, unknown>>;
type Call = { readonly name: string; readonly input: Fields };

const fieldsOf = (value: unknown): Fields =>
  // A value of JSON that is an object has string keys.
  typeof value === 'object' && value !== null ? (value as Fields) : {};
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

/** The shell tools of the products, with the input that each one takes. */
const SHELL_TOOLS: Readonly<Record<string, (command: string) => Fields>> = {
  Bash: (command) => ({ command, description: 'runs a step' }),
  bash: (command) => ({ command, description: 'runs a step' }),
  run_shell_command: (command) => ({ command, description: 'runs a step' }),
  exec_command: (cmd) => ({ cmd }),
  shell_command: (command) => ({ command }),
};

/** One of the four protocols by which agent programs talk to a model. */
interface Protocol {
  readonly path: RegExp;
  tools(body: Fields): string[];
  /** Number of tool results in the conversation. */
  results(body: Fields): number;
  /** The events of the answer, or one document where the request asks for one. */
  answer(body: Fields, said: { call?: Call; text: string }): { events: readonly Fields[] } | { document: Fields };
}

let last = 0;
const id = (prefix: string): string => {
  last += 1;
  return `${prefix}_${last}`;
};

const messages: Protocol = {
  path: /\/v1\/messages$/,
  tools: ({ tools }) => listOf(tools).map(({ name }) => String(name)),
  results: (body) =>
    listOf(body['messages'])
      .flatMap(({ content }) => listOf(content))
      .filter(({ type }) => type === 'tool_result').length,
  answer({ model, stream }, { call, text }) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const stop_reason = call === undefined ? 'end_turn' : 'tool_use';
    const block = call === undefined ? { type: 'text', text } : { type: 'tool_use', id: id('toolu'), ...call };
    const message = { id: id('msg'), type: 'message', role: 'assistant', model, usage, stop_sequence: null };
    if (stream !== true) return { document: { ...message, content: [block], stop_reason } };
    const empty = call === undefined ? { type: 'text', text: '' } : { ...block, input: {} };
    const delta =
      call === undefined
        ? { type: 'text_delta', text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(call.input) };
    return {
      events: [
        { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
        { type: 'content_block_start', index: 0, content_block: empty },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
        { type: 'message_stop' },
      ],
    };
  },
};

const responses: Protocol = {
  path: /\/responses$/,
  tools: ({ tools }) => listOf(tools).map(({ name, type }) => String(name ?? type)),
  results: ({ input }) => listOf(input).filter(({ type }) => String(type).endsWith('call_output')).length,
  answer({ model }, { call, text }) {
    const usage = {
      input_tokens: 1,
      output_tokens: 1,
      total_tokens: 2,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    };
    const item =
      call === undefined
        ? {
            type: 'message',
            id: id('msg'),
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          }
        : {
            type: 'function_call',
            id: id('fc'),
            call_id: id('call'),
            name: call.name,
            status: 'completed',
            arguments: JSON.stringify(call.input),
          };
    const response = { id: id('resp'), object: 'response', created_at: 1, model };
    const events = [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...response, status: 'completed', output: [item], usage } },
    ];
    return { events: events.map((event, sequence_number) => ({ ...event, sequence_number })) };
  },
};

const completions: Protocol = {
  path: /\/chat\/completions$/,
  tools: ({ tools }) => listOf(tools).map((tool) => String(fieldsOf(tool['function'])['name'])),
  results: (body) => listOf(body['messages']).filter(({ role }) => role === 'tool').length,
  answer({ model, stream }, { call, text }) {
    const head = { id: id('chatcmpl'), created: 1, model };
    const calls = call && [
      {
        index: 0,
        id: id('call'),
        type: 'function',
        function: { name: call.name, arguments: JSON.stringify(call.input) },
      },
    ];
    const message = { role: 'assistant', content: call ? null : text, ...(calls ? { tool_calls: calls } : {}) };
    const finish_reason = call ? 'tool_calls' : 'stop';
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    if (stream !== true)
      return {
        document: { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage },
      };
    const chunk = (delta: Fields, finish: string | null): Fields => ({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...(finish === null ? {} : { usage }),
    });
    return { events: [chunk(message, null), chunk({}, finish_reason)] };
  },
};

const generateContent: Protocol = {
  path: /:(?:stream)?generateContent$/i,
  tools: ({ tools }) =>
    listOf(tools).flatMap(({ functionDeclarations }) => listOf(functionDeclarations).map(({ name }) => String(name))),
  results: ({ contents }) =>
    listOf(contents)
      .flatMap(({ parts }) => listOf(parts))
      .filter(({ functionResponse }) => functionResponse !== undefined).length,
  answer(_body, { call, text }) {
    const part = call === undefined ? { text } : { functionCall: { name: call.name, args: call.input } };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    const candidates = [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }];
    return { events: [{ candidates, usageMetadata, modelVersion: 'scripted' }] };
  },
};

const PROTOCOLS = [messages, responses, completions, generateContent];

/** A model on loopback that follows a script, in the protocol of each request. */
export async function startModel(): Promise<ScriptedModel> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString('utf8');
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const protocol = PROTOCOLS.find((one) => one.path.test(path));
    if (protocol === undefined) return sendDocument(response, { object: 'list', data: [], models: [] });
    const body = fieldsOf(parseJson(text));
    const tools = protocol.tools(body);
    if (tools.length > 0) model.requests.push(text);
    const step = tools.length > 0 ? model.script[protocol.results(body)] : undefined;
    const call = step !== undefined && 'shell' in step ? shellCall(tools, step.shell) : undefined;
    const said = step !== undefined && 'text' in step ? step.text : 'ok';
    const answer = protocol.answer(body, { text: said, ...(call ? { call } : {}) });
    if ('document' in answer) sendDocument(response, answer.document);
    else sendEvents(response, answer.events, protocol === completions);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const model: ScriptedModel = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    script: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return model;
}

function shellCall(tools: readonly string[], command: string): Call | undefined {
  const name = Object.keys(SHELL_TOOLS).find((tool) => tools.includes(tool));
  const input = name === undefined ? undefined : SHELL_TOOLS[name]?.(command);
  return name === undefined || input === undefined ? undefined : { name, input };
}

function sendDocument(response: ServerResponse, document: Fields): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
}

function sendEvents(response: ServerResponse, events: readonly Fields[], endsWithDone: boolean): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    const name = typeof event['type'] === 'string' ? `event: ${event['type']}\n` : '';
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end(endsWithDone ? 'data: [DONE]\n\n' : '');
}
