import { afterEach, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { onlyPending, pythonReport, reportPythonFleet } from '../support/fleet.js';
import { run } from '../support/reports.js';

const team = (size: number) => Array.from({ length: size }, (_, n) => `backtest-${n}`);

describe('the backtest of a proposal', () => {
  let app: TestApplication;
  afterEach(() => app.close());

  it('shows where the condition would have fired in the half of the tasks that the proposal was not learned from', async () => {
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
    const { tested = 0, supporting = 0, nearMisses = 0, ...rest } = before.evidence.backtest ?? {};
    expect(rest).toMatchObject({
      verdict: 'tested',
      read: 30,
      missed: 0,
      precision: { worked: supporting, n: tested, rate: supporting / tested },
      recall: { worked: supporting, n: supporting, rate: 1 },
    });
    expect([tested, nearMisses > 0]).toEqual([supporting + nearMisses, true]);
    expect(Math.abs(tested - 15)).toBeLessThan(8);
    expect(before.artifact).not.toContain('acktest');

    for (let n = 0; n < 8; n += 1) {
      await client.executions.report({ ...pythonReport(app, `late quiet ${n}`), toolCalls: quiet });
      await client.executions.report(pythonReport(app, `late ${n}`));
    }
    await app.settled();
    await app.admin.evolver.run(false);
    const after = await onlyPending(app);
    expect(after.revision).toBeGreaterThan(before.revision);
    const later = after.evidence.backtest;
    expect(later).toMatchObject({ read: 46, missed: 0 });
    expect(later?.supporting).toBeGreaterThan(supporting);
    expect(later?.nearMisses).toBeGreaterThan(nearMisses);
  });

  it('reports too little evidence if the condition fires in too few held-out executions', async () => {
    app = await startTestApplication();
    await reportPythonFleet(app, team(3));
    await app.admin.evolver.run(false);
    expect((await onlyPending(app)).evidence.backtest).toMatchObject({
      verdict: 'not_enough_evidence',
      read: 3,
      precision: null,
      recall: null,
    });
  });

  it('leaves out a step of successful runs, whose check compares the outcomes of whole runs', async () => {
    app = await startTestApplication();
    const agents = await Promise.all(team(4).map((name) => app.agent(name, `team of ${name}`)));
    const judged = async (serial: string, n: number, outcome: 'succeeded' | 'failed', commands: string[]) =>
      agents[n % agents.length]?.client.executions.report({
        ...pythonReport(app, `${serial} ${n}`),
        verification: { outcome, source: 'ci' },
        toolCalls: commands.map((command) => run(command)),
      });
    for (let n = 0; n < 24; n += 1) {
      await judged('checked', n, 'succeeded', ['npm run lint', 'npm publish']);
      await judged('unchecked', n, 'failed', ['npm publish']);
    }
    await app.settled();
    const { report } = await app.admin.evolver.run(false);
    const title = 'Run npm run lint before npm publish';
    expect(report).toMatchObject({ emitted: 1, proposals: [{ title }] });
    const proposal = await onlyPending(app);
    expect(proposal.proposedSkill.title).toBe(title);
    expect(proposal.evidence).toMatchObject({
      agents: 4,
      repeating: { worked: 0 },
      alternatives: [{ action: 'npm run lint first', rate: 1 }],
      check: { verdict: 'confirmed', by: 'execution', split: 'origin' },
      backtest: { verdict: 'not_enough_evidence', tested: 0 },
    });
    const { artifact, evidence } = proposal;
    expect(evidence.check?.seen).toEqual({ with: { worked: 24, n: 24 }, without: { worked: 0, n: 24 } });
    expect(artifact).toContain('That this is the cause is not shown');

    const again = await app.admin.evolver.run(false);
    expect(again.report).toMatchObject({ emitted: 0, alreadyPending: 1 });
    await app.admin.proposals.reject(proposal.id, 'We publish from CI only.');
    expect((await app.admin.evolver.run(false)).report).toMatchObject({ emitted: 0, rememberedRejections: 1 });
  });
});
