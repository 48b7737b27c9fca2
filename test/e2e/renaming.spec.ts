import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import { RefreshProposal } from '../../src/approvals/submissions/refresh.js';
import { jobActor } from '../../src/journal/actor.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { proposedByFleet } from '../support/fleet.js';
import { http } from '../support/http.js';
import { submitTestProposal, testProposalInput } from '../support/proposal-input.js';

describe('a skill that is renamed', () => {
  let app: TestApplication;
  let original: ProposalDetails;
  let renameProposal: ProposalDetails;
  let pendingUpdate: ProposalDetails;
  const git = (...args: string[]) => execFileSync('git', ['-C', app.skillsDir, ...args], { encoding: 'utf8' }).trim();
  const wellKnown = async () => (await http(app).get('/.well-known/agent-skills/index.json')).body;

  beforeAll(async () => {
    // This test is about names, so one vote is enough. proposal-votes.spec.ts tests that a rename takes two people.
    app = await startTestApplication({ GUILDBOOK_APPROVAL_QUORUM_HIGH_RISK: '1' });
    original = await proposedByFleet(app, ['ada', 'ben', 'cleo']);
    await app.admin.proposals.approve(original.id, original.artifactSha256);
    await app.settled();
  });
  afterAll(() => app.close());

  it('is requested by a reviewer, for a name that is free and valid as a folder', async () => {
    const other = await submitTestProposal(app, 'Another skill');
    const agent = await app.agent('gus');
    await expect(agent.client.skills.rename(original.skillName, 'x')).rejects.toMatchObject({
      problem: { status: 403 },
    });
    for (const [name, to, code] of [
      ['no-such-skill', 'x', 'skill.not_found'],
      [original.skillName, 'con', 'skill.bad_name'],
      [original.skillName, original.skillName, 'skill.name_taken'],
      [original.skillName, other.skillName, 'skill.name_taken'],
    ] as const)
      await expect(app.admin.skills.rename(name, to)).rejects.toMatchObject({ problem: { code } });
    await app.admin.proposals.reject(other.id, 'only here to take a name');
  });

  it('waits as one proposal with the future file, even if several names are requested', async () => {
    const first = await app.admin.skills.rename(original.skillName, 'first-idea');
    const { id } = await app.admin.skills.rename(original.skillName, 'use-python3');
    expect(id).toBe(first.id);
    renameProposal = await app.admin.proposals.show(id);
    expect(renameProposal).toMatchObject({
      kind: 'amend',
      state: 'pending',
      revision: 2,
      skillName: 'use-python3',
      edit: null,
    });
    expect(renameProposal.difference).toContain(`\n-name: "${original.skillName}"\n`);
    expect(renameProposal.difference).toContain('\n+name: "use-python3"\n');
    expect(renameProposal.proposedSkill).toEqual(original.proposedSkill);
    expect(renameProposal.history.map(({ action }) => action)).toEqual([
      'proposal.rename_requested',
      'proposal.refreshed',
    ]);
    expect((await app.admin.skills.list()).items).toMatchObject([{ name: original.skillName, version: 1 }]);
  });

  it('takes pending proposals about the skill along', async () => {
    const supersedesId = renameProposal.supersedes?.id ?? null;
    const says = { ...original.proposedSkill, rationale: 'It was measured again.' };
    pendingUpdate = await submitTestProposal(app, 'Newer', { kind: 'supersede', supersedesId }, says);
    expect(pendingUpdate.skillName).toBe(original.skillName);
  });

  it('moves in one commit of its approver; memory, index and manifest follow, and versions continue', async () => {
    const { client } = await app.person('Rita Reviewer', { reviewer: true });
    await client.proposals.approve(renameProposal.id, renameProposal.artifactSha256);
    await app.settled();
    expect((await app.admin.skills.list()).items).toMatchObject([
      { name: 'use-python3', version: 2, proposalId: renameProposal.id, publication: { state: 'published' } },
    ]);
    expect(git('log', '-1', '--format=%an|%s')).toBe(`Rita Reviewer|Rename ${original.skillName} to use-python3 v2`);
    expect(git('show', '--format=', '--name-status', '--no-renames', 'main').split('\n').sort()).toEqual([
      `A\tuse-python3/SKILL.md`,
      `D\t${original.skillName}/SKILL.md`,
      'M\t.claude-plugin/marketplace.json',
      'M\tREADME.md',
    ]);
    expect(existsSync(join(app.skillsDir, original.skillName))).toBe(false);
    expect(readFileSync(join(app.skillsDir, 'use-python3', 'SKILL.md'), 'utf8')).toBe(renameProposal.artifact);
    expect(git('status', '--porcelain')).toBe('');
    expect(await wellKnown()).toMatchObject({ skills: [{ name: 'use-python3' }] });
    expect((await app.admin.repository()).findings).toEqual([]);
  });

  it('is proposed and superseded under its new name from then on', async () => {
    await expect(app.admin.proposals.approve(renameProposal.id, renameProposal.artifactSha256)).rejects.toMatchObject({
      problem: { code: 'proposal.already_decided' },
    });
    const { report } = await app.admin.evolver.run(false);
    expect(report).toMatchObject({ emitted: 0 });
    const submission = testProposalInput('Newer', { ...original.proposedSkill, rationale: 'It was measured again.' });
    await app.app.get(RefreshProposal).refresh(jobActor('test'), pendingUpdate.id, submission);
    expect(await app.admin.proposals.show(pendingUpdate.id)).toMatchObject({
      kind: 'supersede',
      skillName: 'use-python3',
      supersedes: { name: 'use-python3' },
    });
    await app.admin.proposals.reject(pendingUpdate.id, 'only here to be taken along');
    const back = await app.admin.skills.rename('use-python3', original.skillName);
    const { artifactSha256, artifact } = await app.admin.proposals.show(back.id);
    expect(artifact).toContain('guildbook/version: "3"');
    expect(await app.admin.proposals.approve(back.id, artifactSha256)).toMatchObject({ state: 'pending' });
    await (await app.person('Ruth Reviewer', { reviewer: true })).client.proposals.approve(back.id, artifactSha256);
    await app.settled();
    expect((await app.admin.skills.list()).items).toMatchObject([{ name: original.skillName, version: 3 }]);
  });

  it('keeps its old name if the skill was retired before the decision', async () => {
    const { id, artifactSha256 } = await app.admin.skills.rename(original.skillName, 'too-late');
    const live = await app.admin.skills.show(original.skillName);
    await app.admin.retireSkill(live.proposalId, 'no longer true');
    await expect(app.admin.proposals.approve(id, artifactSha256)).rejects.toMatchObject({
      problem: { code: 'proposal.stale' },
    });
  });
});
