import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SECOND_MS } from '../base/durations.js';
import { count, measure } from '../telemetry/metrics.js';
import { REQUEST_ID_HEADER } from '../telemetry/request-id.js';
import { runInWork, startSpan, type WorkContext } from '../telemetry/spans.js';

export type Server = ReturnType<ReturnType<NestFastifyApplication['getHttpAdapter']>['getInstance']>;

/** Health checks come every few seconds, so that only slow and failed ones are worth a line. */
const SLOW_HEALTH_CHECK_MS = 1_000;
const HEALTH_ROUTES: readonly string[] = ['/healthz', '/readyz'];

/** The route of a request that no route matched. Its path is a text from outside, and is neither logged nor counted. */
const UNMATCHED = 'unmatched';

/** Methods that routes have; another one is a text from outside. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** What a log and a metric may say about a request: nothing of its path, query, headers or body. */
interface HandledRequest {
  readonly method: string;
  /** The pattern, such as `/v1/proposals/:id`. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
}

/** The guard adds the caller to the request. Its id was made by this server. */
interface Identified {
  readonly caller?: { readonly kind: string; readonly id: string };
}

const routeOf = (request: FastifyRequest): Pick<HandledRequest, 'method' | 'route'> => ({
  method: METHODS.includes(request.method) ? request.method : 'other',
  route: request.routeOptions.url ?? UNMATCHED,
});

function handledRequest(request: FastifyRequest, reply: FastifyReply): HandledRequest {
  return {
    ...routeOf(request),
    status: reply.statusCode,
    milliseconds: Math.round(reply.elapsedTime * 10) / 10,
  };
}

function isQuiet({ route, status, milliseconds }: HandledRequest): boolean {
  return HEALTH_ROUTES.includes(route) && status < 500 && milliseconds < SLOW_HEALTH_CHECK_MS;
}

/** Starts the span of a request. A caller's `traceparent` makes it a part of the caller's trace. */
function contextOf(request: FastifyRequest): WorkContext {
  const { method, route } = routeOf(request);
  const { traceparent } = request.headers;
  const span = startSpan(`${method} ${route}`, {
    kind: 'server',
    attributes: { 'http.request.method': method, 'http.route': route, 'guildbook.request_id': request.id },
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
  });
  return { requestId: request.id, ...(span === undefined ? {} : { span }) };
}

function record(handled: HandledRequest, { span }: WorkContext): void {
  const { method, route, status, milliseconds } = handled;
  count('guildbook_http_requests_total', { method, route, status: String(status) });
  measure('guildbook_http_request_duration_seconds', milliseconds / SECOND_MS, { method, route });
  span?.set({ 'http.response.status_code': status });
  if (status >= 500) span?.fail(String(status));
  span?.end();
}

/**
 * Gives each request an id, which its answer and the lines of its work carry. When it has ended, logs one line, counts it
 * and ends its span.
 */
export function watchRequests(server: Server): void {
  const logger = new Logger('Request');
  const contexts = new WeakMap<FastifyRequest, WorkContext>();
  server.addHook('onRequest', (request, reply, done) => {
    const context = contextOf(request);
    contexts.set(request, context);
    reply.header(REQUEST_ID_HEADER, request.id);
    if (context.span !== undefined) reply.header('traceresponse', context.span.traceparent);
    runInWork(context, () => done());
  });
  server.addHook('preValidation', (request, _reply, done) => {
    // Reading the body continues in the context of the connection, which other requests share.
    runInWork(contexts.get(request) ?? {}, () => done());
  });
  server.addHook('onResponse', (request: FastifyRequest & Identified, reply, done) => {
    const handled = handledRequest(request, reply);
    const { method, route, status, milliseconds: ms } = handled;
    const context = contexts.get(request) ?? {};
    const caller = request.caller === undefined ? {} : { caller: `${request.caller.kind}:${request.caller.id}` };
    // A client that left before it was answered.
    const left = reply.raw.writableFinished ? {} : { aborted: 'true' };
    if (!isQuiet(handled))
      runInWork(context, () => logger.log('request', { method, route, status, ms, ...caller, ...left }));
    record(handled, context);
    done();
  });
}
