import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { Principals } from './principals.service.js';
import { ReporterResolver } from './reporter-resolver.service.js';

let app: TestApplication;
let reporters: ReporterResolver;

beforeAll(async () => {
  app = await startTestApplication();
  reporters = app.app.get(ReporterResolver);
});
afterAll(() => app.close());

const CREDENTIAL = '00000000-0000-4000-8000-00000000c0de';
const agent = (name: string, owner: string) => app.agent(name, owner);

describe('the agent of a report', () => {
  const caller = (change: object) => ({
    id: '00000000-0000-4000-8000-000000000000',
    credentialId: CREDENTIAL,
    name: 'Importer',
    email: null,
    owner: 'Fleet',
    role: null,
    department: null,
    isReviewer: false,
    reviewScope: null,
    isAdmin: false,
    scopes: ['report-for'] as const,
    expiresAt: null,
    kind: 'service' as const,
    ...change,
  });

  it('an agent reports for itself, even if it names itself', async () => {
    const hal = caller({ kind: 'agent', name: 'Hal', scopes: ['report'] });
    const source = { owner: 'Fleet', reporterId: hal.id, credentialId: CREDENTIAL };
    const itself = { kind: 'agent', id: hal.id, name: 'Hal', source };
    expect(await reporters.resolve(hal, undefined)).toEqual(itself);
    expect(await reporters.resolve(hal, 'Hal')).toEqual(itself);
    await expect(reporters.resolve(hal, 'Ida')).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'execution.other_agent',
    });
  });

  it('an importer must name the agent by a valid name', async () => {
    await expect(reporters.resolve(caller({}), undefined)).rejects.toMatchObject({ code: 'execution.agent_missing' });
    for (const name of ['', '<b>', '-x', 'a\nb', 'x'.repeat(101)])
      await expect(reporters.resolve(caller({}), name)).rejects.toMatchObject({ code: 'execution.agent_name' });
  });

  it('an agent is the same under a name in another case', async () => {
    const first = await reporters.resolve(caller({}), 'Build-Bot');
    expect(await reporters.resolve(caller({}), 'build-BOT')).toEqual(first);
    expect((await reporters.resolve(caller({}), 'build-bot-2')).id).not.toBe(first.id);
  });

  it("an agent that an importer names first belongs to the importer's owner", async () => {
    const named = await reporters.resolve(caller({}), 'Jon');
    const again = await reporters.resolve(caller({ name: 'Second importer' }), 'Jon');
    expect(again).toEqual(named);
    const agents = await app.app.get(Principals).list('agent');
    expect(agents.filter(({ name }) => name === 'Jon')).toEqual([
      expect.objectContaining({ id: named.id, owner: 'Fleet' }),
    ]);
  });

  it("a service cannot report for another owner's agents", async () => {
    await agent('Nia', 'Books');
    await expect(reporters.resolve(caller({}), 'Nia')).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'access.other_owner',
    });
  });

  it('two simultaneous first reports register the agent once', async () => {
    const named = await Promise.all(Array.from({ length: 4 }, () => reporters.resolve(caller({}), 'Kim')));
    expect(new Set(named.map(({ id }) => id)).size).toBe(1);
  });

  it('no importer reports for a disabled agent', async () => {
    const lou = await agent('Lou', 'Fleet');
    await app.admin.principals.disable(lou.id);
    await expect(reporters.resolve(caller({}), 'Lou')).rejects.toMatchObject({
      kind: 'conflict',
      code: 'execution.agent_disabled',
    });
  });
});
