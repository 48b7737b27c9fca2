import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Public } from '../../platform/http/public.decorator.js';
import { ASSETS } from './assets.view.js';

const FileName = z.string().regex(/^[a-z]{1,20}(?:-[0-9a-f]{12})?\.(?:css|js|svg)$/);

/** Serves the style sheet and the script. Public: they contain no secret, and the sign-in page needs them. */
@ApiExcludeController()
@Controller('console')
@Public()
export class AssetsController {
  @Get(':file')
  async serve(
    @Param('file', { schema: FileName }) file: string,
    @Headers('accept-encoding') accepted: string | undefined,
    @Headers('if-none-match') known: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const asset = ASSETS.get(file);
    if (!asset) throw new DomainError('not_found', 'route.not_found', `There is no file ${file}.`);
    const age = asset.immutable ? 'public, max-age=31536000, immutable' : 'public, no-cache';
    void reply.headers({ etag: asset.etag, 'cache-control': age, vary: 'accept-encoding' });
    if (known?.includes(asset.etag)) return void (await reply.status(304).send());
    const encoding = encodingFor(accepted ?? '');
    if (encoding !== 'identity') void reply.header('content-encoding', encoding);
    await reply.type(asset.type).send(asset.bytes[encoding]);
  }
}

function encodingFor(accepted: string): 'identity' | 'gzip' | 'br' {
  const names = accepted.split(',').map((part) => part.trim().toLowerCase());
  if (names.some((name) => name === 'br')) return 'br';
  return names.some((name) => name === 'gzip') ? 'gzip' : 'identity';
}
