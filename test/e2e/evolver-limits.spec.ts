import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ToolCall } from '../../src/capture/report/execution-report.schema.js';
import { cycleToEnd } from '../../src/client/cycle-to-end.js';
import { Cycle } from '../../src/evolve/cycle/cycles.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { onlyPending, proposedByFleet, pythonReport, reportPythonFleet } from '../support/fleet.js';
import { http } from '../support/http.js';
import { run } from '../support/reports.js';

let app: TestApplication;
afterEach(() => app.close());

const FLEET = ['ada', 'ben', 'cleo', 'dan'];
/** Another failure and its remedy. */
const STALE = 'forge: error: the lock file is stale';
const FORGE: readonly ToolCall[] = [
  run('forge build site.cfg', STALE),
  run('forge build site.cfg', STALE),
  run('forge build --fresh site.cfg'),
];

/** Each agent of the fleet has this failure in a separate execution. */
async function alsoMeet(toolCalls: readonly ToolCall[], task: string): Promise<void> {
  for (const name of FLEET) {
    const { client } = await app.agent(`${name} - ${task}`, `team of ${name}`);
    await client.executions.report({ ...pythonReport(app, `${task} of ${name}`), toolCalls: [...toolCalls] });
  }
  await app.settled();
}

const report = async () => {
  const { report: found } = await app.admin.evolver.run(false);
  if (!found) throw new Error('the cycle has no report');
  return found;
};

describe('the limits of the evolver', () => {
  it('a cycle stays within its maximum, reports how much it held back, and the next cycle continues', async () => {
    app = await startTestApplication({ GUILDBOOK_MAX_PROPOSALS_PER_CYCLE: '1' });
    await reportPythonFleet(app, FLEET);
    await alsoMeet(FORGE, 'build');
    expect(await report()).toMatchObject({ kept: 2, emitted: 1, heldBack: 1 });
    expect(await report()).toMatchObject({ emitted: 1, alreadyPending: 1, heldBack: 0 });
    expect((await app.admin.proposals.list()).total).toBe(2);
  });

  it('a failure of too few owners is no pattern', async () => {
    app = await startTestApplication({ GUILDBOOK_MIN_OWNERS_FOR_PATTERN: '5' });
    await reportPythonFleet(app, FLEET);
    expect(await report()).toMatchObject({ kept: 0, belowThreshold: 1, emitted: 0 });
    await reportPythonFleet(app, ['eva']);
    expect(await report()).toMatchObject({ kept: 1, emitted: 1 });
  });

  it('a draft of low confidence is counted and not proposed', async () => {
    app = await startTestApplication({ GUILDBOOK_MIN_CONFIDENCE_FOR_PROPOSAL: '0.999' });
    await reportPythonFleet(app, FLEET);
    expect(await report()).toMatchObject({ kept: 1, lowConfidence: 1, emitted: 0, tokens: 0, usd: 0 });
  });

  it('a client starts a cycle that takes longer than a request, and asks until it has ended', async () => {
    app = await startTestApplication();
    await reportPythonFleet(app, FLEET);
    expect(await cycleToEnd(app.admin, true)).toMatchObject({
      state: 'completed',
      dryRun: true,
      report: { kept: 1 },
    });
    const answer = await http(app, app.adminToken).post('/v1/evolver/cycles').send({ wait: false }).expect(202);
    const { id } = Cycle.parse(answer.body);
    while ((await app.admin.evolver.report(id)).state === 'running') await sleep(20);
    expect((await app.admin.proposals.list()).total).toBe(1);
  });

  it('a dry run reports what it would propose, and writes nothing', async () => {
    app = await startTestApplication();
    await reportPythonFleet(app, FLEET);
    const { report: dry } = await app.admin.evolver.run(true);
    expect(dry?.proposals).toMatchObject([{ outcome: 'dry_run', proposalId: null }]);
    expect((await app.admin.proposals.list()).total).toBe(0);
  });

  it('pending proposals count as approved, so that org memory never exceeds its limit', async () => {
    app = await startTestApplication({}, false, { maxOrgEntries: 1 });
    await proposedByFleet(app, FLEET);
    await alsoMeet(FORGE, 'build');
    const refused = { outcome: 'refused', reason: 'org memory is full', proposalId: null };
    const { emitted, proposals } = await report();
    expect([emitted, proposals.filter(({ outcome }) => outcome === 'refused')]).toEqual([
      0,
      [expect.objectContaining(refused)],
    ]);
    expect((await app.admin.proposals.list()).total).toBe(1);
  });

  it('full org memory refuses a new skill, but accepts a replacement', async () => {
    app = await startTestApplication({}, false, { maxOrgEntries: 1 });
    const first = await proposedByFleet(app, FLEET);
    await app.admin.proposals.approve(first.id, first.artifactSha256);
    await alsoMeet(FORGE, 'build');
    const refused = { outcome: 'refused', reason: 'org memory is full', proposalId: null };
    expect(await report()).toMatchObject({ emitted: 0, alreadyApproved: 1, proposals: [refused] });
    expect((await app.admin.proposals.list()).total).toBe(0);

    const selectFirst = [
      run('python manage.py check', 'SyntaxError: invalid syntax'),
      run('pyenv local 3.12'),
      run('python manage.py check'),
    ];
    for (const round of ['one', 'two', 'three']) await alsoMeet(selectFirst, `release ${round}`);
    await report();
    const other = await onlyPending(app);
    expect(other).toMatchObject({ kind: 'conflict', supersedes: { id: expect.any(String) } });

    // What a person replaced comes back only with new evidence.
    await app.admin.proposals.approve(other.id, other.artifactSha256);
    expect(await report()).toMatchObject({ emitted: 0, rememberedRejections: 1 });
    expect((await app.admin.proposals.list()).total).toBe(0);
  });
});
