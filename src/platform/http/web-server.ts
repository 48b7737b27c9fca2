import { pipeline, Readable, type Writable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasLongList, jsonPieces } from '../background/long-json.js';
import { DomainError } from '../base/domain.errors.js';
import type { Config } from '../config/config.js';
import { REQUEST_ID_HEADER } from '../telemetry/request-id.js';
import { hostOf, isAllowedHost, isAllowedOrigin } from './allowed-hosts.js';
import { type JsonBounds, jsonProblem } from './json-bounds.js';
import { encodeAsRequest, keepProtobuf, otlpSignalOf, PROTOBUF_TYPES } from './otlp-route.js';
import { type Problem, STATUS_TITLES } from './problem.schema.js';
import { prototypeKeyIn } from './prototype-keys.js';
import { type Server, watchRequests } from './request-log.js';
import { setSecurityHeaders } from './security-headers.js';

/** Decides whether the body of a request is read at all, before any of it is. */
export interface BodyAdmission {
  /** Rejects with the error for the caller. */
  beforeReading(request: FastifyRequest): Promise<void>;
  /** `bytes`: of the body, unpacked. */
  afterReading(request: FastifyRequest, bytes: number): void;
}

/** Deeper than any body of the API, so that a recursive parser or check never gets a deeper one. */
export const MAX_JSON_DEPTH = 8;

/**
 * Handles URLs that no route can match (a name above the length limit, an invalid escape). No hook runs for them, and
 * the web server's own response would repeat the URL to a browser without security headers.
 */
export function rejectInvalidUrl(_error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  setSecurityHeaders({ request: request.raw, answer: reply.raw }, 'api', false);
  reply.header(REQUEST_ID_HEADER, request.id);
  const code = 'route.not_found';
  const type = `urn:guildbook:problem:${code}`;
  const problem: Problem = {
    type,
    title: STATUS_TITLES[404] ?? 'Error',
    status: 404,
    code,
    detail: 'There is no such route.',
    requestId: request.id,
  };
  void reply
    .code(404)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .send(JSON.stringify(problem));
}

/** Such a key has no meaning in any format that is read here, and reaches into objects elsewhere. */
export const prototypeKeyError = (key: string): DomainError =>
  new DomainError('invalid', 'request.malformed_json', `The JSON holds the key "${key}", which is refused.`, [
    { field: key, message: 'is not allowed as a name' },
  ]);

class UnsupportedMediaType extends Error {
  readonly code = 'FST_ERR_CTP_INVALID_MEDIA_TYPE';
  readonly statusCode = 415;
}

/** Formats of other tools are deeper or have more values; their routes set `jsonDepth` and `jsonValues`. */
function jsonBoundsOf(route: object, values: number): JsonBounds {
  return {
    depth: 'jsonDepth' in route && typeof route.jsonDepth === 'number' ? route.jsonDepth : MAX_JSON_DEPTH,
    values: 'jsonValues' in route && typeof route.jsonValues === 'number' ? route.jsonValues : values,
  };
}

/**
 * Unzips a body. The web server checks the unzipped size against the body limit, so that a small zip bomb counts as a
 * large body.
 */
function unzipped(payload: Readable, answer: Writable): Readable & { receivedEncodedLength: number } {
  const encoded = { receivedEncodedLength: 0 };
  payload.on('data', (chunk: Buffer) => {
    encoded.receivedEncodedLength += chunk.length;
  });
  const plain = Object.defineProperty(createGunzip(), 'receivedEncodedLength', {
    get: () => encoded.receivedEncodedLength,
  });
  pipeline(payload, plain, () => undefined);
  // Stops reading a body that is too large.
  answer.once('close', () => plain.destroy());
  // defineProperty returns the type of its argument.
  return plain as Gunzip & { receivedEncodedLength: number };
}

/** Time that active requests have to finish when the server stops. */
const CLOSE_GRACE_MS = 5_000;

/** Why a request does not come to this server or from one of its pages; undefined if it does. */
function wrongAddress(request: FastifyRequest, config: Pick<Config, 'publicUrl' | 'host'>): DomainError | undefined {
  const { host, origin, cookie } = request.headers;
  // Behind a trusted proxy, `request.host` is the host that the client asked the proxy for. Browsers always name one.
  if (host !== undefined && !isAllowedHost(hostOf(request.host), config))
    return new DomainError(
      'misdirected',
      'request.wrong_host',
      'This server does not answer to this host name. Set GUILDBOOK_PUBLIC_URL to the address that people open, or use ' +
        'the address that the server listens on.',
    );
  // Requests with a cookie have to come from exactly our origin, which the guard checks and journals.
  // A route with `anyOrigin` gives everyone the same public text.
  const anyOrigin = 'anyOrigin' in request.routeOptions.config;
  if (origin !== undefined && cookie === undefined && !anyOrigin && !isAllowedOrigin(origin, config))
    return new DomainError(
      'forbidden',
      'access.cross_origin',
      'This request comes from a page of another site. If it is a page of this server, set GUILDBOOK_PUBLIC_URL to its ' +
        'address.',
    );
  return undefined;
}

/**
 * Accepts only JSON bodies, gzipped or not and of limited depth; forms, JSON lines and protobuf only where a route
 * declares them.
 * Sets the security headers of every response, and logs each request. `admission` is asked before a body is read.
 */
export function hardenServer(
  server: Server,
  config: Pick<Config, 'publicUrl' | 'host' | 'bodyLimitValues'>,
  admission?: BodyAdmission,
): void {
  watchRequests(server);
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser(['text/plain', 'application/json']);
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if ('takesLines' in request.routeOptions.config) return done(new UnsupportedMediaType());
    const text = String(body);
    admission?.afterReading(request, text.length);
    const problem = jsonProblem(text, jsonBoundsOf(request.routeOptions.config, config.bodyLimitValues));
    if (problem !== undefined) done(new DomainError('invalid', problem.code, `The body ${problem.detail}.`));
    else
      parse(request, text, (error: Error | null, parsed?: unknown) => {
        const key = error ? undefined : prototypeKeyIn(text, parsed);
        if (key === undefined) done(error, parsed);
        else done(prototypeKeyError(key));
      });
  });
  server.addContentTypeParser('application/x-ndjson', { parseAs: 'string' }, (request, body, done) => {
    const text = String(body);
    admission?.afterReading(request, text.length);
    // Passed on unparsed: the route reports invalid lines.
    if ('takesLines' in request.routeOptions.config) done(null, text);
    else done(new UnsupportedMediaType());
  });
  server.addContentTypeParser(PROTOBUF_TYPES, { parseAs: 'buffer' }, (request, body, done) => {
    admission?.afterReading(request, body.length);
    // Passed on undecoded: a thread decodes it.
    if (otlpSignalOf(request) !== undefined) done(null, keepProtobuf(request, Buffer.from(body)));
    else done(new UnsupportedMediaType());
  });
  server.addHook('preHandler', (request, reply, done) => {
    encodeAsRequest(request, reply);
    done();
  });
  server.addHook('preSerialization', async (_request, reply, payload: unknown) => {
    if (!hasLongList(payload)) return payload;
    // The stream is what is sent.
    reply.serializer((pieces) => pieces);
    return Readable.from(jsonPieces(payload));
  });
  if (admission !== undefined) server.addHook('preParsing', async (request) => admission.beforeReading(request));
  server.addHook('preParsing', (request, reply, payload, done) => {
    const encoding = request.headers['content-encoding'];
    if (encoding === undefined || encoding === 'identity') done(null, payload);
    else if (encoding === 'gzip') done(null, unzipped(payload, reply.raw));
    else done(new UnsupportedMediaType());
  });
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (request, body, done) => {
    // A page of another site can send a form without a preflight request, so only a route that expects one and checks
    // its origin reads it.
    if ('takesForm' in request.routeOptions.config) done(null, Object.fromEntries(new URLSearchParams(String(body))));
    else done(new UnsupportedMediaType());
  });
  // A client that sends half a request, or does not read its response, would keep the server from stopping.
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
    // The headers are set first, so that the refusal has them.
    done(wrongAddress(request, config));
  });
  server.addHook('onSend', async (request, reply, payload) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    // Otherwise the answer ends at once and the stream is read to its end, outside the limits of the caller.
    if (request.method === 'HEAD' && payload instanceof Readable) payload.destroy();
  });
}
