import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ServerLogger } from '../../src/platform/telemetry/server-logger.js';
import { redact } from '../../src/untrusted/redaction/redact.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { canary } from '../support/canaries.js';

const SECRET = canary(0).text;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let app: TestApplication;
let written = '';

beforeAll(async () => {
  for (const stream of [process.stdout, process.stderr])
    jest.spyOn(stream, 'write').mockImplementation((chunk) => {
      written += String(chunk);
      return true;
    });
  app = await startTestApplication({}, new ServerLogger('json', (text) => redact(text).text));
});
afterAll(async () => {
  await app.close();
  jest.restoreAllMocks();
});
beforeEach(() => {
  written = '';
});

type Line = Record<string, unknown>;
const lines = (): Line[] =>
  written
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line): Line => JSON.parse(line));

/** Waits for the line, which is written after the answer was sent. */
async function lineOf(requestId: string | null): Promise<Line> {
  for (;;) {
    const found = lines().find((line) => line['context'] === 'Request' && line['requestId'] === requestId);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const send = (path: string, init: RequestInit = {}) => fetch(`${app.url}${path}`, init);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('a request', () => {
  it('gets one line with the pattern of its route, its status and a reference to its caller', async () => {
    const answer = await send(`/v1/skills/no-such-skill?name=${SECRET}`, { headers: bearer(app.adminToken) });
    const line = await lineOf(answer.headers.get('x-request-id'));
    expect(line).toMatchObject({
      level: 'log',
      message: 'request',
      method: 'GET',
      route: '/v1/skills/:name',
      status: 404,
    });
    expect(line['ms']).toBeGreaterThanOrEqual(0);
    expect(line['caller']).toMatch(/^person:[0-9a-f-]{36}$/);
    expect(written).not.toContain('no-such-skill');
  });

  it('keeps the id that its caller sent, in the header and in the problem', async () => {
    const headers = { 'x-request-id': 'gateway-42/eu+1' };
    const answer = await send('/v1/agents', { headers });
    expect(answer.headers.get('x-request-id')).toBe('gateway-42/eu+1');
    expect(await answer.json()).toMatchObject({ status: 401, requestId: 'gateway-42/eu+1' });
    expect(await lineOf('gateway-42/eu+1')).toMatchObject({ route: '/v1/agents', status: 401 });
  });

  it('gets a new id instead of one that is a credential or has another form', async () => {
    for (const given of [SECRET, 'x'.repeat(500), 'two words']) {
      const answer = await send('/v1/agents', { headers: { 'x-request-id': given } });
      expect(answer.headers.get('x-request-id')).toMatch(UUID);
    }
  });

  it('has an id also if no route can match its address, which is not in the log', async () => {
    for (const path of ['/%zz', `/v1/${SECRET}`, `/${'x'.repeat(500)}`]) {
      const answer = await send(path);
      const id = answer.headers.get('x-request-id');
      expect(id).toMatch(UUID);
      expect(await answer.json()).toMatchObject({ status: 404, requestId: id });
    }
    expect(written).not.toContain('zz');
    expect(written).not.toContain(SECRET);
  });

  it('gets no line if it is a health check that succeeds', async () => {
    await send('/healthz');
    await send('/readyz');
    const { headers } = await send('/v1/agents');
    await lineOf(headers.get('x-request-id'));
    expect(lines().map(({ route }) => route)).toEqual(['/v1/agents']);
  });

  it('gets a line if it is a health check that fails', async () => {
    const spy = jest.spyOn(app.database, 'ping').mockRejectedValue(new Error(`no answer from ${SECRET}`));
    try {
      const answer = await send('/readyz');
      expect(answer.status).toBe(503);
      expect(await lineOf(answer.headers.get('x-request-id'))).toMatchObject({ route: '/readyz', status: 503 });
    } finally {
      spy.mockRestore();
    }
  });
});

describe('a secret', () => {
  it('is not in the log, wherever a caller put it', async () => {
    const headers = {
      ...bearer(SECRET),
      'user-agent': SECRET,
      'x-forwarded-for': SECRET,
      'content-type': 'application/json',
      cookie: `guildbook_session=${SECRET}`,
      origin: `https://${SECRET}.example.org`,
      referer: `https://example.org/?token=${SECRET}`,
    };
    const bodies = [JSON.stringify({ task: SECRET }), `{"${SECRET}`, `{"__proto__":"${SECRET}"}`];
    const ids: (string | null)[] = [];
    for (const body of bodies)
      for (const sent of [headers, { ...headers, ...bearer(app.adminToken), cookie: '', origin: app.url }])
        ids.push(
          (await send(`/v1/executions?key=${SECRET}`, { method: 'POST', headers: sent, body })).headers.get(
            'x-request-id',
          ),
        );
    for (const id of ids) await lineOf(id);
    expect(written).not.toContain(SECRET);
    expect(written).not.toContain(app.adminToken);
    expect(lines()).toHaveLength(ids.length);
  });

  it('is not in the log if an unexpected error quotes it, and the lines of the error carry the request', async () => {
    const spy = jest
      .spyOn(app.database, 'transaction')
      .mockRejectedValue(new Error(`could not reach ${SECRET}\n{"level":"log","message":"forged"}`));
    try {
      // With a body: what follows its reading runs in the context of the connection.
      const headers = { ...bearer(app.adminToken), 'content-type': 'application/json' };
      const answer = await send('/v1/agents', { method: 'POST', headers, body: JSON.stringify({ name: 'Ada' }) });
      expect(answer.status).toBe(500);
      const id = answer.headers.get('x-request-id');
      await lineOf(id);
      const error = lines().find(({ level }) => level === 'error');
      expect(error).toMatchObject({ requestId: id, context: 'Http' });
      expect(lines().filter(({ message }) => message === 'forged')).toEqual([]);
      expect(written).not.toContain(SECRET);
    } finally {
      spy.mockRestore();
    }
  });
});
