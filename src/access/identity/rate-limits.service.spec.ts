import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { pythonReport } from '../../../test/support/fleet.js';
import { http } from '../../../test/support/http.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { RateLimits } from './rate-limits.service.js';

const HOUR = { rateLimitSeconds: 3_600 };
const TOO_OFTEN = { status: 429, code: 'request.rate_limited' };

describe('the limit of', () => {
  let app: TestApplication;

  afterAll(() => app.close());

  /** Directly to the server, because the client would wait. */
  const me = (token?: string) => http(app, token).get('/v1/me');
  const statuses = async (count: number, token?: string) => {
    const answers: number[] = [];
    for (let n = 0; n < count; n += 1) answers.push((await me(token)).status);
    return answers;
  };

  describe('a principal and of an owner', () => {
    beforeAll(async () => {
      app = await startTestApplication({ GUILDBOOK_RATE_LIMIT_PRINCIPAL: '20' }, false, {
        ...HOUR,
        rateLimitOwnerFactor: 2,
      });
    });

    it('applies to one agent only, and the response says when to retry', async () => {
      const [greedy, other] = [await app.agent('greedy'), await app.agent('other')];
      expect(await statuses(21, greedy.token)).toEqual([...Array<number>(20).fill(200), 429]);
      const refused = await me(greedy.token);
      expect(refused.body).toMatchObject({ ...TOO_OFTEN, title: 'Too many requests' });
      expect(refused.headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3_600);
      expect(await statuses(1, other.token)).toEqual([200]);
    });

    it('applies to all agents of an owner together, leaves each a share, and not to other owners', async () => {
      const [first, second] = [await app.agent('first', 'team'), await app.agent('second', 'team')];
      const third = await app.agent('third', 'team');
      const stranger = await app.agent('stranger', 'others');
      expect(await statuses(20, first.token)).toEqual(Array<number>(20).fill(200));
      // Each gets half of what the ones before it left.
      expect(await statuses(11, second.token)).toEqual([...Array<number>(10).fill(200), 429]);
      expect((await me(second.token)).body).toMatchObject({ detail: expect.stringContaining('"team"') });
      expect(await statuses(6, third.token)).toEqual([200, 200, 200, 200, 200, 429]);
      expect(await statuses(1, stranger.token)).toEqual([200]);
    });

    it('does not apply to health checks', async () => {
      for (let n = 0; n < 30; n += 1) await http(app).get('/healthz').expect(200);
      await http(app).get('/readyz').expect(200);
    });
  });
});

describe('the limit of bytes', () => {
  let app: TestApplication;

  beforeAll(async () => {
    // 20,480 bytes an hour, and 25,600 for an owner.
    app = await startTestApplication({ GUILDBOOK_RATE_LIMIT_PRINCIPAL: '20' }, false, {
      ...HOUR,
      rateLimitRequestBytes: 1_024,
      rateLimitOwnerFactor: 1.25,
    });
  });
  afterAll(() => app.close());

  const send = async (token: string, bytes: number, zipped = false) => {
    const text = JSON.stringify({ filler: 'x'.repeat(bytes - 13) });
    const answer = await fetch(`${app.url}/v1/executions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(zipped ? { 'content-encoding': 'gzip' } : {}),
      },
      body: zipped ? gzipSync(text) : text,
    });
    return { status: answer.status, retryAfter: answer.headers.get('retry-after') };
  };

  it('applies to an agent that sends few, large bodies, and the response says when to retry', async () => {
    const [greedy, other] = [await app.agent('greedy'), await app.agent('other')];
    expect(await send(greedy.token, 15_000)).toMatchObject({ status: 400 });
    expect(await send(greedy.token, 15_000)).toMatchObject({ status: 400 });
    const refused = await send(greedy.token, 15_000);
    expect(refused.status).toBe(429);
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    expect(await send(other.token, 15_000)).toMatchObject({ status: 400 });
  });

  it('counts the unpacked size of a zipped body', async () => {
    const { token } = await app.agent('zips');
    expect(await send(token, 100_000, true)).toMatchObject({ status: 400 });
    expect(await send(token, 100, true)).toMatchObject({ status: 429 });
  });

  it('applies to all agents of an owner together', async () => {
    const [first, second] = [await app.agent('first', 'team'), await app.agent('second', 'team')];
    expect(await send(first.token, 19_000)).toMatchObject({ status: 400 });
    expect(await send(second.token, 19_000)).toMatchObject({ status: 400 });
    expect(await send(second.token, 100)).toMatchObject({ status: 429 });
  });

  it('does not apply to a body by itself, however large', async () => {
    const { token } = await app.agent('once');
    expect(await send(token, 200_000)).toMatchObject({ status: 400 });
    expect(await send(token, 200_000)).toMatchObject({ status: 429 });
  });
});

describe('rejected credentials', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication({}, false, { ...HOUR, rateLimitRefused: 4 });
  });
  afterAll(() => app.close());

  it('are limited per address on every route, and valid credentials from there still work', async () => {
    const me = () => http(app).get('/v1/me');
    const unknown = () => http(app, `gbt_${'A'.repeat(43)}`).get('/v1/me');
    const signIn = () =>
      http(app)
        .post('/v1/sign-in')
        .send({ token: `gbo_${'A'.repeat(43)}` });
    const answers = [await unknown(), await signIn(), await me(), await signIn()];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    for (const late of [await unknown(), await signIn(), await me()]) expect(late.body).toMatchObject(TOO_OFTEN);
    const invited = await app.admin.people.add({ name: 'Rosa', email: 'r@example.org', reviewer: true, admin: false });
    const { token } = await app.client().signIn(invited.token);
    expect((await app.client(token).me()).principal.name).toBe('Rosa');
  });

  it('end no transaction when a sign-in token is guessed, so that values read before stay in use', async () => {
    const { endedTransactions } = app.database;
    for (const path of ['/v1/sign-in', '/v1/sign-in/link'])
      await http(app)
        .post(path)
        .send({ token: `gbo_${'B'.repeat(43)}` });
    expect(app.database.endedTransactions).toBe(endedTransactions);
  });

  it('count for the whole /64 network of an IPv6 address, in any notation', async () => {
    const limits = app.app.get(RateLimits);
    const outcome = async (address: string): Promise<string> => {
      const error: unknown = await limits
        .limitRejections(address, () =>
          Promise.reject(new DomainError('unauthenticated', 'access.unknown', 'not known')),
        )
        .catch((refusal: unknown) => refusal);
      return error instanceof DomainError ? error.code : 'none';
    };
    for (const address of ['2001:db8::1', '2001:db8:0:0:1::', '2001:db8::2:3', '2001:db8:0:0:a:b:c:d'])
      expect(await outcome(address)).toBe('access.unknown');
    expect(await outcome('2001:db8::5')).toBe('request.rate_limited');
    for (const other of ['2001:db8:0:1::1', '::ffff:192.0.2.1', '192.0.2.1', '::1'])
      expect(await outcome(other)).toBe('access.unknown');
  });
});

describe('published skills', () => {
  it('are limited per address without a credential and per principal with one', async () => {
    const app = await startTestApplication({}, false, { ...HOUR, rateLimitPublic: 4 });
    const index = (token?: string) => http(app, token).get('/.well-known/agent-skills/index.json');
    const missing = () => http(app).get('/.well-known/agent-skills/no-such-skill/SKILL.md');
    for (let n = 0; n < 3; n += 1) await index().expect(200);
    await missing().expect(404);
    for (const late of [await index(), await missing()]) {
      expect(late.headers['retry-after']).toMatch(/^\d+$/);
      expect(late.body).toMatchObject(TOO_OFTEN);
    }
    const { token } = await app.agent('installer');
    for (let n = 0; n < 6; n += 1) await index(token).expect(200);
    await app.close();
  });
});

describe('a large import', () => {
  it('is slowed down by the limit, and every report is stored', async () => {
    const app = await startTestApplication({ GUILDBOOK_RATE_LIMIT_PRINCIPAL: '5' }, false, { rateLimitSeconds: 1 });
    const { id, client } = await app.agent('busy');
    const reports = Array.from({ length: 12 }, (_, n) => client.executions.report(pythonReport(app, `task ${n}`)));
    expect((await Promise.all(reports)).filter(({ duplicate }) => !duplicate)).toHaveLength(12);
    expect(await app.database.client.execution.count({ where: { agentId: id } })).toBe(12);
    await app.close();
  });
});
