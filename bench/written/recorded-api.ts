import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Usage } from '../../src/propose/model/proposer.js';

/** A local server that speaks the Messages API and answers with recorded messages. */
export interface RecordedApi {
  readonly url: string;
  /** The text of the next message; null answers as an overloaded server does. */
  next(text: string | null): void;
  /** What the server reported for all messages. */
  used(): Usage & { readonly messages: number };
  close(): Promise<void>;
}

/** Characters of a token, as in the design: the server reports an estimate. */
const CHARACTERS_PER_TOKEN = 4;

/** Starts the server on a free local port. */
export async function startRecordedApi(): Promise<RecordedApi> {
  let text: string | null = null;
  const used = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, messages: 0 };
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const isAsked = request.method === 'POST' && request.url === '/v1/messages';
    const [status, answer] =
      !isAsked || text === null
        ? [isAsked ? 529 : 404, { type: 'error', error: { type: 'overloaded_error', message: 'no recorded message' } }]
        : [200, messageOf(text, body)];
    if ('usage' in answer) {
      used.messages += 1;
      used.inputTokens += answer.usage.input_tokens;
      used.outputTokens += answer.usage.output_tokens;
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // a server that listens on a port has an AddressInfo
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    next: (recorded) => {
      text = recorded;
    },
    used: () => ({ ...used }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The whole request counts as input, the schema of the answer included. */
function messageOf(text: string, request: string) {
  const tokens = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN);
  return {
    id: 'msg_recorded',
    type: 'message',
    role: 'assistant',
    model: 'recorded',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: tokens(request.length), output_tokens: tokens(text.length) },
  };
}
