import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { originOf } from '../../src/capture/intake/executions.service.js';
import type { ToolCall } from '../../src/capture/report/execution-report.schema.js';
import type { Guildbook } from '../../src/client/guildbook.js';
import { halfOf } from '../../src/evolve/evidence/halves.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { pythonReport } from '../support/fleet.js';
import { run } from '../support/reports.js';

const AGENTS = ['ada', 'ben', 'cleo', 'dora'];
const BUSY = run('sync books', 'Error: the remote of the books is busy');
const WAITED = [BUSY, BUSY, run('sync --wait books')];
/** Waiting is of no use, and the same call works again. */
const REPEATED = [BUSY, run('sync books'), run('sync --wait books', 'Error: the remote of the books is busy')];

let app: TestApplication;
let agents: Guildbook[];
let tasks: number;
beforeEach(async () => {
  app = await startTestApplication();
  agents = [];
  for (const name of AGENTS) agents.push((await app.agent(name, `team of ${name}`)).client);
  tasks = 0;
});
afterEach(() => app.close());

/** Reports `of` executions of separate tasks of one half of the origins, by the agents in turn. */
async function reported(calls: readonly ToolCall[], of: number, half: 'a' | 'b'): Promise<void> {
  for (let n = 0; n < of; tasks += 1) {
    const report = pythonReport(app, `number ${tasks}`);
    if (halfOf(originOf(report)) !== half) continue;
    await agents[n % agents.length]?.executions.report({ ...report, toolCalls: [...calls] });
    n += 1;
  }
  await app.settled();
}

const cycle = async () => (await app.admin.evolver.run(false)).report;

/** A skill that was observed in one half of the tasks only. */
async function observedSkill() {
  await reported(WAITED, 12, 'a');
  await cycle();
  const [pending] = (await app.admin.proposals.list()).items;
  if (!pending) throw new Error('nothing is proposed');
  await app.admin.proposals.approve(pending.id, pending.artifactSha256);
  await app.settled();
  return app.admin.skills.show(pending.skillName);
}
const changes = async () => (await app.admin.journal.list({ action: 'skill.check_changed' })).items;

describe('an observed skill', () => {
  it('says so when later executions confirm it, with its approval and its bytes unchanged', async () => {
    const before = await observedSkill();
    expect(before).toMatchObject({ version: 1, check: { verdict: 'observed', since: null } });
    await reported(WAITED, 12, 'b');
    await app.admin.evolver.run(true);
    expect(await app.admin.skills.show(before.name)).toEqual(before);

    expect(await cycle()).toMatchObject({ emitted: 0, alreadyApproved: 1 });
    const { check, ...after } = await app.admin.skills.show(before.name);
    expect(check?.verdict).toBe('confirmed');
    expect(check?.since).not.toBeNull();
    const { check: _, ...approved } = before;
    expect(after).toEqual(approved);
    expect(await app.admin.proposals.show(before.proposalId)).toMatchObject({ verdict: 'observed', state: 'approved' });
    expect(await changes()).toMatchObject([
      {
        actor: { kind: 'job', name: 'evolver' },
        subject: { type: 'skill', id: before.name },
        data: { version: 1, before: 'observed', verdict: 'confirmed', agents: 4, owners: 4 },
      },
    ]);
    await cycle();
    expect(await changes()).toHaveLength(1);
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });
  });

  it('says so when later executions refute it, and stays until a person decides', async () => {
    const { name, artifact } = await observedSkill();
    await reported(REPEATED, 18, 'b');
    expect(await cycle()).toMatchObject({ emitted: 0 });
    expect(await app.admin.skills.show(name)).toMatchObject({
      version: 1,
      artifact,
      check: { verdict: 'refuted', says: 'with it 0 of 18 worked, without it 18 of 18' },
    });
    expect(await changes()).toMatchObject([{ data: { before: 'observed', verdict: 'refuted' } }]);
  });
});
