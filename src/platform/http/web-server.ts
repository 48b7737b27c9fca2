import { pipeline, type Readable, type Writable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../base/domain.errors.js';
import { isDeeperThan } from '../base/json-depth.js';
import type { Config } from '../config/config.js';
import { type Problem, STATUS_TITLES } from './problem.schema.js';
import { setSecurityHeaders } from './security-headers.js';

type Server = ReturnType<ReturnType<NestFastifyApplication['getHttpAdapter']>['getInstance']>;

/** Deeper than anything that the API takes; a parser or a check that recurses never meets more. */
export const MAX_JSON_DEPTH = 8;

/**
 * For addresses that no route can have (a name longer than any, an escape that is none): no hook runs for them, and the
 * web server's own answer would repeat the address to a browser that is not told what it may do with it.
 */
export function rejectInvalidUrl(_error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  setSecurityHeaders({ request: request.raw, answer: reply.raw }, 'api', false);
  const code = 'route.not_found';
  const type = `urn:guildbook:problem:${code}`;
  const problem: Problem = {
    type,
    title: STATUS_TITLES[404] ?? 'Error',
    status: 404,
    code,
    detail: 'There is no such address.',
  };
  void reply
    .code(404)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .send(JSON.stringify(problem));
}

class UnsupportedMediaType extends Error {
  readonly code = 'FST_ERR_CTP_INVALID_MEDIA_TYPE';
  readonly statusCode = 415;
}

/** Formats of others are deeper: their route says so. */
function maxJsonDepthOf(config: object): number {
  return 'jsonDepth' in config && typeof config.jsonDepth === 'number' ? config.jsonDepth : MAX_JSON_DEPTH;
}

/** The web server counts what comes out against the size limit of bodies: a small bomb is a large body. */
function unzipped(payload: Readable, answer: Writable): Readable & { receivedEncodedLength: number } {
  const encoded = { receivedEncodedLength: 0 };
  payload.on('data', (chunk: Buffer) => {
    encoded.receivedEncodedLength += chunk.length;
  });
  const plain = Object.defineProperty(createGunzip(), 'receivedEncodedLength', {
    get: () => encoded.receivedEncodedLength,
  });
  pipeline(payload, plain, () => undefined);
  // What was too large is not read to its end.
  answer.once('close', () => plain.destroy());
  // defineProperty keeps the type of what it is given.
  return plain as Gunzip & { receivedEncodedLength: number };
}

const PROTOBUF = ['application/x-protobuf', 'application/protobuf'];
/** An exporter of OpenTelemetry sends it unless it is told otherwise, and shows this answer in its log. */
const NO_PROTOBUF =
  'Send application/json, gzipped or not: protobuf is not taken. An exporter of OpenTelemetry does so with ' +
  'OTEL_EXPORTER_OTLP_PROTOCOL=http/json; where it cannot, a collector between does, by otlphttp with encoding: json.';

/** What is under way has this long to end when the server stops. */
const CLOSE_GRACE_MS = 5_000;

/** JSON, perhaps gzipped, is the only body (but for forms and for lines of JSON, where a route says that it takes them), and not nested without end; every answer says how little a browser may do with it. */
export function hardenServer(server: Server, config: Pick<Config, 'publicUrl'>): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser(['text/plain', 'application/json']);
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if ('takesLines' in request.routeOptions.config) return done(new UnsupportedMediaType());
    const text = String(body);
    const limit = maxJsonDepthOf(request.routeOptions.config);
    if (isDeeperThan(limit, text))
      done(new DomainError('invalid', 'request.too_deep', `The body is nested more than ${limit} deep.`));
    else parse(request, text, done);
  });
  server.addContentTypeParser('application/x-ndjson', { parseAs: 'string' }, (request, body, done) => {
    // As it is: what is wrong with a line is the answer of the route.
    if ('takesLines' in request.routeOptions.config) done(null, String(body));
    else done(new UnsupportedMediaType());
  });
  server.addContentTypeParser(PROTOBUF, { parseAs: 'buffer' }, (_request, _body, done) => {
    done(new DomainError('media_type', 'request.media_type', NO_PROTOBUF));
  });
  server.addHook('preParsing', (request, reply, payload, done) => {
    const encoding = request.headers['content-encoding'];
    if (encoding === undefined || encoding === 'identity') done(null, payload);
    else if (encoding === 'gzip') done(null, unzipped(payload, reply.raw));
    else done(new UnsupportedMediaType());
  });
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (request, body, done) => {
    // A foreign page can send a form without asking: only a route that expects one, and knows its origin, reads it.
    if ('takesForm' in request.routeOptions.config) done(null, Object.fromEntries(new URLSearchParams(String(body))));
    else done(new UnsupportedMediaType());
  });
  // A client that sends half a request, or does not read its answer, would keep the server from ever stopping.
  server.addHook('preClose', (done) => {
    setTimeout(() => server.server.closeAllConnections(), CLOSE_GRACE_MS).unref();
    done();
  });
  const isSecure = config.publicUrl?.startsWith('https:') === true;
  server.addHook('onRequest', (request, reply, done) => {
    const isDocumentation = /^\/v1\/docs(\/|$)/.test(request.routeOptions.url ?? '');
    setSecurityHeaders(
      { request: request.raw, answer: reply.raw },
      isDocumentation ? 'documentation' : 'api',
      isSecure || request.protocol === 'https',
    );
    done();
  });
  server.addHook('onSend', async (_request, reply) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  });
}
