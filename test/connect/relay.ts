import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a hook sent. */
export interface HookCall {
  readonly product: string;
  readonly event: string;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
  /** The status of the server behind the relay, in the mode `server`. */
  status?: number;
}

/** How the relay treats hooks. `server` leaves the answer to the server behind it. */
export type HookMode =
  | 'server'
  | 'lessons'
  | 'refuse once'
  | 'slow'
  | 'error page'
  | 'wrong types'
  | 'server error'
  | 'nothing';

const SLOW_MS = 4_000;
const TEXT_EVENTS: Readonly<Record<string, string>> = {
  SessionStart: 'MARK_START',
  sessionStart: 'MARK_START',
  UserPromptSubmit: 'MARK_PROMPT',
  BeforeAgent: 'MARK_PROMPT',
  userPromptSubmitted: 'MARK_PROMPT',
  PostToolUseFailure: 'MARK_FAILURE',
  PostToolUse: 'MARK_FAILURE',
  AfterTool: 'MARK_FAILURE',
  postToolUse: 'MARK_FAILURE',
};
const BEFORE_A_CALL = ['PreToolUse', 'BeforeTool', 'preToolUse'];

const textAnswer = (product: string, event: string, text: string): object =>
  product === 'copilot'
    ? { additionalContext: text }
    : { hookSpecificOutput: { hookEventName: event, additionalContext: text } };

function refusal(product: string, reason: string): object {
  if (product === 'gemini') return { decision: 'deny', reason };
  const denied = { permissionDecision: 'deny', permissionDecisionReason: reason };
  return product === 'copilot' ? denied : { hookSpecificOutput: { hookEventName: 'PreToolUse', ...denied } };
}

/**
 * Stands before a Guildbook server: records the hooks, and answers them itself where a test needs a certain answer.
 * Everything else goes to the server.
 */
export class Relay {
  readonly calls: HookCall[] = [];
  mode: HookMode = 'nothing';
  /** Whether the server says the address of its git remote. */
  namesRemote = true;
  private refused = 0;
  private readonly server = createServer((request, response) => void this.handle(request, response));

  constructor(private readonly target: string) {}

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    const address = this.server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Forgets the calls and takes another mode. */
  reset(mode: HookMode): void {
    this.mode = mode;
    this.calls.length = 0;
    this.refused = 0;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const body = Buffer.concat(chunks);
    const [, product, event] = /^\/v1\/hooks\/([a-z-]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
    if (!this.namesRemote && request.url === '/v1/repository') {
      response.end(JSON.stringify({ head: null, history: {}, remote: null, findings: [] }));
      return;
    }
    if (product === undefined || event === undefined) return this.forward(request, response, body);
    const { authorization } = request.headers;
    const origin = request.headers['x-guildbook-origin'];
    const call: HookCall = {
      product,
      event,
      authorization,
      body: body.toString('utf8'),
      origin: Array.isArray(origin) ? origin[0] : origin,
    };
    this.calls.push(call);
    if (this.mode === 'server') return this.forward(request, response, body, call);
    await this.answer(response, product, event);
  }

  private async answer(response: ServerResponse, product: string, event: string): Promise<void> {
    const mark = TEXT_EVENTS[event];
    const lesson = mark === undefined ? '' : `${JSON.stringify(textAnswer(product, event, `${mark} a lesson`))}\n`;
    if (this.mode === 'slow') await sleep(SLOW_MS);
    switch (this.mode) {
      case 'lessons':
        response.end(lesson);
        return;
      case 'refuse once':
        if (BEFORE_A_CALL.includes(event) && this.refused++ === 0)
          response.end(`${JSON.stringify(refusal(product, 'MARK_REFUSED use print with parentheses'))}\n`);
        else response.end();
        return;
      case 'error page':
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>MARK_PAGE bad gateway</html>');
        return;
      case 'wrong types':
        response.end(`${JSON.stringify({ ...textAnswer(product, event, 'MARK_TYPES'), continue: 'MARK_TYPES' })}\n`);
        return;
      case 'server error':
        response.writeHead(500).end('MARK_ERROR');
        return;
      default:
        response.end();
    }
  }

  private forward(request: IncomingMessage, response: ServerResponse, body: Buffer, call?: HookCall): void {
    const { method, url = '/' } = request;
    const { host: _host, ...headers } = request.headers;
    const onward = httpRequest(new URL(url, this.target), { method, headers }, (got) => {
      if (call !== undefined) call.status = got.statusCode ?? 502;
      response.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(response);
    });
    onward.on('error', () => response.destroy());
    onward.end(body);
  }
}
