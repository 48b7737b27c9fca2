import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { http } from '../../../test/support/http.js';
import { report } from '../../../test/support/reports.js';

describe('reads of one caller', () => {
  let app: TestApplication;
  let mallory: string;
  let rosa: string;

  beforeAll(async () => {
    app = await startTestApplication({}, false, { readsAtOnce: 1, readsWaiting: 3 });
    ({ token: mallory } = await app.person('Mallory', {}));
    ({ token: rosa } = await app.person('Rosa', {}));
  });
  afterAll(() => app.close());

  const read = (path: string, token: string) => http(app, token).get(path);

  /** Holds up the lists until what is returned is called. */
  const holdLists = async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun: () => void = () => undefined;
    const isHeld = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const ended = app.database.transaction(async (tx) => {
      await tx.$executeRaw`LOCK TABLE "journal_entry" IN ACCESS EXCLUSIVE MODE`;
      begun();
      await held;
    });
    await isHeld;
    return () => {
      release();
      return ended;
    };
  };

  it('that are more than may wait are refused, and those of another caller are not', async () => {
    // Holds up the lists until all have arrived.
    const held = app.database.transaction(async (tx) => {
      await tx.$executeRaw`LOCK TABLE "journal_entry" IN ACCESS EXCLUSIVE MODE`;
      await sleep(500);
    });
    const sent = Array.from({ length: 24 }, () => read('/v1/journal?limit=500', mallory));
    const [answers, other] = await Promise.all([Promise.all(sent), read('/v1/journal', rosa), held]);
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(4);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.body).toMatchObject({ code: 'request.rate_limited' });
    expect(refused[0]?.headers['retry-after']).toBe('1');
    expect(other.status).toBe(200);
  });

  it('end their turn when they are answered, refused or cut off by the client', async () => {
    for (let n = 0; n < 6; n += 1) {
      expect((await read('/v1/executions/00000000-0000-4000-8000-000000000000', mallory)).status).toBe(404);
      expect((await read('/v1/executions?limit=0', mallory)).status).toBe(400);
      const headers = { authorization: `Bearer ${mallory}` };
      const cut = fetch(`${app.url}/v1/journal/export`, { headers, signal: AbortSignal.timeout(1) });
      await cut.then((answer) => answer.body?.cancel()).catch(() => undefined);
    }
    expect((await read('/v1/journal', mallory)).status).toBe(200);
  });

  it('on one connection that is closed before the first is answered hold no turn afterwards', async () => {
    const { port } = new URL(app.url);
    const release = await holdLists();
    for (let n = 0; n < 3; n += 1) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(
        `GET /v1/journal?limit=500 HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${mallory}\r\n\r\n`.repeat(3),
      );
      // Until all three have passed the guard or wait in it.
      await sleep(200);
      socket.destroy();
      await once(socket, 'close');
    }
    await release();
    expect((await read('/v1/journal', mallory)).status).toBe(200);
  });

  it('on one connection are all answered, also when one overtook those before it', async () => {
    const { port } = new URL(app.url);
    const socket = connect(Number(port), '127.0.0.1');
    const { token } = await app.agent('Ada');
    const head = `host: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n`;
    const body = gzipSync(JSON.stringify({ query: 'a word' }));
    // Unpacked beside the requests behind it, which the guard meets before it.
    socket.write(
      `POST /v1/session-memory/recall HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-encoding: gzip\r\n` +
        `content-length: ${body.length}\r\n\r\n`,
    );
    socket.write(body);
    socket.write(`GET /v1/skills HTTP/1.1\r\n${head}\r\nGET /v1/skills HTTP/1.1\r\n${head}connection: close\r\n\r\n`);
    const answer = await text(socket);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 200']);
  });
});

describe('a caller whose turns are all taken', () => {
  let app: TestApplication;
  let ada: string;

  beforeAll(async () => {
    app = await startTestApplication({}, false, { readsAtOnce: 0, readsWaiting: 0 });
    ({ token: ada } = await app.agent('Ada'));
  });
  afterAll(() => app.close());

  const message = (method: string, params: object = {}) =>
    http(app, ada)
      .post('/mcp')
      .set('accept', 'application/json, text/event-stream')
      .send({ jsonrpc: '2.0', id: 1, method, params });
  const call = (name: string, given: object = {}) => message('tools/call', { name, arguments: given });

  it.each([
    ['a report', () => http(app, ada).post('/v1/executions').send(report()), 202],
    ['a recall', () => http(app, ada).post('/v1/recall').send({ query: 'a word' }), 200],
    ['its own account', () => http(app, ada).get('/v1/me'), 200],
    ['the start text of a session', () => http(app, ada).get('/v1/session-memory/preamble'), 200],
    ['a stream over MCP, which is refused at once', () => http(app, ada).get('/mcp'), 405],
    ['a report over MCP', () => call('report_execution', report({ executionId: 'another' })), 200],
    ['a note over MCP', () => call('remember', { lesson: 'The osprey export needs python3' }), 200],
    ['a search over MCP', () => call('search_memory', { query: 'a word' }), 200],
    ['the list of tools', () => message('tools/list'), 200],
  ])('still gets %s', async (_what, ask, status) => {
    const answer = await ask();
    expect([answer.status, answer.body.error]).toEqual([status, answer.status === 405 ? expect.anything() : undefined]);
  });

  it.each([
    ['the skills', () => http(app, ada).get('/v1/skills')],
    ['entries of sessions', () => http(app, ada).post('/v1/session-memory/recall').send({})],
    ['the skills over MCP', () => call('list_skills')],
    ['entries of sessions over MCP', () => call('recall_sessions')],
    ['the files of skills over MCP', () => message('resources/list')],
  ])('waits for %s', async (_what, ask) => {
    expect((await ask()).body).toMatchObject({ code: 'request.rate_limited' });
  });
});
