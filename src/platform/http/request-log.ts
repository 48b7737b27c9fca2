import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { runInRequest } from '../telemetry/request-context.js';
import { REQUEST_ID_HEADER } from './request-id.js';

export type Server = ReturnType<ReturnType<NestFastifyApplication['getHttpAdapter']>['getInstance']>;

/** Health checks come every few seconds, so that only slow and failed ones are worth a line. */
const SLOW_HEALTH_CHECK_MS = 1_000;
const HEALTH_ROUTES: readonly string[] = ['/healthz', '/readyz'];

/** The route of a request that no route matched. Its path is a text from outside, and is neither logged nor counted. */
const UNMATCHED = 'unmatched';

/** Methods that routes have; another one is a text from outside. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** What a log and a metric may say about a request: nothing of its path, query, headers or body. */
export interface HandledRequest {
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

export function handledRequest(request: FastifyRequest, reply: FastifyReply): HandledRequest {
  return {
    method: METHODS.includes(request.method) ? request.method : 'other',
    route: request.routeOptions.url ?? UNMATCHED,
    status: reply.statusCode,
    milliseconds: Math.round(reply.elapsedTime * 10) / 10,
  };
}

function isQuiet({ route, status, milliseconds }: HandledRequest): boolean {
  return HEALTH_ROUTES.includes(route) && status < 500 && milliseconds < SLOW_HEALTH_CHECK_MS;
}

/** Gives each request an id, which its answer and the lines of its work carry, and logs one line when it has ended. */
export function logRequests(server: Server): void {
  const logger = new Logger('Request');
  server.addHook('onRequest', (request, reply, done) => {
    reply.header(REQUEST_ID_HEADER, request.id);
    runInRequest({ id: request.id }, done);
  });
  // Reading the body continues in the context of the connection, which other requests share.
  server.addHook('preValidation', (request, _reply, done) => runInRequest({ id: request.id }, done));
  server.addHook('onResponse', (request: FastifyRequest & Identified, reply, done) => {
    const handled = handledRequest(request, reply);
    const { method, route, status, milliseconds: ms } = handled;
    const caller = request.caller === undefined ? {} : { caller: `${request.caller.kind}:${request.caller.id}` };
    // A client that left before it was answered.
    const left = reply.raw.writableFinished ? {} : { aborted: 'true' };
    if (!isQuiet(handled))
      runInRequest({ id: request.id }, () => logger.log('request', { method, route, status, ms, ...caller, ...left }));
    done();
  });
}
