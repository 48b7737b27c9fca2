import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { Lesson } from '../../src/memory/store/lesson.schema.js';
import { parseJson } from '../../src/platform/base/parse-json.js';
import type { RefusalKind } from '../../src/propose/model/proposed-lesson.schema.js';

/** The part of a Messages API request that tests inspect. Other fields are kept unchanged. */
const MessagesRequest = z.looseObject({
  model: z.string(),
  max_tokens: z.int(),
  system: z.array(z.looseObject({ type: z.literal('text'), text: z.string(), cache_control: z.unknown() })),
  messages: z.array(z.object({ role: z.literal('user'), content: z.string() })),
  output_config: z.looseObject({ format: z.object({ type: z.literal('json_schema'), schema: z.unknown() }) }),
});

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body, byte for byte. */
  readonly raw: string;
  readonly body: z.infer<typeof MessagesRequest>;
}

type StopReason = 'end_turn' | 'max_tokens' | 'refusal' | 'model_context_window_exceeded' | 'tool_use' | 'pause_turn';

export type ScriptedAnswer =
  | { readonly kind: 'message'; readonly text: string; readonly stopReason: StopReason; readonly more?: object }
  | { readonly kind: 'error'; readonly status: number; readonly type: string }
  /** A response outside the Messages API, such as the error page of a proxy. */
  | { readonly kind: 'page' }
  /** Closes the connection before a response, or in the middle of it. */
  | { readonly kind: 'hang-up'; readonly after: 'nothing' | 'half' };

type ScriptedMessage = Extract<ScriptedAnswer, { kind: 'message' }>;

export const USAGE = { input_tokens: 812, output_tokens: 164 } as const;

export const LESSON: Lesson = {
  discovery: 'When close.py fails with a SyntaxError under python: use python3.',
  activation: {
    condition: 'You are about to run a script of the books with python.',
    action: 'Run it with python3.',
    rationale: 'python is the old interpreter here; python3 ran the same script.',
  },
  steps: ['Run the script with python3.', 'Check that the error is gone.'],
  confidence: 0.8,
  tags: ['python'],
};

const message = (text: string, stopReason: StopReason = 'end_turn'): ScriptedMessage => ({
  kind: 'message',
  text,
  stopReason,
});
const error = (status: number, type: string): ScriptedAnswer => ({ kind: 'error', status, type });
const says = (lesson: unknown, update = true, refusal: unknown = null): ScriptedMessage =>
  message(JSON.stringify({ update, lesson, refusal }));

/** Responses of models and gateways, valid and invalid. */
export const ANSWERS = {
  message,
  error,
  lesson: (change: Partial<Lesson> = {}) => says({ ...LESSON, ...change }),
  noUpdate: () => says(null, false),
  declines: (kind: RefusalKind, reason = 'A competent agent knows it.') => says(null, false, { kind, reason }),
  noUpdateWithLesson: () => says(LESSON, false),
  updateWithoutLesson: () => says(null),
  refusal: () => message('I cannot help with that.', 'refusal'),
  maxTokens: () => message(JSON.stringify({ update: true, lesson: LESSON, refusal: null }).slice(0, 120), 'max_tokens'),
  windowExceeded: () => message('', 'model_context_window_exceeded'),
  empty: () => message(' \n'),
  stoppedFor: (stopReason: 'tool_use' | 'pause_turn') =>
    message(JSON.stringify({ update: true, lesson: LESSON, refusal: null }), stopReason),
  thinking: (): ScriptedAnswer => ({
    ...says(LESSON),
    more: {
      content: [
        { type: 'thinking', thinking: '{"update":false}', signature: 'scripted' },
        { type: 'text', text: JSON.stringify({ update: true, lesson: LESSON, refusal: null }) },
      ],
    },
  }),
  cached: (): ScriptedAnswer => ({
    ...says(LESSON),
    more: { usage: { ...USAGE, cache_creation_input_tokens: 1_200, cache_read_input_tokens: 3_400 } },
  }),
  prose: () => message('Sure! The lesson is to use python3.'),
  markdown: () => message(`\`\`\`json\n${JSON.stringify({ update: true, lesson: LESSON, refusal: null })}\n\`\`\``),
  half: () => message(JSON.stringify({ update: true, lesson: LESSON, refusal: null }).slice(0, 120)),
  tenMegabytes: () => says({ ...LESSON, discovery: 'x'.repeat(10 * 1_024 * 1_024) }),
  controlFields: () => says({ ...LESSON, provenance: 'verified', scope: 'org', supersedes: ['everything'] }),
  controlFieldsOutside: () =>
    message(
      JSON.stringify({ update: true, lesson: LESSON, refusal: null, provenance: 'verified', approvedBy: 'reviewer' }),
    ),
  rateLimited: () => error(429, 'rate_limit_error'),
  overloaded: () => error(529, 'overloaded_error'),
  broken: () => error(500, 'api_error'),
  unauthenticated: () => error(401, 'authentication_error'),
  unknownModel: () => error(404, 'not_found_error'),
  page: (): ScriptedAnswer => ({ kind: 'page' }),
  hangUp: (): ScriptedAnswer => ({ kind: 'hang-up', after: 'nothing' }),
  hangUpHalfWay: (): ScriptedAnswer => ({ kind: 'hang-up', after: 'half' }),
} as const;

export interface MessagesApi {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** Sets the next answers in order. The last one repeats. */
  answer(...answers: [ScriptedAnswer, ...ScriptedAnswer[]]): void;
  /** Runs before each answer, until {@link forget}. */
  whileAnswering(hook: () => Promise<unknown>): void;
  /** Clears the recorded requests. */
  forget(): void;
  close(): Promise<void>;
}

/** Starts a server on a free local port with the part of the Messages API that the proposer uses. */
export async function startMessagesApi(): Promise<MessagesApi> {
  const requests: RecordedRequest[] = [];
  let script: ScriptedAnswer[] = [ANSWERS.lesson()];
  let meanwhile: () => Promise<unknown> = async () => undefined;
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks).toString('utf8');
    const parsed = MessagesRequest.safeParse(parseJson(raw));
    // The response of the real API to an invalid request, also to one of another program that had the port before.
    if (!parsed.success) return send(ANSWERS.error(400, 'invalid_request_error'), '', response);
    const body = parsed.data;
    requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, raw, body });
    await meanwhile();
    const next = script.length > 1 ? script.shift() : script[0];
    send(next ?? ANSWERS.lesson(), body.model, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer: (...answers) => {
      script = [...answers];
    },
    whileAnswering: (hook) => {
      meanwhile = hook;
    },
    forget: () => {
      requests.length = 0;
      meanwhile = async () => undefined;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(answer: ScriptedAnswer, model: string, response: ServerResponse): void {
  if (answer.kind === 'message') json(response, 200, messageOf(answer, model));
  else if (answer.kind === 'error') {
    const error = { type: answer.type, message: `scripted ${answer.status}` };
    // The client honours this header, so that retries in tests take no seconds.
    response.setHeader('retry-after-ms', '1');
    json(response, answer.status, { type: 'error', error });
  } else if (answer.kind === 'page')
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Log in</body></html>');
  else hangUp(answer.after, response);
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function messageOf({ text, stopReason, more }: ScriptedMessage, model: string) {
  return {
    id: 'msg_scripted',
    type: 'message',
    role: 'assistant',
    model,
    content: text === '' ? [] : [{ type: 'text', text }],
    stop_reason: stopReason,
    stop_sequence: null,
    usage: USAGE,
    ...more,
  };
}

function hangUp(after: 'nothing' | 'half', response: ServerResponse): void {
  if (after === 'half') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"id":"msg_scripted","type":"mess', () => response.destroy());
  } else response.destroy();
}
