import type { Problem } from '../platform/http/problem.schema.js';
import { parseBody, problemOf, retryDelayMs, unexpectedResponse } from './response.js';

/** An error response of the server. `problem.code` is stable, so callers may branch on it. */
export class GuildbookError extends Error {
  constructor(readonly problem: Problem) {
    const fields = (problem.errors ?? []).map(({ field, message }) => `\n  ${field}: ${message}`).join('');
    super(`${problem.detail}${(problem.errors?.length ?? 0) > 1 ? fields : ''}`);
    this.name = 'GuildbookError';
  }
}

/** No response arrived: the server is unreachable or too slow. The request may still have been processed. */
export class NoResponseError extends Error {
  constructor(
    readonly server: string,
    readonly reason: 'unreachable' | 'timeout',
    options: ErrorOptions,
  ) {
    super(`${server} does not respond`, options);
    this.name = 'NoResponseError';
  }
}

export interface GuildbookOptions {
  /** The address of the server, such as http://127.0.0.1:4747. */
  readonly server: string;
  readonly token?: string | undefined;
  readonly timeoutMs?: number;
  /** Total milliseconds to wait for rate limits before the refusal is thrown. */
  readonly rateLimitWaitMs?: number;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

const DEFAULT_TIMEOUT_MS = 120_000;
/** Five times the server's rate-limit window, which is a minute by default. */
const DEFAULT_RATE_LIMIT_WAIT_MS = 300_000;

/** A connection to one server, with time limit, retries after rate limits, and errors. */
export class Connection {
  constructor(private readonly options: GuildbookOptions) {}

  get server(): string {
    return this.options.server;
  }

  protected async call<T>(
    method: string,
    path: string,
    body?: unknown,
    query: Query = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const { response, text } = await this.send(method, path, body, query, headers);
    // A route without a response body is declared with T = void.
    if (response.status === 204) return undefined as T;
    const answer = parseBody(text);
    if (answer === undefined) throw new GuildbookError(unexpectedResponse(response));
    // Server and client share the schemas, so the body has this type.
    return answer as T;
  }

  /** Sends one request without retries and returns the response with any status. */
  protected raw(method: string, path: string, body: string, headers: Readonly<Record<string, string>>) {
    const authorization = this.options.token ? { authorization: `Bearer ${this.options.token}` } : {};
    const request: RequestInit = { method, redirect: 'error', headers: { ...authorization, ...headers }, body };
    return this.exchange(new URL(path, this.options.server), request);
  }

  /** `body` is a value to send as JSON, or text whose content type is in `headers`. */
  protected async send(
    method: string,
    path: string,
    body?: unknown,
    query: Query = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ response: Response; text: string }> {
    const url = new URL(path, this.options.server);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const request: RequestInit = {
      method,
      // A redirect could send the credential to another server.
      redirect: 'error',
      headers: {
        accept: 'application/json',
        ...(this.options.token ? { authorization: `Bearer ${this.options.token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    };
    for (let waitLeftMs = this.options.rateLimitWaitMs ?? DEFAULT_RATE_LIMIT_WAIT_MS; ; ) {
      const answered = await this.exchange(url, request);
      if (answered.response.ok) return answered;
      const problem = problemOf(answered.response, parseBody(answered.text));
      const pause = retryDelayMs(answered.response, problem);
      if (pause === undefined || pause > waitLeftMs) throw new GuildbookError(problem);
      await new Promise((resolve) => setTimeout(resolve, pause));
      waitLeftMs -= pause;
    }
  }

  /** Reads the body as well: a server that stops in the middle of a response has not responded. */
  private async exchange(url: URL, request: RequestInit): Promise<{ response: Response; text: string }> {
    try {
      const signal = AbortSignal.timeout(this.options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      const response = await fetch(url, { ...request, signal });
      return { response, text: await response.text() };
    } catch (cause) {
      const isTimeout = cause instanceof DOMException && cause.name === 'TimeoutError';
      throw new NoResponseError(this.options.server, isTimeout ? 'timeout' : 'unreachable', { cause });
    }
  }
}
