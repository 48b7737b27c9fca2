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

  it('sends its credential, and JSON where there is a body', async () => {
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

  it('sends no credential when it has none, and only the filters that are given', async () => {
    await new Guildbook({ server: url }).proposals.list({ state: 'pending' });
    expect(seen[0]?.url).toBe('/v1/proposals?state=pending');
    expect(seen[0]?.headers.authorization).toBeUndefined();
  });

  it('lets no name climb out of its place in the path', async () => {
    await new Guildbook({ server: url }).skills.show('../journal?x=#y');
    expect(seen[0]?.url).toBe('/v1/skills/..%2Fjournal%3Fx%3D%23y');
  });

  it('throws what the server refuses, with its stable code and the fields', async () => {
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

  it('has no answer where there is none', async () => {
    answer = (response) => response.writeHead(204).end();
    expect(await new Guildbook({ server: url }).signOut()).toBeUndefined();
  });

  it.each([200, 404, 502])('says that a page with status %d is not from Guildbook', async (status) => {
    answer = (response) => response.writeHead(status, { 'content-type': 'text/html' }).end('<html>');
    expect(await failure(new Guildbook({ server: url }).me())).toMatchObject({
      problem: { code: 'not_guildbook', status },
    });
  });

  it('takes no credential along to another server', async () => {
    answer = (response) => response.writeHead(307, { location: `${url}/elsewhere` }).end();
    expect(await failure(new Guildbook({ server: url, token: 'gbp_example' }).me())).toBeInstanceOf(NoResponseError);
    expect(seen.map((request) => request.url)).toEqual(['/v1/me']);
  });

  it('tells a server that is away from one that is slow', async () => {
    answer = () => undefined;
    expect(await failure(new Guildbook({ server: url, timeoutMs: 50 }).me())).toMatchObject({ reason: 'timeout' });
    expect(await failure(new Guildbook({ server: 'http://127.0.0.1:9' }).me())).toMatchObject({
      reason: 'unreachable',
    });
  });

  it('takes an answer that breaks off for none', async () => {
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

  it('waits and sends again what came too fast, since the server has not looked at it', async () => {
    answer = (response) => (seen.length < 3 ? tooFast(response, 1) : json(response, 200, { id: 'c1' }));
    expect(await new Guildbook({ server: url }).evolver.run(true)).toEqual({ id: 'c1' });
    expect(seen.map(({ method, body }) => `${method} ${body}`)).toEqual(Array(3).fill('POST {"dryRun":true}'));
  });

  it('does not wait for ever, nor for longer than it has patience for', async () => {
    answer = (response) => tooFast(response, 1);
    expect(await failure(new Guildbook({ server: url, rateLimitWaitMs: 1_500 }).me())).toMatchObject({
      problem: { status: 429, code: 'request.rate_limited' },
    });
    expect(seen).toHaveLength(2);
    answer = (response) => tooFast(response, 86_400);
    await failure(new Guildbook({ server: url }).me());
    expect(seen).toHaveLength(3);
  });

  it('sends nothing again that another server between them refuses', async () => {
    answer = (response) => tooFast(response, 1, 'proxy.too_fast');
    await failure(new Guildbook({ server: url }).me());
    expect(seen).toHaveLength(1);
  });
});
