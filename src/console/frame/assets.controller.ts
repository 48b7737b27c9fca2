import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Public } from '../../platform/http/public.decorator.js';
import { sendStoredFile } from '../../platform/http/stored-file.js';
import { ASSETS } from './assets.view.js';

const FileName = z.string().regex(/^[a-z]{1,20}(?:-[0-9a-f]{12})?\.(?:css|js|svg)$/);

/** Serves the style sheet and the script. Public: they contain no secret, and the sign-in page needs them. */
@ApiExcludeController()
@Controller('console')
@Public('anonymous')
export class AssetsController {
  @Get(':file')
  async serve(
    @Param('file', { schema: FileName }) file: string,
    @Headers() headers: FastifyRequest['headers'],
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const asset = ASSETS.get(file);
    if (!asset) throw new DomainError('not_found', 'route.not_found', `There is no file ${file}.`);
    const age = asset.immutable ? 'public, max-age=31536000, immutable' : undefined;
    await sendStoredFile(reply, headers, asset.file, age);
  }
}
