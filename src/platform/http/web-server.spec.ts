import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import * as fc from 'fast-check';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { loadConfig } from '../config/config.js';
import { isDeeperThan, jsonProblem } from './json-bounds.js';
import { hardenServer, MAX_JSON_DEPTH } from './web-server.js';

const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;

describe('the depth of JSON', () => {
  it('is the depth of the value, not of brackets in its strings', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.boolean(), (value, spaced) => {
        const json = JSON.stringify(value, null, spaced ? 2 : 0);
        const depth = depthOf(value);
        expect(isDeeperThan(depth, json)).toBe(false);
        if (depth > 0) expect(isDeeperThan(depth - 1, json)).toBe(true);
      }),
    );
  });

  it.each(['"', '"\\', '[', ']', ']]]]{', '"[[[[', '\\"[['])(
    'is found in text that is not JSON as well: %j',
    (text) => {
      expect(isDeeperThan(2, text)).toBe(false);
    },
  );
});

describe('the number of values of JSON', () => {
  it('is at least the number of its values, and at most twice as many and one', () => {
    const valuesOf = (value: unknown): number =>
      1 +
      (typeof value === 'object' && value !== null
        ? Object.values(value).reduce((sum, one) => sum + valuesOf(one), 0)
        : 0);
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const json = JSON.stringify(value);
        const count = valuesOf(value);
        expect(jsonProblem(json, { depth: 10, values: 3 * count })).toBeUndefined();
        if (count > 1)
          expect(jsonProblem(json, { depth: 10, values: count - 1 })?.code).toBe('request.too_many_values');
      }),
    );
  });
});

describe('the stream of an answer', () => {
  it('is read to its end for GET, and not begun for HEAD', async () => {
    const server = new FastifyAdapter().getInstance();
    hardenServer(server, loadConfig({}));
    let read = 0;
    async function* lines() {
      for (; read < 5; read += 1) {
        await nextTurn();
        yield 'a line\n';
      }
    }
    // As a health check, it is not logged.
    server.get('/healthz', (_request, reply) => reply.type('text/plain').send(Readable.from(lines())));
    const head = await server.inject({ method: 'HEAD', url: '/healthz' });
    for (let n = 0; n < 20; n += 1) await nextTurn();
    expect([head.statusCode, head.headers['content-type'], head.headers['content-length'], read]).toEqual([
      200,
      'text/plain',
      undefined,
      0,
    ]);
    expect((await server.inject({ method: 'GET', url: '/healthz' })).body).toBe('a line\n'.repeat(5));
    await server.close();
  });
});

const CACHED: Readonly<Record<string, string>> = {
  '/v1/docs': 'public, no-cache',
  '/v1/openapi.json': 'public, no-cache',
  '/.well-known/agent-skills/index.json': 'public, max-age=60',
};
const DOCUMENTATION_POLICY =
  "default-src 'none';script-src 'self';style-src 'self' 'unsafe-inline';img-src 'self' data:;font-src 'self';" +
  "connect-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none'";

describe('every response', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication({ GUILDBOOK_TRUSTED_PROXIES: '127.0.0.1' });
  });
  afterAll(() => app.close());

  const post = (body: string) =>
    fetch(`${app.url}/v1/sign-in`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

  it('to a body that is nested too deep names the reason, and a body at the limit is read', async () => {
    const deep = await post(nested(MAX_JSON_DEPTH + 2));
    expect([deep.status, await deep.json()]).toMatchObject([400, { code: 'request.too_deep' }]);
    expect(await (await post(nested(MAX_JSON_DEPTH))).json()).toMatchObject({ code: 'request.invalid' });
  });

  it.each([
    ['empty objects', `[${'{},'.repeat(300_000)}{}]`],
    ['numbers', `[${'0,'.repeat(300_000)}0]`],
    ['names', `{${Array.from({ length: 150_000 }, (_, n) => `"k${n}":0`).join(',')}}`],
  ])('to a body of very many %s names the reason, and nothing of it is parsed', async (_what, body) => {
    const { token } = await app.agent(`sends many ${_what}`);
    const answer = await fetch(`${app.url}/v1/executions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body,
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'request.too_many_values' }]);
  });

  it.each([
    ['a large body', { 'content-length': '4000000' }],
    ['a body of unknown size', { 'transfer-encoding': 'chunked' }],
  ] as const)('to %s of an unknown caller comes before the body is sent', async (_what, headers) => {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    const head = Object.entries({ host: hostname, 'content-type': 'application/json', ...headers });
    socket.write(
      `POST /v1/executions HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 401 /);
    expect(String(answer)).toContain('access.no_credential');
    socket.destroy();
  });

  it('to a body with very many unknown keys names only some of them', async () => {
    const keys = Array.from({ length: 5_000 }, (_, n) => `"k${n}":0`).join(',');
    const answer = await post(`{${keys}}`);
    const text = await answer.text();
    expect([answer.status, JSON.parse(text)]).toMatchObject([400, { code: 'request.invalid' }]);
    expect(text.length).toBeLessThan(10_000);
  });

  it.each([
    '/healthz',
    '/v1/me',
    '/no/such/route',
    '/v1/%zz',
    `/v1/skills/${'x'.repeat(200)}`,
    '/v1/docs',
    '/v1/openapi.json',
    '/.well-known/agent-skills/index.json',
  ])('of %s restricts the browser to what the page needs', async (path) => {
    const { headers } = await fetch(app.url + path);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-permitted-cross-domain-policies': 'none',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
      'content-security-policy':
        path === '/v1/docs' ? DOCUMENTATION_POLICY : "default-src 'none';frame-ancestors 'none'",
    });
    const policy = headers.get('content-security-policy') ?? '';
    // Scripts run on the documentation page only, and only our own files.
    expect(policy.match(/script-src [^;]*/)?.[0]).toBe(path === '/v1/docs' ? "script-src 'self'" : undefined);
    expect(headers.get('cache-control')).toBe(CACHED[path] ?? 'no-store');
  });

  it('requires https only if it is served over https', async () => {
    const hsts = async (headers: Record<string, string>) =>
      (await fetch(`${app.url}/healthz`, { headers })).headers.get('strict-transport-security');
    expect(await hsts({})).toBeNull();
    expect(await hsts({ 'x-forwarded-proto': 'https' })).toBe('max-age=31536000');
  });
});

describe('the public address', () => {
  it('must be an origin with https, or with http on this machine', () => {
    const of = (value: string) => loadConfig({ GUILDBOOK_PUBLIC_URL: value }).publicUrl;
    expect(of('https://guildbook.example.org/')).toBe('https://guildbook.example.org');
    expect(of('http://localhost:4747')).toBe('http://localhost:4747');
    for (const bad of [
      'http://guildbook.example.org',
      'https://a@b.example',
      'https://b.example/path',
      'javascript:1',
      'x',
    ])
      expect(() => of(bad)).toThrow(/GUILDBOOK_PUBLIC_URL/);
  });

  it('alone makes responses require https; a header of a client does not', async () => {
    const app = await startTestApplication({ GUILDBOOK_PUBLIC_URL: 'https://guildbook.example.org' });
    const plain = await startTestApplication();
    const hsts = async (url: string) =>
      (await fetch(`${url}/healthz`, { headers: { 'x-forwarded-proto': 'https' } })).headers.get(
        'strict-transport-security',
      );
    expect([await hsts(app.url), await hsts(plain.url)]).toEqual(['max-age=31536000', null]);
    await app.close();
    await plain.close();
  });
});

describe('a server that stops', () => {
  it('does not wait indefinitely for a client that sends half a request', async () => {
    const app = await startTestApplication();
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const gone = once(socket, 'close');
    socket.write('GET /healthz HTTP/1.1\r\nhost: ');
    // The server has read it: data sent next on the same loop arrives later.
    await app.client().health();
    await app.close();
    await gone;
  });
});
