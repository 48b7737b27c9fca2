import { Problem } from '../platform/problem.schema.js';

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function problemOf(response: Response, answer: unknown): Problem {
  const problem = Problem.safeParse(answer);
  return problem.success ? problem.data : strangeAnswer(response);
}

/** A request that came too fast was not looked at, so that sending it again is safe whatever it does. */
export function pauseMs(response: Response, { code }: Problem): number | undefined {
  if (response.status !== 429 || code !== 'request.rate_limited') return undefined;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.max(seconds, 1) * 1_000 : undefined;
}

export function strangeAnswer(response: Response): Problem {
  return {
    type: 'about:blank',
    title: response.statusText,
    status: response.status,
    code: 'not_guildbook',
    detail: `The server answered ${response.status} and nothing that Guildbook says. Is this its address?`,
  };
}
