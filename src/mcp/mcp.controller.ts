import { createMcpHandler } from '@modelcontextprotocol/server';
import { applyDecorators, Delete, Get, Logger, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentCaller } from '../access/identity/caller.decorator.js';
import type { Caller } from '../access/identity/caller.js';
import { type AccessRule, RequireAnyScope, TakesTurn } from '../platform/http/require-scope.decorator.js';
import { ApiController, openApiSchema } from '../platform/http/returns.decorator.js';
import { redact } from '../untrusted/redaction/redact.js';
import { JsonRpcMessage, JsonRpcResponse, withoutNulls } from './json-rpc.schema.js';
import { McpTools } from './mcp-tools.service.js';

/** The messages that are answered with the instructions of the server, in the revisions with and without a handshake. */
const OPENING: ReadonlySet<unknown> = new Set(['initialize', 'server/discover']);
/** The tools that list: their answers, or what is read for them, grow with the data. */
const LISTING: ReadonlySet<unknown> = new Set([
  'list_skills',
  'recall_sessions',
  'read_session',
  'embedder_runs',
  'embedder_checkpoints',
]);

const listsTools = (body: unknown): boolean => {
  const methods = messagesOf(body).map(({ method }) => method);
  return methods.includes('tools/list') && !methods.includes('tools/call');
};

export const opensConnection = (body: unknown): boolean => messagesOf(body).some(({ method }) => OPENING.has(method));

/** Whether the body lists, or reads a file, which is searched among those of all skills. */
export const listsData = (body: unknown): boolean =>
  messagesOf(body).some(({ method, params }) =>
    method === 'tools/call'
      ? LISTING.has(Object(params).name)
      : typeof method === 'string' && /^(?:resources|skills)\//.test(method),
  );

/** The messages of a body, which is one or, from older clients, a list of them. */
const messagesOf = (body: unknown): { readonly method?: unknown; readonly params?: unknown }[] =>
  (Array.isArray(body) ? body : [body]).map(Object);

const RESPONSE = openApiSchema(JsonRpcResponse);
const JSON_CONTENT = { 'application/json': { schema: RESPONSE } };
const EVENT = 'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\n\n';

/** Documents the answers to a JSON-RPC message over streamable HTTP. The handler of the protocol gives them. */
const ReturnsJsonRpc = () =>
  applyDecorators(
    ApiHeader({
      name: 'accept',
      required: true,
      description: 'Must name both media types of the answer',
      example: 'application/json, text/event-stream',
    }),
    ApiHeader({ name: 'mcp-protocol-version', required: false, description: 'The version that both sides agreed on' }),
    ApiBody({ schema: openApiSchema(JsonRpcMessage) }),
    ApiResponse({
      status: 200,
      description: 'The response to a request, as JSON or as a stream with one event',
      content: { ...JSON_CONTENT, 'text/event-stream': { schema: { type: 'string' }, example: EVENT } },
    }),
    ApiResponse({ status: 202, description: 'A notification was accepted' }),
    ApiResponse({ status: 400, description: 'Not a JSON-RPC message, or an unknown version', content: JSON_CONTENT }),
    ApiResponse({ status: 404, description: 'The server does not offer this method', content: JSON_CONTENT }),
    ApiResponse({ status: 406, description: 'The header Accept lacks a media type', content: JSON_CONTENT }),
    ApiResponse({ status: 415, description: 'The body is not application/json', content: JSON_CONTENT }),
  );

/** Documents that the server offers no streams of its own and no sessions. */
const RefusesMethod = () =>
  ApiResponse({ status: 405, description: 'Method not allowed; only POST is', content: JSON_CONTENT });

/** Agents use their own memory; administrators administer the embedder behind it. */
const ADMITTED: readonly AccessRule[] = [
  { scope: 'read', kinds: ['agent'] },
  { scope: 'administer', kinds: ['person'] },
];

/** The agent API over the Model Context Protocol: a new server for each request, without sessions. */
@ApiController('mcp', 'mcp')
export class McpController {
  private readonly logger = new Logger(McpController.name);

  constructor(private readonly tools: McpTools) {}

  @Post()
  @RequireAnyScope(...ADMITTED)
  @TakesTurn(listsData)
  @ApiOperation({
    summary: 'Model Context Protocol over streamable HTTP: one JSON-RPC message, without a session',
    description:
      'The tools, resources and skills of an agent; for administrators, the tools of the embedder. Clients of the protocol use this address.',
  })
  @ReturnsJsonRpc()
  sendMcpMessage(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.handle(caller, request, reply);
  }

  /** Streams and sessions are not supported; the handler answers as the protocol requires. */
  @Get()
  @RequireAnyScope(...ADMITTED)
  @TakesTurn(false)
  @ApiOperation({ summary: 'Not offered: the server sends no messages that a client did not ask for' })
  @RefusesMethod()
  openMcpStream(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.handle(caller, request, reply);
  }

  @Delete()
  @RequireAnyScope(...ADMITTED)
  @ApiOperation({ summary: 'Not offered: there are no sessions to end' })
  @RefusesMethod()
  endMcpSession(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.handle(caller, request, reply);
  }

  private async handle(caller: Caller, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const body = withoutNulls(request.body);
    const asked = { opens: opensConnection(body), lists: listsTools(body) };
    const handler = createMcpHandler(() => this.tools.serverFor(caller, asked), {
      maxSubscriptions: 0,
      onerror: (error) => this.logger.warn(redact(error.message).text),
    });
    try {
      const response = await handler.fetch(webRequest(request, body), { parsedBody: body });
      const text = await response.text();
      void reply.status(response.status);
      for (const [name, value] of response.headers) if (name !== 'connection') void reply.header(name, value);
      await reply.send(text);
    } finally {
      await handler.close();
    }
  }
}

/** The request for the MCP handler. The URL is fixed, so that a forged Host header has no effect. */
function webRequest({ method, headers }: FastifyRequest, body: unknown): Request {
  const passed = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && !['authorization', 'cookie', 'content-length'].includes(name))
      passed.set(name, value);
  return new Request('http://guildbook.invalid/mcp', {
    method,
    headers: passed,
    ...(method === 'POST' ? { body: JSON.stringify(body ?? null) } : {}),
  });
}
