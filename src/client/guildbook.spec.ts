import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Guildbook, GuildbookError, NoResponseError } from './guildbook.js';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

describe('the client', () => {
  let server: Server;
  let url: string;
  let seen: Seen[];
  let answer: (response: ServerResponse, request: IncomingMessage) => void;

  beforeEach(async () => {
    seen = [];
    answer = (response) => json(response, 200, {});
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      answer(response, request);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const json = (response: ServerResponse, status: number, value: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const failure = async (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('sends its credential, and a body as JSON', async () => {
    await new Guildbook({ server: url, token: 'gbp_example' }).evolver.run(true);
    expect(seen).toMatchObject([
      {
        method: 'POST',
        url: '/v1/evolver/cycles',
        headers: { authorization: 'Bearer gbp_example', 'content-type': 'application/json' },
        body: '{"dryRun":true}',
      },
    ]);
  });

  it('sends no credential without one, and only the given filters', async () => {
    await new Guildbook({ server: url }).proposals.list({ state: 'pending' });
    expect(seen[0]?.url).toBe('/v1/proposals?state=pending');
    expect(seen[0]?.headers.authorization).toBeUndefined();
  });

  it('encodes names, so that none can change the path', async () => {
    await new Guildbook({ server: url }).skills.show('../journal?x=#y');
    expect(seen[0]?.url).toBe('/v1/skills/..%2Fjournal%3Fx%3D%23y');
  });

  it('throws a refusal with its stable code and the invalid fields', async () => {
    const errors = [
      { field: 'name', message: 'is needed' },
      { field: 'owner', message: 'is too long' },
    ];
    const problem = {
      type: 't',
      title: 'Bad request',
      status: 400,
      code: 'request.invalid',
      detail: 'name: is needed',
      errors,
    };
    answer = (response) => json(response, 400, problem);
    const error = await failure(new Guildbook({ server: url }).agents.add({ name: '' }));
    expect(error).toBeInstanceOf(GuildbookError);
    expect(error).toMatchObject({ problem, message: 'name: is needed\n  name: is needed\n  owner: is too long' });
  });

  it('returns undefined for a response without a body', async () => {
    answer = (response) => response.writeHead(204).end();
    expect(await new Guildbook({ server: url }).signOut()).toBeUndefined();
  });

  it.each([200, 404, 502])('recognises that a page with status %d is not from Guildbook', async (status) => {
    answer = (response) => response.writeHead(status, { 'content-type': 'text/html' }).end('<html>');
    expect(await failure(new Guildbook({ server: url }).me())).toMatchObject({
      problem: { code: 'not_guildbook', status },
    });
  });

  it('sends no credential to another server', async () => {
    answer = (response) => response.writeHead(307, { location: `${url}/elsewhere` }).end();
    expect(await failure(new Guildbook({ server: url, token: 'gbp_example' }).me())).toBeInstanceOf(NoResponseError);
    expect(seen.map((request) => request.url)).toEqual(['/v1/me']);
  });

  it('distinguishes an unreachable server from a slow one', async () => {
    answer = () => undefined;
    expect(await failure(new Guildbook({ server: url, timeoutMs: 50 }).me())).toMatchObject({ reason: 'timeout' });
    expect(await failure(new Guildbook({ server: 'http://127.0.0.1:9' }).me())).toMatchObject({
      reason: 'unreachable',
    });
  });

  it('treats a truncated response as no response', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"half": ');
      response.destroy();
    };
    expect(await failure(new Guildbook({ server: url }).me())).toMatchObject({ reason: 'unreachable' });
  });

  const tooFast = (response: ServerResponse, seconds: number, code = 'request.rate_limited') => {
    response.setHeader('retry-after', String(seconds));
    json(response, 429, { type: 't', title: 'Too many requests', status: 429, code, detail: 'too often' });
  };

  it('waits and retries after a rate limit, since the server has not processed the request', async () => {
    answer = (response) => (seen.length < 3 ? tooFast(response, 1) : json(response, 200, { id: 'c1' }));
    expect(await new Guildbook({ server: url }).evolver.run(true)).toEqual({ id: 'c1' });
    expect(seen.map(({ method, body }) => `${method} ${body}`)).toEqual(Array(3).fill('POST {"dryRun":true}'));
  });

  it('waits and retries while the server is busy', async () => {
    answer = (response) => {
      const isBusy = seen.length < 2;
      if (isBusy) response.setHeader('retry-after', '1');
      const busy = { type: 't', title: 'Unavailable', status: 503, code: 'server.busy', detail: 'busy' };
      json(response, isBusy ? 503 : 200, isBusy ? busy : { id: 'c1' });
    };
    expect(await new Guildbook({ server: url }).evolver.run(true)).toEqual({ id: 'c1' });
    expect(seen).toHaveLength(2);
  });

  it('does not wait longer than its limit', async () => {
    answer = (response) => tooFast(response, 1);
    expect(await failure(new Guildbook({ server: url, rateLimitWaitMs: 1_500 }).me())).toMatchObject({
      problem: { status: 429, code: 'request.rate_limited' },
    });
    expect(seen).toHaveLength(2);
    answer = (response) => tooFast(response, 86_400);
    await failure(new Guildbook({ server: url }).me());
    expect(seen).toHaveLength(3);
  });

  it('does not retry when another server in between refuses', async () => {
    answer = (response) => tooFast(response, 1, 'proxy.too_fast');
    await failure(new Guildbook({ server: url }).me());
    expect(seen).toHaveLength(1);
  });
});
