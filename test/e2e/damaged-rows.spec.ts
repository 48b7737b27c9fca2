import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { proposedByFleet } from '../support/fleet.js';
import { http } from '../support/http.js';
import { storedMemory } from '../support/memories.js';
import { submitTestProposal } from '../support/proposal-input.js';
import { report, run } from '../support/reports.js';

/** A value of another form in every column of stored JSON. */
const DAMAGE: Readonly<Record<string, string>> = {
  memory: `"steps" = '{"first": "an object"}', "parts" = '{"example": []}'`,
  proposal: `"evidence" = '[]', "revision" = "revision" + 1`,
  execution: `"report" = '"text"'`,
  observation: `"body" = '{"episodes": {"0": 1}}'`,
  evolver_cycle: `"report" = '[1]'`,
};

describe('a row that cannot be read', () => {
  let app: TestApplication;
  const logged: string[] = [];
  beforeAll(async () => {
    const take = (line: unknown) => logged.push(JSON.stringify(line));
    app = await startTestApplication({}, { log: () => {}, warn: () => {}, error: take });
  });
  afterAll(() => app.close());

  const readiness = async (): Promise<unknown> => (await http(app).get('/readyz')).body;

  it('of a lesson can be deleted, and the answer is the lesson without its texts', async () => {
    const { id: agentId } = await app.agent('Eve', 'Books');
    const id = await storedMemory(app.database, { agentId, discovery: 'a damaged cost', createdAt: new Date() });
    const damage = `UPDATE "memory" SET ${DAMAGE['memory']}, "cost" = '{"inputTokens": "many"}' WHERE "id" = '${id}'`;
    expect(await app.database.client.$executeRawUnsafe(damage)).toBe(1);
    expect(await app.admin.lesson.delete(id, 'it cannot be read')).toMatchObject({
      id,
      endReason: 'deleted',
      cost: null,
    });
  });

  it('is left out, named and counted; lists, captures and a cycle go on', async () => {
    expect(await readiness()).toMatchObject({ status: 'ready', problems: [] });
    await proposedByFleet(app, ['ada', 'ben', 'cem']);
    const { id: agentId, client } = await app.agent('Dora', 'Books');
    const damaged = await storedMemory(app.database, {
      agentId,
      discovery: 'a damaged lesson about tar',
      createdAt: new Date(),
    });
    const sound = await storedMemory(app.database, {
      agentId,
      discovery: 'a sound lesson about tar',
      createdAt: new Date(),
    });
    const proposal = await submitTestProposal(app, 'a sound proposal');
    const before = await app.admin.proposals.list({ state: 'pending' });
    for (const [table, change] of Object.entries(DAMAGE)) {
      const where =
        table === 'memory' ? `WHERE "id" = '${damaged}'` : table === 'proposal' ? `WHERE "id" <> '${proposal.id}'` : '';
      expect(await app.database.client.$executeRawUnsafe(`UPDATE "${table}" SET ${change} ${where}`)).toBeGreaterThan(
        0,
      );
    }
    expect(before.items.length).toBe(2);
    expect((await app.admin.proposals.list({ state: 'pending' })).items.map(({ id }) => id)).toEqual([proposal.id]);
    expect((await app.admin.lessons()).items.map(({ id }) => id)).toContain(sound);
    expect((await app.admin.lessons()).items.map(({ id }) => id)).not.toContain(damaged);
    await app.admin.executions.list();
    expect((await app.admin.evolver.run(true)).state).toBe('completed');
    await client.executions.report(report({ executionId: 'afterwards', toolCalls: [run('git status')] }));
    await app.settled();
    expect(await readiness()).toMatchObject({
      status: 'degraded',
      problems: [expect.objectContaining({ code: 'database.damaged_rows' })],
    });
    const named = logged.filter((line) => line.includes('DAMAGED_ROW'));
    for (const table of ['memory', 'proposal', 'observation']) expect(named.join('\n')).toContain(`"table":"${table}"`);
    // Once each, by every server of this process: another spec file can have left one that it killed.
    const timesNamed = (id: string) => named.filter((line) => line.includes(id)).length;
    const unread = before.items.find(({ id }) => id !== proposal.id)?.id ?? '';
    expect(timesNamed(damaged)).toBeGreaterThan(0);
    expect(timesNamed(damaged)).toBe(timesNamed(unread));
    expect(JSON.stringify(await readiness())).not.toContain(damaged);
  });

  it('differs from damaged pages, which /readyz reports as well', async () => {
    await app.database.client.$executeRawUnsafe(`
      CREATE FUNCTION damaged() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'invalid page in block 0' USING ERRCODE = 'XX001'; END $$`);
    await app.database.client.$executeRawUnsafe(
      'CREATE TRIGGER damaged BEFORE INSERT ON "execution" FOR EACH ROW EXECUTE FUNCTION damaged()',
    );
    const { client } = await app.agent('Emil');
    await expect(client.executions.report(report({ executionId: 'refused' }))).rejects.toThrow('Internal error');
    await app.database.client.$executeRawUnsafe('DROP FUNCTION damaged() CASCADE');
    expect(await readiness()).toMatchObject({
      problems: [{ code: 'database.damaged_rows' }, { code: 'database.damaged_pages' }],
    });
  });
});

describe('keys of prototypes in a body', () => {
  let app: TestApplication;
  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  it.each(['__proto__', 'constructor', 'prototype'])('are refused on every route: %s', async (key) => {
    const { token } = await app.agent(`Ada ${key.replaceAll('_', '')}`);
    const text = JSON.stringify(report()).replace('{', `{"metadata":{"${key}":{"isAdmin":true}},`);
    const malformed = 'request.malformed_json';
    for (const [path, body, code] of [
      ['/v1/executions', text, malformed],
      // OTLP answers with google.rpc.Status, in which 3 is INVALID_ARGUMENT.
      ['/v1/traces', `{"resourceSpans":[{"${key}":1}]}`, 3],
      ['/mcp', `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"${key}":1}}`, malformed],
    ] as const) {
      const answer = await http(app, token).post(path).type('json').send(body);
      expect([path, answer.status, answer.body.code]).toEqual([path, 400, code]);
    }
  });
});

describe('a request under a foreign name', () => {
  let app: TestApplication;
  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  it.each(['/healthz', '/v1/proposals', '/mcp', '/', '/.well-known/agent-skills/index.json', '/no-such-route'])(
    'is refused on %s, and says which setting allows it',
    async (url) => {
      const send = (headers: Record<string, string>) => app.app.inject({ method: 'GET', url, headers });
      const rebound = await send({ host: 'attacker.example', authorization: `Bearer ${app.adminToken}` });
      expect([rebound.statusCode, rebound.json<{ code: string }>().code]).toEqual([421, 'request.wrong_host']);
      expect(rebound.payload).toContain('GUILDBOOK_PUBLIC_URL');
      const foreign = await send({ host: 'localhost', origin: 'https://attacker.example' });
      expect([foreign.statusCode, foreign.json<{ code: string }>().code]).toEqual([403, 'access.cross_origin']);
      expect(foreign.payload).toContain('GUILDBOOK_PUBLIC_URL');
      for (const host of ['127.0.0.1:1', 'localhost', '[::1]:80'])
        expect((await send({ host })).statusCode).not.toBe(421);
      // Without a trusted proxy this header names nothing.
      expect((await send({ host: 'attacker.example', 'x-forwarded-host': 'localhost' })).statusCode).toBe(421);
    },
  );
});
