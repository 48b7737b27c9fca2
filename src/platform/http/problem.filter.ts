import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, type ErrorKind, type FieldError } from '../base/domain.errors.js';
import { messageOf, stackOf } from '../base/error-text.js';
import { reportDamage } from '../database/damaged-rows.js';
import { isOutage } from '../database/outage.js';
import { encodeStatus } from '../otlp/otlp-answer.js';
import { encodingOf, otlpSignalOf, PROTOBUF } from './otlp-route.js';
import { type Problem, STATUS_TITLES } from './problem.schema.js';

const STATUS: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  media_type: 415,
  misdirected: 421,
  rate_limited: 429,
  not_supported: 501,
  unavailable: 503,
};

export interface ErrorResponse {
  status: number;
  code: string;
  detail: string;
  errors?: readonly FieldError[];
  /** When the same request may be sent again. */
  retryAfterSeconds?: number;
}

/** The pause after which a request that met an outage may be repeated. */
const OUTAGE_RETRY_AFTER_S = 5;

const FASTIFY_CODES: Record<string, Omit<ErrorResponse, 'status'>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'request.too_large', detail: 'The request body exceeds the size limit.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'request.media_type',
    detail: 'Send application/json, or another media type that this route accepts.',
  },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'request.malformed_json', detail: 'The body is not valid JSON.' },
  FST_ERR_CTP_EMPTY_JSON_BODY: {
    code: 'request.malformed_json',
    detail: 'The request body is empty, but its media type is JSON.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'request.length', detail: 'Content-Length does not match the body.' },
};

/** Nest passes on an error of the web server only as its status and message. */
const BY_STATUS: Record<number, string> = {
  400: 'request.malformed_json',
  404: 'route.not_found',
  413: 'request.too_large',
  415: 'request.media_type',
};

/**
 * Sends every error as problem+json, or in the form of OTLP/HTTP on its routes. An unexpected error never shows its
 * message, which may hold untrusted text.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const answer = this.toResponse(error);
    if (answer.retryAfterSeconds !== undefined) void reply.header('retry-after', String(answer.retryAfterSeconds));
    if (answer.status === 401) void reply.header('www-authenticate', 'Bearer realm="guildbook"');
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    void reply.status(answer.status);
    if (otlpSignalOf(request) === undefined) sendProblem(reply, answer, request.id);
    else sendStatus(reply, answer, encodingOf(request));
  }

  /** Returns the part of an error that a caller may read. Logs unexpected errors. */
  protected toResponse(error: unknown): ErrorResponse {
    // Nest wraps Fastify's errors; the identifying code is in the cause.
    const cause = error instanceof HttpException ? (error.cause ?? error) : error;
    if (cause instanceof DomainError) {
      const pause = cause.retryAfterSeconds ?? (cause.kind === 'unavailable' ? OUTAGE_RETRY_AFTER_S : undefined);
      return {
        status: STATUS[cause.kind],
        code: cause.code,
        detail: cause.message,
        errors: cause.fields,
        ...(pause === undefined ? {} : { retryAfterSeconds: pause }),
      };
    }
    const { code, statusCode } = errorFieldsOf(cause);
    const known = code === undefined ? undefined : FASTIFY_CODES[code];
    if (known && statusCode !== undefined) return { status: statusCode, ...known };
    if (error instanceof SyntaxError && statusCode === 400)
      return { status: 400, code: 'request.malformed_json', detail: `The body is not valid JSON: ${error.message}` };
    if (error instanceof HttpException && error.getStatus() < 500)
      return {
        status: error.getStatus(),
        code: BY_STATUS[error.getStatus()] ?? 'request.refused',
        detail: error.message,
      };
    if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
      return { status: statusCode, code: 'request.refused', detail: 'The request was refused.' };
    if (isOutage(cause)) {
      this.logger.error(`the database is not available: ${messageOf(cause)}`);
      return {
        status: 503,
        code: 'database.unavailable',
        detail: 'The database is not available at the moment. Try again; the server log has the details.',
        retryAfterSeconds: OUTAGE_RETRY_AFTER_S,
      };
    }
    reportDamage(cause);
    this.logger.error(stackOf(error));
    return { status: 500, code: 'internal', detail: 'Internal error. The server log has the details.' };
  }
}

function errorFieldsOf(error: unknown): { code?: string; statusCode?: number } {
  if (typeof error !== 'object' || error === null) return {};
  return {
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...('statusCode' in error && typeof error.statusCode === 'number' ? { statusCode: error.statusCode } : {}),
  };
}

function sendProblem(reply: FastifyReply, answer: ErrorResponse, requestId: string): void {
  const problem: Problem = {
    type: `urn:guildbook:problem:${answer.code}`,
    title: STATUS_TITLES[answer.status] ?? 'Error',
    status: answer.status,
    code: answer.code,
    detail: answer.detail,
    requestId,
    ...(answer.errors && answer.errors.length > 0 ? { errors: [...answer.errors] } : {}),
  };
  void reply.type('application/problem+json').send(problem);
}

function sendStatus(reply: FastifyReply, answer: ErrorResponse, encoding: 'json' | 'protobuf'): void {
  void reply.type(encoding === 'json' ? 'application/json' : PROTOBUF).send(encodeStatus(answer, encoding));
}
