import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { proposedByFleet, reportPythonFleet } from '../support/fleet.js';

describe('retiring a skill', () => {
  let app: TestApplication;
  let proposal: ProposalDetails;
  const git = (...args: string[]) => execFileSync('git', ['-C', app.skillsDir, ...args], { encoding: 'utf8' }).trim();

  beforeAll(async () => {
    app = await startTestApplication();
    proposal = await proposedByFleet(app, ['ada', 'ben', 'cleo']);
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    await app.settled();
    expect(existsSync(join(app.skillsDir, proposal.skillName, 'SKILL.md'))).toBe(true);
  });
  afterAll(() => app.close());

  it('is refused for agents, for readers, and without a reason', async () => {
    const agent = await app.agent('gus');
    const reader = await app.person('Rea Reader', {});
    for (const { client } of [agent, reader])
      await expect(client.retireSkill(proposal.id, 'no longer true')).rejects.toMatchObject({
        problem: { status: 403 },
      });
    await expect(app.admin.retireSkill(proposal.id, ' ')).rejects.toMatchObject({
      problem: { status: 400, errors: [{ field: 'reason', message: expect.any(String) }] },
    });
    expect((await app.admin.skills.list()).total).toBe(1);
  });

  it('removes its file by a commit of the reviewer, and journals the reason', async () => {
    const { client, id } = await app.person('Rita Reviewer', { reviewer: true });
    const retired = await client.retireSkill(proposal.id, 'the image has Python 3 only by now');
    await app.settled();
    expect(retired).toMatchObject({ kind: 'retire', state: 'approved', artifactSha256: proposal.artifactSha256 });
    expect((await app.admin.skills.list()).items).toEqual([]);
    await expect(app.admin.skills.show(proposal.skillName)).rejects.toMatchObject({
      problem: { code: 'skill.not_found' },
    });
    expect(existsSync(join(app.skillsDir, proposal.skillName))).toBe(false);
    expect(git('log', '-1', '--format=%an|%s')).toBe(`Rita Reviewer|Retire ${proposal.skillName}`);
    expect(git('log', '-1', '--format=%(trailers:key=Guildbook-Approval,valueonly)')).toBe(retired.id);
    expect(git('status', '--porcelain')).toBe('');
    const { items } = await app.admin.journal.list({ subject: retired.id });
    expect(items).toMatchObject([
      {
        action: 'proposal.approved',
        actor: { id },
        data: { kind: 'retire', reason: expect.stringContaining('Python 3') },
      },
    ]);
    expect((await app.admin.proposals.show(retired.id)).difference).toContain(`-name: "${proposal.skillName}"`);
  });

  it('happens only once', async () => {
    await expect(app.admin.retireSkill(proposal.id, 'again')).rejects.toMatchObject({
      problem: { status: 409, code: 'proposal.not_live' },
    });
  });

  it('keeps its pattern out of the queue until more agents met the failure, with the reason for the reviewer', async () => {
    const { report } = await app.admin.evolver.run(false);
    expect(report).toMatchObject({ emitted: 0, rememberedRejections: 1 });
    await reportPythonFleet(app, ['dora', 'emil', 'finn']);
    await app.settled();
    await app.admin.evolver.run(false);
    const [again] = (await app.admin.proposals.list()).items;
    expect((await app.admin.proposals.show(again?.id ?? '')).earlierRejections).toMatchObject([
      { reason: 'Retired: the image has Python 3 only by now' },
    ]);
  });
});
