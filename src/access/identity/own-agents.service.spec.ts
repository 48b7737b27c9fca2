import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { pythonReport } from '../../../test/support/fleet.js';
import { http } from '../../../test/support/http.js';

const refused = (status: number, code: string) => ({ problem: { status, code } });

describe('the agents that people connect themselves', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  const actions = async (subject: string) =>
    (await app.admin.journal.list({ subject })).items.map(({ action, actor }) => `${action} by ${actor.kind}`);

  it('are registered for a person without any role, who is their owner, and report only for themselves', async () => {
    const { client } = await app.person('Olga Plain', {});
    const { principal, token, expiresAt } = await client.agents.own({ product: 'codex' });

    expect(principal).toMatchObject({ kind: 'agent', name: 'Olga Plain/codex', owner: 'Olga Plain' });
    expect(expiresAt).toBeNull();
    const agent = app.client(token);
    expect((await agent.me()).scopes).toEqual(['report', 'read']);
    expect((await agent.executions.report(pythonReport(app, 'nightly'))).duplicate).toBe(false);
    await expect(agent.agents.own({ product: 'codex' })).rejects.toMatchObject(refused(403, 'access.wrong_kind'));
    expect(await actions(principal.id)).toEqual(['access.own_agent_token_issued by owner']);
  });

  it('have a token for each machine, and one that ends leaves the others', async () => {
    const { client } = await app.person('Two Machines', {});
    const [desk, laptop] = await Promise.all(['desk', 'laptop'].map(() => client.agents.own({ product: 'gemini' })));
    if (desk === undefined || laptop === undefined) throw new Error('no token');

    expect(laptop.principal.id).toBe(desk.principal.id);
    await app.client(desk.token).ownToken.revoke();
    await expect(app.client(desk.token).me()).rejects.toMatchObject(refused(401, 'access.revoked'));
    await expect(app.client(desk.token).ownToken.revoke()).rejects.toMatchObject(refused(401, 'access.revoked'));
    expect((await app.client(laptop.token).me()).principal.name).toBe('Two Machines/gemini');
    expect((await actions(desk.principal.id)).sort()).toEqual([
      'access.own_agent_token_issued by owner',
      'access.own_agent_token_issued by owner',
      'access.own_token_revoked by agent',
    ]);
  });

  it('are refused under the name of another owner, for an unknown product, and after they were disabled', async () => {
    const { client } = await app.person('Nina', {});
    await app.admin.agents.add({ name: 'Nina/copilot', owner: 'platform-team' });
    await expect(client.agents.own({ product: 'copilot' })).rejects.toMatchObject(refused(409, 'access.name_taken'));

    await http(app, app.adminToken).post('/v1/me/agents').send({ product: 'notepad' }).expect(400);

    const { principal, token } = await client.agents.own({ product: 'codex' });
    await app.admin.principals.disable(principal.id);
    await expect(app.client(token).me()).rejects.toMatchObject(refused(401, 'access.revoked'));
    await expect(client.agents.own({ product: 'codex' })).rejects.toMatchObject(refused(409, 'access.disabled'));
  });

  it('have a name of at most 100 characters, also for a person with a long one', async () => {
    const { client } = await app.person('L'.repeat(100), {});
    const { principal } = await client.agents.own({ product: 'claude-code' });
    expect(principal.name).toBe(`${'L'.repeat(88)}/claude-code`);
  });
});
