import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Controller, Get, Headers, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../platform/base/domain.errors.js';
import { Public } from '../../platform/http/public.decorator.js';
import { type StoredFile, sendStoredFile, storeFile } from '../../platform/http/stored-file.js';

const ofSwagger = createRequire(createRequire(import.meta.url).resolve('@nestjs/swagger'));
const ours = (file: string) => fileURLToPath(new URL(`../assets/${file}`, import.meta.url));
const theirs = (file: string) => ofSwagger.resolve(`swagger-ui-dist/${file}`);

const PAGE = 'api.html';
/** The page, and what it loads beside the API document: media type, and where the file is. */
const FILES: Readonly<Record<string, readonly [type: string, path: (file: string) => string]>> = {
  [PAGE]: ['text/html; charset=utf-8', ours],
  'api.js': ['text/javascript; charset=utf-8', ours],
  'swagger-ui.css': ['text/css; charset=utf-8', theirs],
  'swagger-ui-bundle.js': ['text/javascript; charset=utf-8', theirs],
};

/** The page that shows the API document. Public, as the document is. */
@ApiExcludeController()
@Controller('v1/docs')
export class ApiPageController {
  private readonly stored = new Map<string, Promise<StoredFile>>();

  @Get(['', ':file'])
  @Public('anonymous')
  async serve(
    @Headers() headers: FastifyRequest['headers'],
    @Res() reply: FastifyReply,
    @Param('file') file = PAGE,
  ): Promise<void> {
    const [type, path] = (Object.hasOwn(FILES, file) && FILES[file]) || [];
    if (type === undefined || path === undefined)
      throw new DomainError('not_found', 'route.not_found', 'There is no such file.');
    // Read at the first request, because most processes are never asked for them.
    const stored = this.stored.get(file) ?? readFile(path(file)).then((bytes) => storeFile(type, bytes));
    this.stored.set(file, stored);
    stored.catch(() => this.stored.delete(file));
    await sendStoredFile(reply, headers, await stored);
  }
}
