import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AuthService } from '../../access/identity/auth.service.js';
import { requireAccess } from '../../access/identity/caller.js';
import { RateLimits } from '../../access/identity/rate-limits.service.js';
import { bearerToken } from '../../access/identity/token.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { Public } from '../../platform/http/public.decorator.js';
import { AlsoReturns } from '../../platform/http/returns.decorator.js';
import { type Audience, audienceOf } from '../delivery/audience.js';
import { SKILL_FILE } from '../document/bundle.js';
import { ReferenceFile, SkillName } from '../document/skill-name.schema.js';
import { Skills } from './skills.service.js';
import { ARCHIVE_FILE, WELL_KNOWN_SCHEMA, wellKnownIndex } from './well-known.js';

const CACHE_SECONDS = 60;
const Index = z.object({
  $schema: z.literal(WELL_KNOWN_SCHEMA),
  skills: z.array(
    z.object({
      name: z.string(),
      type: z.enum(['skill-md', 'archive']),
      description: z.string(),
      url: z.string(),
      digest: z.string(),
      files: z.array(z.string()),
    }),
  ),
});

/**
 * The discovery index and the files that `npx skills` and OpenCode install. Those clients send no credential, so these
 * routes are public; GUILDBOOK_PUBLIC_SKILLS=false closes them. An agent that sends a credential gets the skills that
 * it receives.
 */
@ApiTags('skills')
@Controller('.well-known/agent-skills')
export class WellKnownController {
  constructor(
    private readonly skills: Skills,
    private readonly access: AuthService,
    private readonly limits: RateLimits,
  ) {}

  @Get('index.json')
  @Public()
  @ApiOperation({ summary: 'Agent Skills discovery index (RFC 0.2.0) of the published skills' })
  @AlsoReturns(200, 'The index', Index)
  async index(@Res() reply: FastifyReply, @Req() request: FastifyRequest): Promise<void> {
    const audience = await this.audienceOf(request);
    const body = `${JSON.stringify(wellKnownIndex(await this.skills.published(audience)))}\n`;
    await send(reply, { type: 'application/json; charset=utf-8', body, hash: sha256(body), audience }, request.headers);
  }

  @Get(':name/SKILL.md')
  @Public()
  @ApiOperation({ summary: 'One published SKILL.md, byte for byte as approved' })
  @AlsoReturns(200, 'The file', z.string(), 'text/markdown')
  async skill(
    @Res() reply: FastifyReply,
    @Param('name', { schema: SkillName }) name: string,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.sendFile(reply, name, SKILL_FILE, request);
  }

  @Get(':name/references/:file')
  @Public()
  @ApiOperation({ summary: 'A reference file of a long skill' })
  @AlsoReturns(200, 'The file', z.string(), 'text/markdown')
  async reference(
    @Res() reply: FastifyReply,
    @Param('name', { schema: SkillName }) name: string,
    @Param('file', { schema: ReferenceFile }) file: string,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.sendFile(reply, name, `references/${file}`, request);
  }

  @Get(':name/skill.tar.gz')
  @Public()
  @ApiOperation({ summary: 'All files of a long skill' })
  @AlsoReturns(200, 'A tar archive', z.string(), 'application/gzip')
  async archive(
    @Res() reply: FastifyReply,
    @Param('name', { schema: SkillName }) name: string,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.sendFile(reply, name, ARCHIVE_FILE, request);
  }

  private async sendFile(reply: FastifyReply, name: string, path: string, request: FastifyRequest): Promise<void> {
    const audience = await this.audienceOf(request);
    const body = await this.skills.publishedFile(name, path, audience);
    const type = typeof body === 'string' ? 'text/markdown; charset=utf-8' : 'application/gzip';
    await send(reply, { type, body, hash: sha256(body), audience }, request.headers);
  }

  /**
   * A credential is optional. An invalid one is refused, because otherwise its owner would silently get fewer skills.
   */
  private async audienceOf({ ip, headers: { authorization } }: FastifyRequest): Promise<Audience> {
    if (authorization === undefined) {
      await this.limits.admitAnonymous(ip);
      return 'public';
    }
    const caller = await this.limits.limitRejections(ip, () =>
      this.access.authenticate(bearerToken(authorization), ['personal', 'token']),
    );
    await this.limits.admit(caller);
    requireAccess(caller, [{ scope: 'read', kinds: ['agent', 'person', 'service'] }]);
    return audienceOf(caller);
  }
}

interface ServedFile {
  readonly type: string;
  readonly body: string | Buffer;
  readonly hash: string;
  readonly audience: Audience;
}

/** Sends the bytes, or 304 if the caller has them. The ETag is their hash. */
async function send(
  reply: FastifyReply,
  { type, body, hash, audience }: ServedFile,
  headers: FastifyRequest['headers'],
): Promise<void> {
  const etag = `"${hash}"`;
  const cacheScope = audience === 'public' ? 'public' : 'private';
  void reply.headers({ etag, vary: 'authorization', 'cache-control': `${cacheScope}, max-age=${CACHE_SECONDS}` });
  const isCached = (headers['if-none-match'] ?? '')
    .split(',')
    .some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
  await (isCached ? reply.status(304).send() : reply.status(200).type(type).send(body));
}
