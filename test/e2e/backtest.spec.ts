import { afterEach, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { onlyPending, pythonReport, reportPythonFleet } from '../support/fleet.js';
import { run } from '../support/reports.js';

const team = (size: number) => Array.from({ length: size }, (_, n) => `backtest-${n}`);

describe('the backtest of a proposal', () => {
  let app: TestApplication;
  afterEach(() => app.close());

  it('shows where the condition would have fired in executions that the proposal was not made from', async () => {
    app = await startTestApplication();
    const agents = await reportPythonFleet(app, team(24));
    const [first] = agents;
    if (!first) throw new Error('no agent');
    const client = app.client(first.token);
    const quiet = [run('python manage.py check')];
    for (let n = 0; n < 6; n += 1)
      await client.executions.report({ ...pythonReport(app, `quiet ${n}`), toolCalls: quiet });
    await app.settled();
    await app.admin.evolver.run(false);

    const before = await onlyPending(app);
    expect(before.evidence.backtest).toMatchObject({
      ...{ verdict: 'tested', tested: 30, read: 30, supporting: 24, nearMisses: 6, missed: 0 },
      precision: { worked: 24, n: 30, rate: 0.8 },
      recall: { worked: 24, n: 24, rate: 1 },
    });
    expect(before.artifact).not.toContain('acktest');

    await client.executions.report({ ...pythonReport(app, 'late quiet'), toolCalls: quiet });
    await client.executions.report(pythonReport(app, 'late'));
    await app.settled();
    await app.admin.evolver.run(false);
    const after = await onlyPending(app);
    expect(after.revision).toBeGreaterThan(before.revision);
    expect(after.evidence.backtest).toMatchObject({ read: 32, supporting: 25, nearMisses: 7 });
  });

  it('reports too little evidence if half of the executions would not have made the proposal', async () => {
    app = await startTestApplication();
    await reportPythonFleet(app, team(3));
    await app.admin.evolver.run(false);
    expect((await onlyPending(app)).evidence.backtest).toMatchObject({
      ...{ verdict: 'not_enough_evidence', tested: 0, read: 3, precision: null, recall: null },
    });
  });

  it('also covers success patterns, in the queue and in the report of the cycle', async () => {
    app = await startTestApplication();
    const agents = await Promise.all(team(4).map((name) => app.agent(name, `team of ${name}`)));
    const judged = async (serial: string, n: number, outcome: 'succeeded' | 'failed', commands: string[]) =>
      agents[n % agents.length]?.client.executions.report({
        ...pythonReport(app, `${serial} ${n}`),
        ...{ verification: { outcome, source: 'ci' }, toolCalls: commands.map((command) => run(command)) },
      });
    for (let n = 0; n < 16; n += 1) {
      await judged('checked', n, 'succeeded', ['npm run lint', 'npm publish']);
      await judged('unchecked', n, 'failed', ['npm publish']);
    }
    await app.settled();
    const { report } = await app.admin.evolver.run(false);
    const title = 'Run npm run lint before npm publish';
    expect(report).toMatchObject({ patterns: 1, kept: 1, emitted: 1, proposals: [{ title, worked: 16, tried: 16 }] });
    const proposal = await onlyPending(app);
    expect(proposal.proposedSkill.title).toBe(title);
    expect(proposal.evidence).toMatchObject({
      ...{
        agents: 4,
        failures: 16,
        repeating: { worked: 0, n: 16 },
        alternatives: [{ action: 'npm run lint first', n: 16 }],
      },
      backtest: { verdict: 'tested', supporting: 32, nearMisses: 0, precision: { rate: 1 } },
    });
    expect(proposal.artifact).toContain('That this is the cause is not shown');

    const again = await app.admin.evolver.run(false);
    expect(again.report).toMatchObject({ emitted: 0, alreadyPending: 1 });
    await app.admin.proposals.reject(proposal.id, 'We publish from CI only.');
    expect((await app.admin.evolver.run(false)).report).toMatchObject({ emitted: 0, rememberedRejections: 1 });
  });
});
