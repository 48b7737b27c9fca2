import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type ArgumentsHost,
  BadRequestException,
  Logger,
  NotFoundException,
  ServiceUnavailableException,
} from '@nestjs/common';
import { DomainError, type ErrorKind } from '../base/domain.errors.js';
import { ProblemFilter } from './problem.filter.js';
import { Problem } from './problem.schema.js';

interface Answer {
  status: number;
  type: string;
  headers: Record<string, string>;
  problem: Problem;
}

/** Returns the response for an error. */
function answerTo(error: unknown): Answer {
  const answer: Partial<Answer> & { headers: Record<string, string> } = { headers: {} };
  const reply = {
    header(name: string, value: string) {
      answer.headers[name] = value;
      return reply;
    },
    status(status: number) {
      answer.status = status;
      return reply;
    },
    type(type: string) {
      answer.type = type;
      return reply;
    },
    send(problem: unknown) {
      answer.problem = Problem.parse(problem);
      return reply;
    },
  };
  // The filter uses only the reply of the host, and which route its request is for.
  const request = { routeOptions: { config: {} }, headers: {} };
  const http = { getResponse: () => reply, getRequest: () => request };
  const host = { switchToHttp: () => http } as unknown as ArgumentsHost;
  new ProblemFilter().catch(error, host);
  // `send` and the calls before it set all four.
  return answer as Answer;
}

describe('an error that leaves the server', () => {
  let logged: string[];

  beforeEach(() => {
    logged = [];
    jest.spyOn(Logger.prototype, 'error').mockImplementation((message: unknown) => logged.push(String(message)));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each<[ErrorKind, number]>([
    ['invalid', 400],
    ['unauthenticated', 401],
    ['forbidden', 403],
    ['not_found', 404],
    ['conflict', 409],
    ['precondition_failed', 412],
    ['too_large', 413],
    ['unavailable', 503],
  ])('is problem+json: %s is %d', (kind, status) => {
    const answer = answerTo(new DomainError(kind, 'thing.wrong', 'This is wrong.'));
    expect(answer).toMatchObject({
      status,
      type: 'application/problem+json',
      problem: { type: 'urn:guildbook:problem:thing.wrong', status, code: 'thing.wrong', detail: 'This is wrong.' },
    });
    expect(answer.problem.title).not.toBe('Error');
    expect(logged).toEqual([]);
  });

  it('names the authentication scheme for 401 only', () => {
    expect(answerTo(new DomainError('unauthenticated', 'access.unknown', 'No.')).headers).toHaveProperty(
      'www-authenticate',
    );
    expect(answerTo(new DomainError('forbidden', 'access.closed', 'No.')).headers).toEqual({});
  });

  it('names the invalid fields of a request', () => {
    const fields = [{ field: 'calls.3.name', message: 'is needed' }];
    expect(answerTo(new DomainError('invalid', 'request.invalid', 'No.', fields)).problem.errors).toEqual(fields);
  });

  it.each([
    ['FST_ERR_CTP_BODY_TOO_LARGE', 413, 'request.too_large'],
    ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 415, 'request.media_type'],
    ['FST_ERR_CTP_INVALID_JSON_BODY', 400, 'request.malformed_json'],
    ['FST_ERR_CTP_EMPTY_JSON_BODY', 400, 'request.malformed_json'],
  ])('has a stable code if Fastify rejects the request: %s', (code, statusCode, expected) => {
    expect(answerTo(Object.assign(new Error('fastify'), { code, statusCode }))).toMatchObject({
      status: statusCode,
      problem: { code: expected },
    });
  });

  it('keeps the status of errors raised by Nest', () => {
    expect(answerTo(new NotFoundException('Cannot GET /nowhere')).status).toBe(404);
    expect(answerTo(new BadRequestException()).status).toBe(400);
  });

  it.each([
    ['an error', new Error('password=hunter2 in table "credential"')],
    ['a thrown text', 'password=hunter2'],
    ['nothing', undefined],
    ['a Nest exception with status 503', new ServiceUnavailableException('password=hunter2')],
  ])('logs the message of %s and does not show it', (_what, error) => {
    const answer = answerTo(error);
    expect(answer).toMatchObject({ status: 500, problem: { code: 'internal' } });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
    expect(logged).toHaveLength(1);
  });
});
