import { APIError } from '@anthropic-ai/sdk';
import type { Unavailable } from './proposer.js';

/** Returns why there is no answer, in our own words: the text of a server never gets into our logs. */
export function unavailable(error: unknown): Unavailable {
  const name = error instanceof Error ? error.constructor.name : 'error';
  if (!(error instanceof APIError)) return { outcome: 'unavailable', reason: name, mayBeCharged: true };
  if (error.status === undefined) return { outcome: 'unavailable', reason: name, mayBeCharged: true };
  const retryAfterMs = retryAfter(error.headers);
  return {
    outcome: 'unavailable',
    reason: `${name} ${error.status}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function retryAfter(headers: Headers | undefined): number | undefined {
  const milliseconds = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  const seconds = Number(headers?.get('retry-after') ?? Number.NaN);
  const wait = Number.isFinite(milliseconds) ? milliseconds : seconds * 1_000;
  return Number.isFinite(wait) && wait >= 0 ? wait : undefined;
}
