import type { Problem } from '../platform/http/problem.schema.js';
import { parseBody, problemOf, retryDelayMs, unexpectedResponse } from './response.js';

/** An answer of the server that is not a success; `code` is stable and meant to be branched on. */
export class GuildbookError extends Error {
  constructor(readonly problem: Problem) {
    const fields = (problem.errors ?? []).map(({ field, message }) => `\n  ${field}: ${message}`).join('');
    super(`${problem.detail}${(problem.errors?.length ?? 0) > 1 ? fields : ''}`);
    this.name = 'GuildbookError';
  }
}

/** No answer came: the server is away, too slow, or the address is of something else. What was sent may have arrived. */
export class NoResponseError extends Error {
  constructor(
    readonly server: string,
    readonly reason: 'unreachable' | 'timeout',
    options: ErrorOptions,
  ) {
    super(`${server} does not answer`, options);
    this.name = 'NoAnswerError';
  }
}

export interface GuildbookOptions {
  /** Such as http://127.0.0.1:4747. */
  readonly server: string;
  readonly token?: string | undefined;
  readonly timeoutMs?: number;
  /** How long to wait in all, when the server says that requests come too fast, before its refusal is thrown. */
  readonly rateLimitWaitMs?: number;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

const DEFAULT_TIMEOUT_MS = 120_000;
/** Several spans of the server's limits, which are a minute each unless set otherwise. */
const DEFAULT_RATE_LIMIT_WAIT_MS = 300_000;

/** One server, and how it is talked to: times, patience, and what is an error. */
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
    // A route without an answer is declared with T = void.
    if (response.status === 204) return undefined as T;
    const answer = parseBody(text);
    if (answer === undefined) throw new GuildbookError(unexpectedResponse(response));
    // The server's types: what it sends is described by the same schemas.
    return answer as T;
  }

  /** One request as it is, whatever the status of its answer. */
  protected raw(method: string, path: string, body: string, headers: Readonly<Record<string, string>>) {
    const authorization = this.options.token ? { authorization: `Bearer ${this.options.token}` } : {};
    const request: RequestInit = { method, redirect: 'error', headers: { ...authorization, ...headers }, body };
    return this.exchange(new URL(path, this.options.server), request);
  }

  /** `body`: a value to be sent as JSON, or text whose type `headers` say. */
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
      // A credential goes to the server that it was meant for, and nowhere else.
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

  /** The body is read in here, too: a server that dies half way through its answer has not answered. */
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
