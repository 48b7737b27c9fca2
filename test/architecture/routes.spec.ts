import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { everyCredential, FOREIGN, VALID, type Valid, VOID } from '../support/credentials.js';
import { listRoutes, routerRoutes, routesDocument } from '../support/route-list.js';

/** Routes without a credential. Each line is a decision. */
const OPEN = [
  'GET /healthz',
  'GET /readyz',
  // Off by default, and open only to the token of its setting, which opens nothing else.
  'GET /metrics',
  'GET /.well-known/agent-skills/index.json',
  'GET /.well-known/agent-skills/:name/SKILL.md',
  'GET /.well-known/agent-skills/:name/references/:file',
  'GET /.well-known/agent-skills/:name/skill.tar.gz',
  // The same text for everyone, which holds nothing from the database.
  'GET /mcp/server-card',
  'OPTIONS /mcp/server-card',
  'POST /v1/sign-in',
  'POST /v1/sign-in/link',
  'GET /sign-in',
  'POST /sign-in',
  'GET /sign-in/oidc',
  'GET /sign-in/oidc/callback',
  // Style and script; the pages themselves require a sign-in.
  'GET /console/:file',
  'GET /v1/openapi.json',
  'GET /v1/docs',
  'GET /v1/docs/:file',
];

const ADMINISTRATOR: readonly Valid[] = ['administrator', 'administrator in a browser'];
/** No agent and no service, with any right to read: only a reviewer decides. */
const REVIEWER: readonly Valid[] = ['reviewer', 'reviewer in a browser'];
const PEOPLE: readonly Valid[] = ['reader', ...REVIEWER, ...ADMINISTRATOR];
const READERS: readonly Valid[] = [...PEOPLE, 'service'];

/** The callers that may use a route. Other known callers get 403, unknown ones 401. */
const ALLOWED: Record<string, readonly Valid[]> = {
  'GET /v1/me': VALID.filter((holder) => holder !== 'proposing service'),
  'POST /v1/me/agents': PEOPLE,
  'GET /v1/agents': PEOPLE,
  'POST /v1/agents': ADMINISTRATOR,
  'GET /v1/services': ADMINISTRATOR,
  'POST /v1/services': ADMINISTRATOR,
  'GET /v1/people': ADMINISTRATOR,
  'POST /v1/people': ADMINISTRATOR,
  'PATCH /v1/agents/:id': ADMINISTRATOR,
  'PATCH /v1/people/:id': ADMINISTRATOR,
  'POST /v1/people/:id/invite': ADMINISTRATOR,
  'POST /v1/principals/:id/rotate': ADMINISTRATOR,
  'DELETE /v1/principals/:id': ADMINISTRATOR,
  'POST /v1/executions': ['agent', 'service', ...ADMINISTRATOR],
  'POST /v1/executions/batch': ['agent', 'service', ...ADMINISTRATOR],
  'GET /v1/executions': READERS,
  'GET /v1/executions/status': READERS,
  'GET /v1/executions/:id': READERS,
  'GET /v1/hooks': READERS,
  'POST /v1/hooks/:product': ['agent', 'service', ...ADMINISTRATOR],
  'POST /v1/hooks/:product/:event': ['agent', 'service', ...ADMINISTRATOR],
  'POST /v1/traces': ['agent', 'service', ...ADMINISTRATOR],
  'POST /v1/logs': ['agent', 'service', ...ADMINISTRATOR],
  'POST /v1/metrics': ['agent', 'service', ...ADMINISTRATOR],
  'POST /v1/session-memory/entries': ['agent', ...PEOPLE],
  'GET /v1/session-memory/entries/:id': ['agent', ...PEOPLE],
  'PUT /v1/session-memory/entries/:id': PEOPLE,
  'POST /v1/session-memory/entries/:id/delete': PEOPLE,
  'POST /v1/session-memory/recall': ['agent', ...PEOPLE],
  'GET /v1/session-memory/preamble': ['agent', ...PEOPLE],
  'GET /v1/session-memory/sessions': ['agent', ...PEOPLE],
  'POST /v1/session-memory/sessions': ['agent', ...PEOPLE],
  'GET /v1/session-memory/sessions/:session': ['agent', ...PEOPLE],
  'POST /v1/session-memory/sessions/:session/close': ['agent', ...PEOPLE],
  'GET /v1/lessons': READERS,
  'GET /v1/lessons/:id': READERS,
  'POST /v1/lessons/:id/correct': PEOPLE,
  'POST /v1/lessons/:id/delete': PEOPLE,
  'PUT /v1/lessons/:id/pin': [...REVIEWER, ...ADMINISTRATOR],
  'POST /v1/lessons/:id/retire': [...REVIEWER, ...ADMINISTRATOR],
  'PUT /v1/lessons/:id/provenance': REVIEWER,
  'POST /v1/lessons/:id/share': REVIEWER,
  'POST /v1/lessons/:id/unshare': REVIEWER,
  'GET /v1/tombstones': READERS,
  'GET /v1/tombstones/:id': READERS,
  'GET /v1/promotions': READERS,
  'GET /v1/promotions/:id': READERS,
  'POST /v1/promotions/:id/check': [...REVIEWER, ...ADMINISTRATOR],
  'GET /v1/server': ADMINISTRATOR,
  'POST /v1/consolidation/runs': ADMINISTRATOR,
  'GET /v1/consolidation/runs': READERS,
  'GET /v1/consolidation/runs/:id': READERS,
  'POST /v1/consolidation/runs/:id/undo': ADMINISTRATOR,
  'GET /v1/consolidation/pauses': READERS,
  'POST /v1/consolidation/pauses': ADMINISTRATOR,
  'DELETE /v1/consolidation/pauses/:id': ADMINISTRATOR,
  'POST /v1/memory/tuning/preflight': ADMINISTRATOR,
  'POST /v1/memory/tuning/runs': ADMINISTRATOR,
  'GET /v1/memory/tuning/runs': READERS,
  'GET /v1/memory/tuning/runs/:id': READERS,
  'GET /v1/memory/tuning/status': READERS,
  'POST /v1/memory/tuning/runs/:id/resume': ADMINISTRATOR,
  'POST /v1/memory/tuning/cancel': ADMINISTRATOR,
  'GET /v1/memory/tuning/embedder': READERS,
  'GET /v1/memory/tuning/checkpoints': READERS,
  'POST /v1/memory/tuning/checkpoints/:id/rollback': ADMINISTRATOR,
  'POST /v1/memory/tuning/checkpoints/:id/delete': ADMINISTRATOR,
  'POST /v1/memory/upkeep': ADMINISTRATOR,
  'GET /v1/memory/upkeep': READERS,
  'GET /v1/memory/upkeep/:id': READERS,
  'POST /v1/memory/upkeep/:id/undo': ADMINISTRATOR,
  'GET /v1/proposer/usage': READERS,
  'GET /v1/recall': [...READERS, 'agent'],
  'POST /v1/recall': [...READERS, 'agent'],
  'POST /v1/recall/tools/:tool': ['agent'],
  'POST /v1/memories': ['agent'],
  'POST /v1/memories/batch': ['agent'],
  'POST /v1/gate': ['agent'],
  'POST /mcp': ['agent', ...ADMINISTRATOR],
  'GET /mcp': ['agent', ...ADMINISTRATOR],
  'DELETE /mcp': ['agent', ...ADMINISTRATOR],
  'POST /v1/evolver/cycles': [...ADMINISTRATOR, 'proposing service'],
  'POST /v1/consolidation/merges': [...ADMINISTRATOR, 'proposing service'],
  'GET /v1/evolver/reports': READERS,
  'GET /v1/evolver/reports/:id': READERS,
  'GET /v1/evolver/candidates': READERS,
  'GET /v1/evolver/families': READERS,
  'GET /v1/evolver/families/:fingerprint': READERS,
  'GET /v1/evolver/writers': READERS,
  'GET /v1/proposals': READERS,
  'GET /v1/proposals/:id': READERS,
  'POST /v1/proposals/:id/approve': REVIEWER,
  'POST /v1/proposals/:id/reject': REVIEWER,
  'POST /v1/proposals/:id/override': REVIEWER,
  'PUT /v1/proposals/:id/skill': REVIEWER,
  'POST /v1/proposals/:id/resolve': REVIEWER,
  'POST /v1/proposals/:id/reopen': REVIEWER,
  'POST /v1/proposals/:id/retire': REVIEWER,
  'GET /v1/skills': [...READERS, 'agent'],
  'POST /v1/skills/:name/uses': ['agent', 'service', ...ADMINISTRATOR],
  'PUT /v1/skills/:name/rollout': [...REVIEWER, ...ADMINISTRATOR],
  'GET /v1/skills/:name/effect': READERS,
  'GET /v1/deliveries': READERS,
  'GET /v1/deliveries/pauses': PEOPLE,
  'POST /v1/deliveries/pauses': PEOPLE,
  'DELETE /v1/deliveries/pauses/:id': PEOPLE,
  'GET /v1/effects': READERS,
  'GET /v1/repository': READERS,
  'GET /v1/skills/:name': [...READERS, 'agent'],
  'POST /v1/skills/:name/rename': REVIEWER,
  'GET /v1/journal': READERS,
  'GET /v1/journal/:seq/proof': READERS,
  'GET /v1/journal/checkpoint': READERS,
  'GET /v1/journal/export': READERS,
  'GET /v1/journal/verification': READERS,
  'GET /v1/journal/streams': ADMINISTRATOR,
  'POST /v1/journal/streams': ADMINISTRATOR,
  'DELETE /v1/journal/streams/:id': ADMINISTRATOR,
  'GET /v1/retention': ADMINISTRATOR,
  'POST /v1/retention/runs': ADMINISTRATOR,
  'GET /v1/webhooks': ADMINISTRATOR,
  'POST /v1/webhooks': ADMINISTRATOR,
  'DELETE /v1/webhooks/:id': ADMINISTRATOR,
  'POST /v1/webhooks/:id/test': ADMINISTRATOR,
  'GET /v1/webhooks/:id/deliveries': ADMINISTRATOR,
  // The console: the same people as for the API's verbs.
  'GET /': PEOPLE,
  'GET /review/next': PEOPLE,
  'GET /review/:id': PEOPLE,
  'GET /review/:id/edit': REVIEWER,
  'POST /review/:id/approve': REVIEWER,
  'POST /review/:id/reject': REVIEWER,
  'POST /review/:id/resolve': REVIEWER,
  'POST /review/:id/reopen': REVIEWER,
  'POST /review/:id/retire': REVIEWER,
  'POST /review/:id/preview': REVIEWER,
  'POST /review/:id/edit': REVIEWER,
  'POST /review/:id/snooze': PEOPLE,
  'POST /review/:id/override': REVIEWER,
  'GET /skills': PEOPLE,
  'GET /skills/:name': PEOPLE,
  'GET /skills/:name/versions/:version': PEOPLE,
  'POST /skills/:name/rollout': [...REVIEWER, ...ADMINISTRATOR],
  'GET /fleet': PEOPLE,
  'GET /recall': PEOPLE,
  'GET /executions/:id': PEOPLE,
  'GET /cycles': PEOPLE,
  'GET /cycles/:id': PEOPLE,
  'GET /journal': PEOPLE,
  'GET /consolidation': PEOPLE,
  'GET /consolidation/:id': PEOPLE,
  'GET /memories': PEOPLE,
  'GET /memories/:id': PEOPLE,
  'POST /memories/:id/verify': REVIEWER,
  'POST /memories/:id/check': [...REVIEWER, ...ADMINISTRATOR],
  'POST /cycles': ADMINISTRATOR,
  'POST /consolidation': ADMINISTRATOR,
  'POST /consolidation/:id/undo': ADMINISTRATOR,
  'GET /start': PEOPLE,
  'GET /start/arrived': PEOPLE,
  'POST /start/importer': ADMINISTRATOR,
  'POST /start/agent': ADMINISTRATOR,
  'POST /start/paste': ADMINISTRATOR,
  'GET /settings': ADMINISTRATOR,
  'GET /settings/agents': ADMINISTRATOR,
  'GET /settings/services': ADMINISTRATOR,
  'GET /settings/server': ADMINISTRATOR,
  'GET /settings/audit': ADMINISTRATOR,
  'POST /settings/audit': ADMINISTRATOR,
  'POST /settings/audit/:id/remove': ADMINISTRATOR,
  'GET /settings/webhooks': ADMINISTRATOR,
  'POST /settings/webhooks': ADMINISTRATOR,
  'POST /settings/webhooks/:id/test': ADMINISTRATOR,
  'POST /settings/webhooks/:id/remove': ADMINISTRATOR,
  'POST /settings/people/:id/review-scope': ADMINISTRATOR,
  'POST /settings/people': ADMINISTRATOR,
  'POST /settings/agents': ADMINISTRATOR,
  'POST /settings/services': ADMINISTRATOR,
  'POST /settings/people/:id/roles': ADMINISTRATOR,
  'POST /settings/people/:id/invite': ADMINISTRATOR,
  'POST /settings/principals/:id/rotate': ADMINISTRATOR,
  'POST /settings/principals/:id/disable': ADMINISTRATOR,
  // Last, because it revokes the personal tokens of its caller.
  'POST /v1/sign-out': PEOPLE,
};

/**
 * The form of the console for the same action. Tested separately, because a caller of both would have no token left.
 */
const SIGN_OUT = 'POST /sign-out';
/** Ends the token that it is called with, so the table leaves it out. */
const REVOKE_TOKEN = 'DELETE /v1/me/token';
/** The media type that a route takes instead of JSON. */
const TYPES: Readonly<Record<string, string>> = {
  'POST /v1/executions/batch': 'application/x-ndjson',
  'POST /v1/memories/batch': 'application/x-ndjson',
};

/** Guarded GETs that take no turn, although without a rule each does. Each line is a decision. */
const READS_NO_LIST = ['GET /mcp', 'GET /v1/me', 'GET /v1/session-memory/preamble'];

describe('the routes', () => {
  let app: TestApplication;
  let credentials: Awaited<ReturnType<typeof everyCredential>>;

  beforeAll(async () => {
    // Without vectors, the routes of the embedder answer that they are not supported.
    app = await startTestApplication({ GUILDBOOK_RETRIEVAL: 'hybrid' });
    credentials = await everyCredential(app);
  });
  afterAll(() => app.close());

  function call(route: string, headers: Readonly<Record<string, string>>): Promise<Response> {
    const [method = '', path = ''] = route.split(' ');
    const url =
      app.url +
      path
        .replace(':id', '00000000-0000-4000-8000-000000000000')
        .replace(':name', 'no-such-skill')
        .replace(':seq', '1');
    const post =
      method === 'POST' || method === 'PATCH'
        ? { body: '{}', headers: { ...headers, 'content-type': TYPES[route] ?? 'application/json' } }
        : {};
    return fetch(url, { method, headers, ...post });
  }

  const outcome = async (response: Response): Promise<string> => {
    // An unread response would keep its connection open and the server from closing.
    await response.arrayBuffer();
    const { status } = response;
    if (status === 401 || status === 403) return String(status);
    return status < 500 ? 'allowed' : `broken: ${status}`;
  };

  it('are exactly those with an expectation in this table', () => {
    const routes = routerRoutes(app.app);
    const known = [...OPEN, SIGN_OUT, REVOKE_TOKEN, ...Object.keys(ALLOWED)];
    const heads = routes.filter((route) => route.startsWith('HEAD ')).map((route) => route.replace('HEAD', 'GET'));
    expect(routes.filter((route) => !route.startsWith('HEAD ')).sort()).toEqual(known.sort());
    expect(known).toEqual(expect.arrayContaining(heads));
    expect(routes.length).toBeGreaterThan(40);
  });

  it('have a guard, a limit and a cost each, as docs/routes.md lists them', () => {
    const routes = listRoutes(app.app);
    expect(routes.filter(({ guard, limit, cost }) => !guard || !limit || !cost)).toEqual([]);
    expect(routes.filter(({ limit }) => limit === 'none').map(({ route }) => route)).toEqual([
      'GET /healthz',
      'GET /readyz',
    ]);
    // `npm run routes` passes the option of Jest that writes snapshots.
    const isWritten = Object(expect.getState()).snapshotState._updateSnapshot === 'all';
    if (isWritten) writeFileSync('docs/routes.md', routesDocument(routes));
    expect(readFileSync('docs/routes.md', 'utf8')).toBe(routesDocument(routes));
  });

  it('that read as much as there is are processed a few at once for each caller', () => {
    const guarded = listRoutes(app.app).filter(({ guard }) => guard !== undefined && guard !== 'public');
    const reads = guarded.filter(({ route, cost }) => route.startsWith('GET ') || cost?.startsWith('all'));
    expect(reads.length).toBeGreaterThan(READS_NO_LIST.length);
    expect(reads.filter(({ limit }) => limit === 'caller').map(({ route }) => route)).toEqual(READS_NO_LIST);
  });

  it('name in a problem document what is missing and reveal nothing else', async () => {
    const approve = 'POST /v1/proposals/:id/approve';
    const response = await call(approve, credentials.nothing);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="guildbook"');
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await response.json()).toMatchObject({ status: 401, code: 'access.no_credential' });
    for (const holder of ['agent', 'service', 'proposing service'] as const)
      expect(await (await call(approve, credentials[holder])).json()).toMatchObject({
        status: 403,
        code: 'access.not_a_person',
      });
    expect(await (await call(approve, credentials.reader)).json()).toMatchObject({ code: 'access.scope_missing' });
  });

  it.each(Object.entries(ALLOWED))('%s: each caller gets the expected status', async (route, allowed) => {
    const methods = route.startsWith('GET ') ? [route, route.replace('GET', 'HEAD')] : [route];
    for (const method of methods) {
      const answers: Record<string, string> = {};
      for (const [holder, headers] of Object.entries(credentials))
        answers[holder] = await outcome(await call(method, headers));
      expect(answers).toEqual({
        ...Object.fromEntries(VALID.map((holder) => [holder, allowed.includes(holder) ? 'allowed' : '403'])),
        ...Object.fromEntries(VOID.map((holder) => [holder, '401'])),
        ...Object.fromEntries(FOREIGN.map((holder) => [holder, '403'])),
      });
    }
  });

  it('sign out a person by a form as well, and no other caller', async () => {
    const { token } = await app.person('who signs out by a form', {});
    const signOut = (headers: Record<string, string>) =>
      fetch(`${app.url}/sign-out`, { method: 'POST', headers, redirect: 'manual' });
    expect((await signOut(credentials.agent)).status).toBe(403);
    expect((await signOut(credentials.nothing)).status).toBe(401);
    expect((await signOut(credentials['a session from a foreign page'])).status).toBe(403);
    expect((await signOut({ authorization: `Bearer ${token}` })).status).toBe(303);
    expect((await signOut({ authorization: `Bearer ${token}` })).status).toBe(401);
  });

  it('accept a credential in the Authorization header only', async () => {
    const { token } = await app.person('who hides it', { reviewer: true, admin: true });
    const elsewhere = [
      ['/v1/me', { cookie: `token=${token}; authorization=Bearer ${token}` }],
      ['/v1/me', { 'x-api-key': token, 'proxy-authorization': `Bearer ${token}` }],
      ['/v1/me', { authorization: token }],
      [`/v1/me?token=${token}&access_token=${token}&authorization=Bearer%20${token}`, {}],
    ] as const;
    for (const [path, headers] of elsewhere) expect((await fetch(app.url + path, { headers })).status).toBe(401);
    expect((await fetch(`${app.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
  });

  it('accept no forms, which a page of another site could send', async () => {
    const { token } = await app.person('who browses', { reviewer: true });
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
      const answer = await fetch(`${app.url}/v1/proposals/00000000-0000-4000-8000-000000000000/reject`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': type },
        body: 'reason=because',
      });
      expect([type, answer.status]).toEqual([type, 415]);
    }
  });

  it('revoke the token of an agent by that token alone', async () => {
    const person = await app.person('who has an agent', { reviewer: true, admin: true });
    const status = async (token: string) => (await call(REVOKE_TOKEN, { authorization: `Bearer ${token}` })).status;
    expect(await status(person.token)).toBe(403);
    expect((await call(REVOKE_TOKEN, credentials.service)).status).toBe(403);
    expect((await call(REVOKE_TOKEN, credentials.nothing)).status).toBe(401);
    const { token } = await app.agent('whose token ends');
    expect([await status(token), await status(token)]).toEqual([204, 401]);
  });
});
