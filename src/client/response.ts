import type { Problem } from '../platform/http/problem.schema.js';

export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function problemOf(response: Response, answer: unknown): Problem {
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
export function retryDelayMs(response: Response, { code }: Problem): number | undefined {
  if (!UNPROCESSED.has(`${response.status} ${code}`)) return undefined;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.max(seconds, 1) * 1_000 : undefined;
}

export function unexpectedResponse(response: Response): Problem {
  return {
    type: 'about:blank',
    title: response.statusText,
    status: response.status,
    code: 'not_guildbook',
    detail: `The server responded with status ${response.status}, but not as a Guildbook server. Check the address.`,
  };
}
