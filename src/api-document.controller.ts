import {
  Controller,
  type DynamicModule,
  Get,
  Headers,
  type INestApplication,
  Inject,
  Res,
  type Type,
} from '@nestjs/common';
import { ApiExcludeController, DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { API_EXAMPLES } from './api-examples.js';
import { API_TAGS } from './api-tags.js';
import { yieldToEventLoop } from './platform/background/yielder.js';
import type { Config } from './platform/config/config.js';
import { VERSION } from './platform/config/version.js';
import { type ApiDocument, completeApiDocument } from './platform/http/api-document.js';
import { Public } from './platform/http/public.decorator.js';
import { convertSchema } from './platform/http/returns.decorator.js';
import { type StoredFile, sendStoredFile, storeFile } from './platform/http/stored-file.js';
import { CONFIG } from './platform/platform.module.js';

/**
 * Serves the API document. It is made once, at the first request: that takes a good part of a start, and most processes
 * are never asked for it.
 */
@ApiExcludeController()
@Controller('v1/openapi.json')
export class ApiDocumentController {
  /** The application, which has the routes, and its root module. Set before it listens. */
  described: { readonly application: INestApplication; readonly root: DynamicModule } | undefined;
  private stored: Promise<StoredFile> | undefined;

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  @Get()
  @Public('anonymous')
  async show(@Headers() headers: FastifyRequest['headers'], @Res() reply: FastifyReply): Promise<void> {
    this.stored ??= this.make().catch((error: unknown) => {
      this.stored = undefined;
      throw error;
    });
    await sendStoredFile(reply, headers, await this.stored);
  }

  private async make(): Promise<StoredFile> {
    if (this.described === undefined) throw new Error('the application was not set');
    const { application, root } = this.described;
    const whole = this.emptyDocument();
    const { paths } = whole;
    const schemas = {};
    for (const module of modulesIn(root)) {
      // One module in a turn of the event loop, so that other requests wait for none but that.
      await yieldToEventLoop();
      const part = SwaggerModule.createDocument(application, whole, {
        include: [module],
        // The name of a route's method is its operation id: the name of the function in a generated client.
        operationIdFactory: (_controller, method) => method,
        autoTagControllers: false,
        standardSchemaConverter: convertSchema,
      });
      // Nest's type of the document is wider. In OpenAPI 3, the parts that are read have this form.
      completeApiDocument(part as unknown as ApiDocument, API_EXAMPLES);
      for (const [path, operations] of Object.entries(part.paths)) paths[path] = { ...paths[path], ...operations };
      Object.assign(schemas, part.components?.schemas);
    }
    const document: OpenAPIObject = { ...whole, components: { ...whole.components, schemas } };
    return storeFile('application/json; charset=utf-8', Buffer.from(JSON.stringify(document)));
  }

  private emptyDocument(): OpenAPIObject {
    const builder = new DocumentBuilder()
      .setTitle('Guildbook')
      .setDescription('Finished executions in, reviewed skills out. Every error is application/problem+json.')
      .setVersion(VERSION)
      .addServer(this.config.publicUrl ?? '/')
      .addBearerAuth({
        type: 'http',
        scheme: 'bearer',
        description: 'A token of an agent, a service or a signed-in person',
      });
    for (const [name, description] of Object.entries(API_TAGS)) builder.addTag(name, description);
    return { ...builder.build(), paths: {} };
  }
}

/** The modules that a module imports, at any depth, as their decorators say: no source asks the container at run time. */
function modulesIn(root: DynamicModule): Type[] {
  const found = new Set<Type>();
  const pending: unknown[] = [...(root.imports ?? [])];
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const dynamic = typeof next === 'object' && next !== null ? next : {};
    const module = 'module' in dynamic ? dynamic.module : next;
    if (!isModule(module) || found.has(module)) continue;
    found.add(module);
    const more: unknown = Reflect.getMetadata('imports', module);
    pending.push(...('imports' in dynamic ? listOf(dynamic.imports) : []), ...listOf(more));
  }
  return [...found];
}

const isModule = (value: unknown): value is Type => typeof value === 'function';
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
