import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { sha256 } from '../platform/canonical-json.js';
import { Public } from '../platform/public.decorator.js';
import { SKILL_FILE } from './bundle.js';
import { ReferenceFile, SkillName } from './skills.schema.js';
import { Skills } from './skills.service.js';
import { ARCHIVE_FILE, wellKnownIndex } from './well-known.js';

const CACHE_SECONDS = 60;

/**
 * Where `npx skills` and OpenCode install from: the discovery index and each SKILL.md, with digests. They send no
 * credential, so these routes are open; GUILDBOOK_PUBLIC_SKILLS=false closes them.
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
    await this.sendFile(reply, name, SKILL_FILE, known);
  }

  @Get(':name/references/:file')
  @Public()
  @ApiOperation({ summary: 'A reference file of a long skill' })
  async reference(
    @Res() reply: FastifyReply,
    @Param('name', { schema: SkillName }) name: string,
    @Param('file', { schema: ReferenceFile }) file: string,
    @Headers('if-none-match') known?: string,
  ): Promise<void> {
    await this.sendFile(reply, name, `references/${file}`, known);
  }

  @Get(':name/skill.tar.gz')
  @Public()
  @ApiOperation({ summary: 'All files of a long skill' })
  async archive(
    @Res() reply: FastifyReply,
    @Param('name', { schema: SkillName }) name: string,
    @Headers('if-none-match') known?: string,
  ): Promise<void> {
    await this.sendFile(reply, name, ARCHIVE_FILE, known);
  }

  private async sendFile(reply: FastifyReply, name: string, path: string, known?: string): Promise<void> {
    const file = await this.skills.publishedFile(name, path);
    const type = typeof file === 'string' ? 'text/markdown; charset=utf-8' : 'application/gzip';
    await send(reply, type, file, sha256(file), known);
  }
}

/** The bytes, or 304 when the caller has them already: the tag is their hash. */
async function send(
  reply: FastifyReply,
  type: string,
  body: string | Buffer,
  hash: string,
  known?: string,
): Promise<void> {
  const tag = `"${hash}"`;
  void reply.header('etag', tag).header('cache-control', `public, max-age=${CACHE_SECONDS}`);
  const same = (known ?? '').split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
  await (same ? reply.status(304).send() : reply.status(200).type(type).send(body));
}
