import { applyDecorators, Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AuthService } from '../../access/identity/auth.service.js';
import { requireAccess } from '../../access/identity/caller.js';
import { RateLimits } from '../../access/identity/rate-limits.service.js';
import { bearerToken } from '../../access/identity/token.js';
import { FreshCache } from '../../platform/background/fresh-cache.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { Clock } from '../../platform/base/clock.js';
import { Database } from '../../platform/database/database.js';
import { Public } from '../../platform/http/public.decorator.js';
import { AlsoReturns, Refuses } from '../../platform/http/returns.decorator.js';
import { isKnown } from '../../platform/http/stored-file.js';
import { type Audience, audienceOf } from '../delivery/audience.js';
import { SKILL_FILE } from '../document/bundle.js';
import { ReferenceFile, SkillName } from '../document/skill-name.schema.js';
import { Skills } from './skills.service.js';
import { ARCHIVE_FILE, WELL_KNOWN_SCHEMA, wellKnownIndex } from './well-known.js';

const CACHE_SECONDS = 60;
/** How late a decision of another process may be in the index for everyone. */
const INDEX_CACHE_MS = 5_000;
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

/** Documents what all four routes have in common: a public answer with an ETag, and an optional credential. */
const ReturnsPublicBytes = () =>
  applyDecorators(
    ApiHeader({ name: 'if-none-match', required: false, description: 'ETags of the bytes that the caller has' }),
    AlsoReturns(304, 'The caller has these bytes'),
    Refuses(401),
    Refuses(403),
    Refuses(404, 'skill.not_found', 'skill.not_public'),
    Refuses(429, 'request.rate_limited'),
  );

/**
 * The discovery index and the files that `npx skills` and OpenCode install. Those clients send no credential, so these
 * routes are public; GUILDBOOK_PUBLIC_SKILLS=false closes them. An agent that sends a credential gets the skills that
 * it receives.
 */
@ApiTags('skills')
@Controller('.well-known/agent-skills')
export class WellKnownController {
  /** Requests without a credential share one read of all skills. A decision of this process is in it at once. */
  private readonly publicIndex: FreshCache<ServedFile>;

  constructor(
    private readonly skills: Skills,
    private readonly access: AuthService,
    private readonly limits: RateLimits,
    database: Database,
    clock: Clock,
  ) {
    this.publicIndex = new FreshCache(
      () => ({ at: clock.now().getTime(), endedTransactions: database.endedModelTransactions }),
      INDEX_CACHE_MS,
      () => this.indexFor('public'),
    );
  }

  @Get('index.json')
  @Public('optional')
  @ApiOperation({ summary: 'Agent Skills discovery index (RFC 0.2.0) of the published skills' })
  @AlsoReturns(200, 'The index', Index)
  @ReturnsPublicBytes()
  async getSkillIndex(@Res() reply: FastifyReply, @Req() request: FastifyRequest): Promise<void> {
    const audience = await this.audienceOf(request);
    const index = await (audience === 'public' ? this.publicIndex.get() : this.indexFor(audience));
    await send(reply, index, request.headers);
  }

  @Get(':name/SKILL.md')
  @Public('optional')
  @ApiOperation({ summary: 'One published SKILL.md, byte for byte as approved' })
  @AlsoReturns(200, 'The file', z.string(), 'text/markdown')
  @ReturnsPublicBytes()
  async getSkillFile(
    @Res() reply: FastifyReply,
    @Param('name', { schema: SkillName }) name: string,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.sendFile(reply, name, SKILL_FILE, request);
  }

  @Get(':name/references/:file')
  @Public('optional')
  @ApiOperation({ summary: 'A reference file of a long skill' })
  @AlsoReturns(200, 'The file', z.string(), 'text/markdown')
  @ReturnsPublicBytes()
  async getSkillReference(
    @Res() reply: FastifyReply,
    @Param('name', { schema: SkillName }) name: string,
    @Param('file', { schema: ReferenceFile }) file: string,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.sendFile(reply, name, `references/${file}`, request);
  }

  @Get(':name/skill.tar.gz')
  @Public('optional')
  @ApiOperation({ summary: 'All files of a long skill' })
  @AlsoReturns(200, 'A tar archive', z.string(), 'application/gzip')
  @ReturnsPublicBytes()
  async getSkillArchive(
    @Res() reply: FastifyReply,
    @Param('name', { schema: SkillName }) name: string,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.sendFile(reply, name, ARCHIVE_FILE, request);
  }

  private async indexFor(audience: Audience): Promise<ServedFile> {
    const body = `${JSON.stringify(wellKnownIndex(await this.skills.published(audience)))}\n`;
    return { type: 'application/json; charset=utf-8', body, hash: sha256(body), audience };
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
  const isCached = isKnown(headers['if-none-match'], etag);
  await (isCached ? reply.status(304).send() : reply.status(200).type(type).send(body));
}
