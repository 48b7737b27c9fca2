import { afterEach, expect, it } from '@jest/globals';
import type { Guildbook } from '../../src/client/guildbook.js';
import { DAY_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { pythonReport } from '../support/fleet.js';
import { run } from '../support/reports.js';

const AGENTS = ['ada', 'ben', 'cleo', 'dan', 'eva'];
let app: TestApplication;
let agents: Guildbook[];
let admin: Guildbook;
let renewal: string;
afterEach(() => app.close());

async function start(): Promise<void> {
  app = await startTestApplication({ GUILDBOOK_EVOLVER_WINDOW_DAYS: '1' });
  agents = [];
  for (const name of AGENTS) agents.push((await app.agent(name, `team of ${name}`)).client);
  const invited = await app.admin.people.add({ name: 'Rev', email: 'rev@example.org', reviewer: true, admin: true });
  renewal = (await app.client().signIn(invited.token)).signInToken ?? '';
  await later(0);
}

/** Sessions expire when the clock is advanced. */
async function later(days: number): Promise<void> {
  app.clock.advance(days * DAY_MS);
  const { token, signInToken = '' } = await app.client().signIn(renewal);
  [admin, renewal] = [app.client(token), signInToken || renewal];
}

const SYNTAX = 'SyntaxError: invalid syntax';
const MODULE = 'ModuleNotFoundError: the interpreter has no such module';

/** Each agent meets this error with `python`, and `python3` works. */
async function failed(error: string, day: number): Promise<void> {
  for (const [at, client] of agents.entries()) {
    const toolCalls = [run('python close.py', error), run('python close.py', error), run('python3 close.py')];
    await client.executions.report({ ...pythonReport(app, `${AGENTS[at]} ${error} ${day}`), toolCalls });
  }
  await app.settled();
}

async function cycle(): Promise<string[]> {
  const { report } = await admin.evolver.run(false);
  return (report?.proposals ?? []).map(({ outcome }) => outcome);
}

it('of two proposals with one remedy, one becomes the proposal for both failures and the other is withdrawn', async () => {
  await start();
  await failed(SYNTAX, 1);
  expect(await cycle()).toEqual(['submitted']);
  await later(2);
  await failed(MODULE, 3);
  expect(await cycle()).toEqual(['submitted']);
  const cases = (await admin.proposals.list()).items;
  expect(cases).toHaveLength(2);

  await failed(SYNTAX, 4);
  expect(await cycle()).toEqual(['refreshed']);
  const { items } = await admin.proposals.list();
  const [kept, ...others] = items;
  expect(others).toEqual([]);
  expect((await admin.proposals.show(kept?.id ?? '')).evidence).toMatchObject({ executions: 10 });
  const gone = cases.find(({ id }) => id !== kept?.id);
  expect((await admin.proposals.show(gone?.id ?? '')).state).toBe('withdrawn');
  const { items: entries } = await admin.journal.list({ action: 'proposal.withdrawn', limit: 10 });
  expect(entries).toMatchObject([
    { actor: { kind: 'job', name: 'evolver' }, data: { reason: `covered by proposal ${kept?.id}` } },
  ]);
  // It is not proposed again.
  expect(await cycle()).toEqual(['unchanged']);
  expect((await admin.proposals.list()).total).toBe(1);
});

it('a proposal that a person edited is not withdrawn', async () => {
  await start();
  await failed(SYNTAX, 1);
  await cycle();
  await later(2);
  await failed(MODULE, 3);
  await cycle();
  for (const { id } of (await admin.proposals.list()).items) {
    const { artifactSha256, proposedSkill: proposal } = await admin.proposals.show(id);
    await admin.proposals.edit(id, {
      artifactSha256,
      proposedSkill: { ...proposal, title: `${proposal.title}, always` },
    });
  }
  await failed(SYNTAX, 4);
  expect(await cycle()).toEqual(['unchanged']);
  expect((await admin.proposals.list()).total).toBe(2);
});
