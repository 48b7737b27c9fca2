import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { Controller, Get, Headers, Inject, Options, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeEndpoint, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../platform/base/canonical-json.js';
import type { Config } from '../platform/config/config.js';
import { VERSION } from '../platform/config/version.js';
import { Public } from '../platform/http/public.decorator.js';
import { AlsoReturns, Refuses } from '../platform/http/returns.decorator.js';
import { type StoredFile, sendStoredFile } from '../platform/http/stored-file.js';
import { CONFIG } from '../platform/platform.module.js';
import { CARD_TYPE, ServerCard, serverCard } from './server-card.js';

/** SEP-2127 asks for these, so that clients in a browser can read the card. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': 'Content-Type, If-None-Match',
  'access-control-expose-headers': 'ETag',
};

/**
 * The server card, at the address that SEP-2127 reserves. Public, because clients read it before they have a credential,
 * and open to pages of other sites: it is the same text for everyone.
 */
@ApiTags('mcp')
@Controller('mcp/server-card')
export class ServerCardController {
  private readonly card: StoredFile;

  constructor(@Inject(CONFIG) { publicUrl }: Config) {
    const identity = `${JSON.stringify(serverCard(VERSION, publicUrl, SUPPORTED_PROTOCOL_VERSIONS))}\n`;
    this.card = { type: CARD_TYPE, hash: sha256(identity), bytes: { identity } };
  }

  @Get()
  @Public('anonymous')
  @RouteConfig({ anyOrigin: true })
  @ApiOperation({ summary: 'MCP server card (SEP-2127): name, version, address and credential of the MCP server' })
  @ApiHeader({ name: 'if-none-match', required: false, description: 'The ETag of the card that the caller has' })
  @AlsoReturns(200, 'The card', ServerCard, CARD_TYPE)
  @AlsoReturns(304, 'The caller has this card')
  @Refuses(429, 'request.rate_limited')
  getServerCard(@Headers() headers: FastifyRequest['headers'], @Res() reply: FastifyReply): Promise<void> {
    return sendStoredFile(reply.headers(CORS), headers, this.card, 'public, max-age=3600');
  }

  /** A browser asks before it sends If-None-Match. */
  @Options()
  @Public('anonymous')
  @RouteConfig({ anyOrigin: true })
  @ApiExcludeEndpoint()
  async allowServerCard(@Res() reply: FastifyReply): Promise<void> {
    await reply.status(204).headers(CORS).send();
  }
}
