import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { sha256 } from '../platform/canonical-json.js';
import { Public } from '../platform/public.decorator.js';
import { SkillName } from './skills.schema.js';
import { Skills } from './skills.service.js';
import { wellKnownIndex } from './well-known.js';

const CACHE_SECONDS = 60;

/**
 * Where `npx skills` and OpenCode install from: the discovery index and each SKILL.md, with digests. They send no
 * credential, so these two routes are open; GUILDBOOK_PUBLIC_SKILLS=false closes them.
 */
@ApiTags('skills')
@Controller('.well-known/agent-skills')
export class WellKnownController {
  constructor(private readonly skills: Skills) {}

  @Get('index.json')
  @Public()
  @ApiOperation({ summary: 'Agent Skills discovery index (RFC 0.2.0) of what is published' })
  async index(@Res() reply: FastifyReply, @Headers('if-none-match') known?: string): Promise<void> {
    const body = `${JSON.stringify(wellKnownIndex(await this.skills.published()))}\n`;
    await send(reply, 'application/json; charset=utf-8', body, sha256(body), known);
  }

  @Get(':name/SKILL.md')
  @Public()
  @ApiOperation({ summary: 'One published SKILL.md, byte for byte as approved' })
  async skill(
    @Res() reply: FastifyReply,
    @Param('name', { schema: SkillName }) name: string,
    @Headers('if-none-match') known?: string,
  ): Promise<void> {
    const { artifact, artifactSha256 } = await this.skills.publishedFile(name);
    await send(reply, 'text/markdown; charset=utf-8', artifact, artifactSha256, known);
  }
}

/** The bytes, or 304 when the caller has them already: the tag is the hash that an approval stands for. */
async function send(reply: FastifyReply, type: string, body: string, hash: string, known?: string): Promise<void> {
  const tag = `"${hash}"`;
  void reply.header('etag', tag).header('cache-control', `public, max-age=${CACHE_SECONDS}`);
  const same = (known ?? '').split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
  await (same ? reply.status(304).send() : reply.status(200).type(type).send(body));
}
