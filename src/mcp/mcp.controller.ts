import { createMcpHandler } from '@modelcontextprotocol/server';
import { Delete, Get, Logger, Post, Req, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentCaller } from '../access/identity/caller.decorator.js';
import type { Caller } from '../access/identity/caller.js';
import { type AccessRule, RequireAnyScope, TakesTurn } from '../platform/http/require-scope.decorator.js';
import { ApiController } from '../platform/http/returns.decorator.js';
import { redact } from '../untrusted/redaction/redact.js';
import { RefusesMethod, ReturnsJsonRpc } from './json-rpc.decorator.js';
import { listsData, opensConnection } from './mcp-message.js';
import { McpTools } from './mcp-tools.service.js';

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
    const handler = createMcpHandler(() => this.tools.serverFor(caller, opensConnection(request.body)), {
      maxSubscriptions: 0,
      onerror: (error) => this.logger.warn(redact(error.message).text),
    });
    try {
      const response = await handler.fetch(webRequest(request), { parsedBody: request.body });
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
function webRequest({ method, headers, body }: FastifyRequest): Request {
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
