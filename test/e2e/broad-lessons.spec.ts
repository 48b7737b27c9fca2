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

/** Each agent looks for a file with this program at a path that does not exist, and finds it at another. */
async function lost(program: string, day: number): Promise<void> {
  const missing = `${program}: app/a.txt: No such file or directory`;
  for (const [at, client] of agents.entries()) {
    const toolCalls = [run(`${program} app/a.txt`, missing), run(`${program} a.txt`)];
    await client.executions.report({ ...pythonReport(app, `${AGENTS[at]} ${program} ${day}`), toolCalls });
  }
  await app.settled();
}

async function cycle(): Promise<string[]> {
  const { report } = await admin.evolver.run(false);
  return (report?.proposals ?? []).map(({ outcome }) => outcome);
}

it('of two proposals on cases of one kind of error, one becomes the proposal on all and the other is withdrawn', async () => {
  await start();
  await lost('cat', 1);
  expect(await cycle()).toEqual(['submitted']);
  await later(2);
  await lost('ls', 3);
  expect(await cycle()).toEqual(['submitted']);
  const cases = (await admin.proposals.list()).items;
  expect(cases).toHaveLength(2);

  await lost('cat', 4);
  expect(await cycle()).toEqual(['refreshed']);
  const { items } = await admin.proposals.list();
  expect(items.map(({ title }) => title)).toEqual([
    'Leave the folder that the shell already stands in out of the path',
  ]);
  const [kept] = items;
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
  await lost('cat', 1);
  await cycle();
  await later(2);
  await lost('ls', 3);
  await cycle();
  for (const { id } of (await admin.proposals.list()).items) {
    const { artifactSha256, proposedSkill: proposal } = await admin.proposals.show(id);
    await admin.proposals.edit(id, {
      artifactSha256,
      proposedSkill: { ...proposal, title: `${proposal.title}, always` },
    });
  }
  await lost('cat', 4);
  expect(await cycle()).toEqual(['unchanged']);
  expect((await admin.proposals.list()).total).toBe(2);
});
