import type { Problem } from '../platform/http/problem.schema.js';

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

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemOf(response: Response, answer: unknown): Problem {
  return isProblem(answer) ? answer : unexpectedResponse(response);
}

/** Checked without zod, so that the client depends only on `fetch`. */
function isProblem(answer: unknown): answer is Problem {
  if (typeof answer !== 'object' || answer === null) return false;
  const problem: { [Name in keyof Problem]?: unknown } = answer;
  const texts = [problem.type, problem.title, problem.code, problem.detail];
  if (texts.some((text) => typeof text !== 'string') || !Number.isInteger(problem.status)) return false;
  return problem.errors === undefined || (Array.isArray(problem.errors) && problem.errors.every(isFieldError));
}

function isFieldError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { field, message }: { field?: unknown; message?: unknown } = error;
  return typeof field === 'string' && typeof message === 'string';
}

/** Refusals of requests that the server has not processed, so that repeating them is safe for every method. */
const UNPROCESSED: ReadonlySet<string> = new Set(['429 request.rate_limited', '503 server.busy']);

/** Milliseconds to wait before a retry after a rate limit, or while the server is busy; undefined for any other response. */
function retryDelayMs(response: Response, { code }: Problem): number | undefined {
  if (!UNPROCESSED.has(`${response.status} ${code}`)) return undefined;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.max(seconds, 1) * 1_000 : undefined;
}

function unexpectedResponse(response: Response): Problem {
  return {
    type: 'about:blank',
    title: response.statusText,
    status: response.status,
    code: 'not_guildbook',
    detail: `The server responded with status ${response.status}, but not as a Guildbook server. Check the address.`,
  };
}
