import { request } from 'node:http';

export interface CallOptions {
  readonly token?: string;
  readonly body?: unknown;
  /** Any header, also those that `fetch` forbids, such as `host`. */
  readonly headers?: Record<string, string>;
  /** A body that is sent as it is, instead of JSON. */
  readonly text?: string;
}

const TIMEOUT_MS = 120_000;

/** One HTTP request. Follows no redirect. Rejects when no answer comes. */
export function callHttp(
  url: string,
  method: string,
  path: string,
  { token, body, headers = {}, text = body === undefined ? undefined : JSON.stringify(body) }: CallOptions = {},
): Promise<{ status: number; body: unknown; headers: Headers }> {
  const { hostname, port } = new URL(url);
  const sent = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(text === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    // The path is sent as it is: an attack may depend on bytes that a URL would normalise.
    const call = request({ hostname, port, method, path, headers: sent, timeout: TIMEOUT_MS }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => {
        const found = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        );
        const content = Buffer.concat(parts).toString('utf8');
        resolve({ status: answer.statusCode ?? 0, body: parsed(content), headers: new Headers(found) });
      });
    });
    call.on('timeout', () => call.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
    call.on('error', reject);
    call.end(text);
  });
}

/** The parsed JSON, or the text where it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
