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
});
