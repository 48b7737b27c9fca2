import { createInterface } from 'node:readline';
import {
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Guildbook } from '../../client/guildbook.js';
import { withoutNulls } from '../../mcp/json-rpc.schema.js';
import { Problem } from '../../platform/http/problem.schema.js';

const Initialised = z.object({ result: z.object({ protocolVersion: z.string() }) });

const PARSE_ERROR = { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'This is not a JSON-RPC message.' } };

/**
 * Connects an MCP client on stdio with the server: each input line is a message for the server, each output line a
 * message from it. Resolves when the input has ended and every request is answered.
 */
export async function bridge(
  client: Guildbook,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<void> {
  const write = (message: object): void => {
    output.write(`${JSON.stringify(message)}\n`);
  };
  const http = new StreamableHTTPClientTransport(new URL('/mcp', client.server), {
    fetch: (_url, request) => forwardRequest(client, request),
  });
  http.onmessage = (message) => {
    const initialised = Initialised.safeParse(message);
    if (initialised.success) http.setProtocolVersion(initialised.data.result.protocolVersion);
    write(message);
  };
  const forward = async (message: JSONRPCMessage): Promise<void> => {
    const id = isJSONRPCRequest(message) ? message.id : undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const sent = http.send(message, { onRequestStreamEnd: resolve });
        // Only a request has a stream of answers, so a notification is done when it is sent.
        sent.then(() => id === undefined && resolve(), reject);
      });
    } catch (error) {
      // A notification has no answer, not even for a refusal.
      if (id !== undefined) write({ jsonrpc: '2.0', id, error: { code: -32_000, message: reasonOf(error) } });
    }
  };

  await http.start();
  const inFlight = new Set<Promise<void>>();
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue;
    const message = messageOf(line);
    if (message === undefined) {
      write(PARSE_ERROR);
      continue;
    }
    const one = forward(message).finally(() => inFlight.delete(one));
    inFlight.add(one);
    // Later messages carry the protocol version that this answer negotiates.
    if (isInitializeRequest(message)) await one;
  }
  await Promise.all(inFlight);
  await http.close();
}

function messageOf(line: string): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(withoutNulls(JSON.parse(line)));
  } catch {
    return undefined;
  }
}

/**
 * Sends the transport's request through the client, which adds the credential and the time limit and refuses redirects.
 * Every answer becomes an event stream with one end. A JSON-RPC error is a message for any HTTP status; any other refusal
 * throws its code and detail.
 */
async function forwardRequest(client: Guildbook, request: RequestInit | undefined): Promise<Response> {
  // The server never starts a message, so there is no stream to listen to.
  if (request?.method !== 'POST') return new Response(null, { status: 405 });
  const headers = Object.fromEntries(new Headers(request.headers));
  const { response, text } = await client.mcp(String(request.body), headers);
  if (response.ok && text.trim() === '') return eventStream('');
  const type = response.headers.get('content-type') ?? '';
  if (response.ok && type.startsWith('text/event-stream')) return eventStream(text);
  const answer = parseBody(text);
  if (typeof answer === 'object' && answer !== null && 'jsonrpc' in answer)
    return eventStream(`data: ${JSON.stringify(answer)}\n\n`);
  const problem = Problem.safeParse(answer);
  if (problem.success) throw new Error(`${problem.data.code}: ${problem.data.detail}`);
  throw new Error(
    text.trim() === '' ? `The server responded with status ${response.status}.` : 'This is not a Guildbook server.',
  );
}

const eventStream = (text: string): Response =>
  new Response(text, { headers: { 'content-type': 'text/event-stream' } });

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'The server does not respond.');

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
