import Anthropic from '@anthropic-ai/sdk';
import { traceHeaders } from '../../platform/telemetry/spans.js';

export interface ModelClientSettings {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly timeoutMs: number;
  readonly retries: number;
}

/** A client of the Messages API. Each of its requests names the span that it is a part of, while traces are on. */
export function modelClient({ apiKey, baseUrl, timeoutMs, retries }: ModelClientSettings): Anthropic {
  return new Anthropic({
    // Always set: without it, the SDK would take a key from the environment.
    apiKey: apiKey ?? 'none',
    maxRetries: retries,
    timeout: timeoutMs,
    fetch: (address, init) => {
      const headers = new Headers(init?.headers);
      for (const [name, value] of Object.entries(traceHeaders())) headers.set(name, value);
      return fetch(address, { ...init, headers });
    },
    ...(baseUrl ? { baseURL: baseUrl } : {}),
  });
}
