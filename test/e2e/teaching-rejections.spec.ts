import { afterEach, expect, it } from '@jest/globals';
import type { ToolCall } from '../../src/capture/report/execution-report.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { Console, decoded } from '../support/console.js';
import { pythonReport } from '../support/fleet.js';
import { run } from '../support/reports.js';

const AGENTS = ['ada', 'ben', 'cleo', 'dan', 'eva'];
let app: TestApplication;
afterEach(() => app.close());

const python = (error: string): ToolCall[] => [
  run('python a.py', error),
  run('python a.py', error),
  run('python3 a.py'),
];
const MODULE = 'ModuleNotFoundError: the interpreter has no such module';
const STALE = 'forge: error: the lock file is stale';
const FORGE = [
  run('forge build site.cfg', STALE),
  run('forge build site.cfg', STALE),
  run('forge build --fresh site.cfg'),
];

async function meet(task: string, toolCalls: readonly ToolCall[]): Promise<void> {
  for (const name of AGENTS) {
    const { client } = await app.agent(`${name} - ${task}`, `team of ${name}`);
    await client.executions.report({ ...pythonReport(app, `${task} of ${name}`), toolCalls: [...toolCalls] });
  }
  await app.settled();
}

async function cycle() {
  const { report } = await app.admin.evolver.run(false);
  if (!report) throw new Error('the cycle has no report');
  return report;
}

it('a rejected remedy waits behind others when it comes back against another failure, and says why', async () => {
  app = await startTestApplication({ GUILDBOOK_MAX_PROPOSALS_PER_CYCLE: '1' });
  await meet('syntax', python('SyntaxError: invalid syntax'));
  const [syntax] = (await cycle()).proposals;
  await app.admin.proposals.reject(syntax?.proposalId ?? '', 'wrong: python3 is not our interpreter');

  await meet('module', python(MODULE).slice(1));
  await meet('build', FORGE);
  const lowered = [{ reason: 'wrong', resembles: 'remedy', rejections: 1 }];
  const report = await cycle();
  expect(report).toMatchObject({ emitted: 1, heldBack: 1 });
  expect(report.proposals).toMatchObject([{ action: expect.stringContaining('--fresh') }]);
  expect(report.notProposed.find(({ because }) => because === 'over_limit')).toMatchObject({ lowered });

  // It is not blocked: with room it is proposed.
  const { id, report: second } = await app.admin.evolver.run(false);
  const next = second?.proposals.find(({ outcome }) => outcome === 'submitted');
  expect(next).toMatchObject({ action: expect.stringContaining('python3'), lowered });
  const proposal = await app.admin.proposals.show(next?.proposalId ?? '');
  expect(proposal.evidence).toMatchObject({ lowered });
  const reader = await Console.signedIn(app, 'Ron Reader', {});
  const page = decoded((await reader.get(`/review/${proposal.id}`)).text);
  const why = '1 rejection of the same remedy against other failures: It is wrong';
  expect(page).toContain(why);
  expect(decoded((await reader.get(`/cycles/${id}`)).text)).toContain(why);
});

it('a rejection that was undone lowers nothing', async () => {
  app = await startTestApplication({ GUILDBOOK_MAX_PROPOSALS_PER_CYCLE: '1' });
  await meet('syntax', python('SyntaxError: invalid syntax'));
  const [syntax] = (await cycle()).proposals;
  await app.admin.proposals.reject(syntax?.proposalId ?? '', 'It is wrong');
  await app.admin.proposals.reopen(syntax?.proposalId ?? '', 'a slip');
  await meet('build', FORGE);
  const report = await cycle();
  expect(JSON.stringify(report)).not.toContain('"lowered"');
});
