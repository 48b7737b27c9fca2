import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ToolCall } from '../../src/capture/report/execution-report.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { onlyPending, pythonReport } from '../support/fleet.js';

const failed = (action: string, errorMessage: string): ToolCall => ({ name: 'Bash', action, ok: false, errorMessage });
const worked = (action: string): ToolCall => ({ name: 'Bash', action, ok: true });

const REFUSED = 'fatal: unable to access: server certificate verification failed';
const MISSING = 'ERROR: No matching distribution found for frobber';
const HOOK = 'error: the pre-commit hook failed';

describe('a remedy with a dangerous call', () => {
  let app: TestApplication;
  beforeEach(async () => {
    app = await startTestApplication();
  });
  afterEach(() => app.close());

  async function proposedAfter(
    calls: readonly ToolCall[],
    names: readonly string[],
    owner?: string,
    runs = 1,
  ): Promise<number> {
    for (const name of names) {
      const { client } = await app.agent(name, owner ?? `team of ${name}`);
      for (let n = 0; n < runs; n += 1)
        await client.executions.report({
          ...pythonReport(app, n === 0 ? name : `${name} ${n}`),
          toolCalls: [...calls],
        });
    }
    await app.settled();
    await app.admin.evolver.run(false);
    return (await app.admin.proposals.list()).total;
  }

  it('that turns a protection off is not proposed, and the failure is listed with what agents did', async () => {
    const calls = [
      failed('git push', REFUSED),
      failed('git push', REFUSED),
      worked('git -c http.sslVerify=false push'),
    ];
    expect(await proposedAfter(calls, ['ada', 'ben', 'cleo', 'dora', 'emil'])).toBe(0);
    const { report } = await app.admin.evolver.run(true);
    expect(report?.onlySkipped).toMatchObject([{ action: 'git push', agents: 5 }]);
  });

  it('that takes code from another source is proposed at high risk, and needs two approvals', async () => {
    const calls = [
      failed('pip install left', 'ERROR: No matching distribution found for left'),
      failed('pip install left', 'ERROR: No matching distribution found for left'),
      worked('pip install --index-url https://packages.example.com/simple left'),
    ];
    expect(await proposedAfter(calls, ['ada', 'ben', 'cleo'], undefined, 4)).toBe(1);
    const proposal = await onlyPending(app);
    expect(['high', 'critical']).toContain(proposal.risk);
    expect(proposal.evidence.dangers).toContainEqual(
      expect.objectContaining({ class: 'source', program: 'pip', form: '--index-url', times: 12 }),
    );
    const reviewer = await app.person('Rosa Reviewer', { reviewer: true });
    const approve = reviewer.client.proposals.approve(proposal.id, proposal.artifactSha256);
    expect(await approve).toMatchObject({ state: 'pending', votes: { given: 1, needed: 2 } });
  });

  it('that installs another package is proposed only once it was tested on other runs, at high risk', async () => {
    const calls = [
      failed('pip install frobber', MISSING),
      failed('pip install frobber', MISSING),
      worked('pip install frobber-plus'),
    ];
    expect(await proposedAfter(calls, ['ada', 'ben', 'cleo'])).toBe(0);
    const { report } = await app.admin.evolver.run(true);
    expect(report?.candidates).toEqual({ confirmed: 0, observed: 0, undecided: 1, refuted: 0 });
    expect(await proposedAfter(calls, ['dora', 'emil', 'fay'], undefined, 4)).toBe(1);
    const { risk, evidence, id, artifactSha256 } = await onlyPending(app);
    expect(['high', 'critical']).toContain(risk);
    expect(evidence.check?.verdict).toBe('confirmed');
    expect(evidence.dangers).toContainEqual(
      expect.objectContaining({ program: 'pip', form: 'installs another package: frobber → frobber-plus', times: 15 }),
    );
    const { client } = await app.person('Rosa Reviewer', { reviewer: true });
    const vote = await client.proposals.approve(id, artifactSha256);
    expect(vote).toMatchObject({ state: 'pending', votes: { given: 1, needed: 2 } });
  });

  it('shows the address of a foreign source, without the secret in it', async () => {
    const url = 'https://deploy:hunter2hunter2@packages.example.com/simple';
    const install = `pip3 install --index-url ${url} left`;
    const calls = [
      failed('pip install left', 'SyntaxError: x'),
      failed('pip install left', 'SyntaxError: x'),
      worked(install),
    ];
    expect(await proposedAfter(calls, ['ada', 'ben', 'cleo'], undefined, 4)).toBe(1);
    const { evidence, risk } = await onlyPending(app);
    expect(evidence.dangers?.[0]).toMatchObject({ class: 'source', form: '--index-url' });
    expect(evidence.dangers?.[0]?.call).toContain('packages.example.com');
    expect(JSON.stringify(evidence)).not.toContain('hunter2');
    expect(['high', 'critical']).toContain(risk);
  });

  it('is not proposed at all if it skips a check', async () => {
    const skip = worked('git commit --no-verify -m fix');
    const calls = [failed('git commit -m fix', HOOK), failed('git commit -m fix', HOOK), skip];
    expect(await proposedAfter(calls, ['ada', 'ben', 'cleo', 'dora', 'emil'])).toBe(0);
  });

  it('of one owner counts as one owner under any names of tasks', async () => {
    const calls = pythonReport(app, 'x').toolCalls;
    expect(await proposedAfter(calls, ['ada', 'ben', 'cleo', 'dora', 'emil'], 'one person')).toBe(1);
    const { evidence } = await onlyPending(app);
    expect(evidence).toMatchObject({ agents: 5, owners: 1, independentOwners: 1, origins: 5 });
  });

  it('of one owner is not proposed where a pattern needs two, even if another owner has the failure', async () => {
    await app.close();
    app = await startTestApplication({ GUILDBOOK_MIN_OWNERS_FOR_PATTERN: '2' });
    const [failure, again, remedy] = pythonReport(app, 'x').toolCalls;
    if (!failure || !again || !remedy) throw new Error('the report has three calls');
    const names = ['ada', 'ben', 'cleo', 'dora', 'emil'];
    expect(await proposedAfter([failure, again, remedy], names, 'one person')).toBe(0);
    expect(await proposedAfter([failure, again], ['fay', 'gus'], 'another person')).toBe(0);
    expect(await proposedAfter([failure, again, remedy], ['hal'], 'another person')).toBe(1);
  });
});
