import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { pipeline, Readable, type Writable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import helmet, { type HelmetOptions } from 'helmet';
import { hasLongList, jsonPieces } from '../background/long-json.js';
import { DomainError } from '../base/domain.errors.js';
import type { Config } from '../config/config.js';
import { REQUEST_ID_HEADER } from '../telemetry/request-id.js';
import { type JsonBounds, jsonProblem } from './json-bounds.js';
import { encodeAsRequest, keepProtobuf, otlpSignalOf, PROTOBUF_TYPES } from './otlp-route.js';
import { type Problem, STATUS_TITLES } from './problem.schema.js';
import { type Server, watchRequests } from './request-log.js';

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

const WILDCARDS = new Set(['0.0.0.0', '::']);
const LOOPBACK =
  /^(?:localhost|(?:.{1,200}\.)?localhost|127(?:\.\d{1,3}){3}|::1|0:0:0:0:0:0:0:1|::ffff:127(?:\.\d{1,3}){3})$/;

/** Returns the host of a `Host` header or an authority, without port, brackets and a last dot; undefined if it has none. */
export function hostOf(authority: string): string | undefined {
  const [, bracketed, plain] =
    /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([^\s:/?#@[\]]{1,253}))(?::\d{1,5})?$/.exec(authority) ?? [];
  return (bracketed ?? plain)?.toLowerCase().replace(/\.$/, '');
}

/**
 * Whether a request may name this host. A page of another site reaches this server under its own name if that name
 * resolves to this machine (DNS rebinding), and then counts as one of our pages: the name gives it away. So only the
 * names of this server pass: loopback, the address that it listens on, and the public URL. A server that listens on
 * every address also answers to its host name and to any address, which no other site can have as its name.
 */
export function isAllowedHost(
  host: string | undefined,
  config: Pick<Config, 'host' | 'publicUrl'>,
  machine = hostname(),
): boolean {
  if (host === undefined) return false;
  if (LOOPBACK.test(host)) return true;
  if (config.publicUrl !== undefined && host === hostOf(new URL(config.publicUrl).host)) return true;
  if (!WILDCARDS.has(config.host)) return host === config.host.toLowerCase();
  return isIP(host) !== 0 || host === machine.toLowerCase();
}

/** Whether a page of this origin may send requests: one that a browser would show under an allowed host. */
export function isAllowedOrigin(origin: string, config: Pick<Config, 'host' | 'publicUrl'>): boolean {
  const authority = /^https?:\/\/([^/?#]{1,300})$/.exec(origin)?.[1];
  return authority !== undefined && isAllowedHost(hostOf(authority), config);
}

/** Keys with which JSON from outside could reach the prototype of an object. */
const PROTOTYPE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
/** A text without these holds none of the keys, so that most texts are not walked through. `\u` may spell them. */
const MAY_HOLD = /__proto__|constructor|prototype|\\u/;

/** Returns the first such key of a parsed text, at any depth; undefined if there is none. */
export function prototypeKeyIn(text: string, parsed: unknown): string | undefined {
  if (!MAY_HOLD.test(text)) return undefined;
  const open: unknown[] = [parsed];
  for (let value = open.pop(); value !== undefined || open.length > 0; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      if (!Array.isArray(value) && PROTOTYPE_KEYS.has(key)) return key;
      if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
  return undefined;
}

type Policy = 'api' | 'documentation';

const DIRECTIVES: Record<Policy, Record<string, readonly string[]>> = {
  api: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  /** Swagger UI sets inline styles and embeds its images. */
  documentation: {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ["'self'", 'data:'],
    'font-src': ["'self'"],
    'connect-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
  },
};

/** Helmet has no option for this header. */
const PERMISSIONS = 'camera=(), geolocation=(), microphone=(), payment=(), usb=()';

const OPTIONS: HelmetOptions = {
  frameguard: { action: 'deny' },
  hsts: false,
  // Only for obsolete browsers, or without effect because no page loads anything from another origin.
  dnsPrefetchControl: false,
  ieNoOpen: false,
  originAgentCluster: false,
  xssFilter: false,
};

// Prepared once: helmet validates its options on each call.
const HEADERS = {
  api: helmet({ ...OPTIONS, contentSecurityPolicy: { useDefaults: false, directives: DIRECTIVES.api } }),
  documentation: helmet({
    ...OPTIONS,
    contentSecurityPolicy: { useDefaults: false, directives: DIRECTIVES.documentation },
  }),
};
const HSTS = helmet.hsts({ maxAge: 31_536_000, includeSubDomains: false });

/**
 * Sets the security headers of a response. A route may replace a header with one that suits its page. `isSecure` means
 * that the browser uses https; HSTS then keeps it on https for a year.
 */
function setSecurityHeaders(
  { request, answer }: { request: IncomingMessage; answer: ServerResponse },
  policy: Policy,
  isSecure: boolean,
): void {
  HEADERS[policy](request, answer, rethrow);
  answer.setHeader('permissions-policy', PERMISSIONS);
  if (isSecure) HSTS(request, answer, rethrow);
}

/** The callback of helmet's middlewares, which run synchronously and pass an error to `next`. */
function rethrow(error?: unknown): void {
  if (error) throw error;
}
