import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ExternalEditSubmitter } from '../../src/approvals/external/external-edit-submitter.service.js';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import { Publisher } from '../../src/skills/publishing/publisher.service.js';
import { RemotePusher } from '../../src/skills/publishing/remote-pusher.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { proposedByFleet } from '../support/fleet.js';
import { submitTestProposal } from '../support/proposal-input.js';

const END = 'Approved by a person.';

describe('an external edit', () => {
  let app: TestApplication;
  let approved: ProposalDetails;
  let file: string;

  const git = (...args: string[]) =>
    execFileSync('git', ['-C', app.skillsDir, '-c', 'user.name=Hand', '-c', 'user.email=hand@example.org', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  /** The pending proposals after all workers have run. */
  const pendingProposals = async (): Promise<ProposalDetails[]> => {
    for (const worker of [
      app.app.get(ExternalEditSubmitter),
      app.app.get(Publisher),
      app.app.get(RemotePusher),
      app.app.get(ExternalEditSubmitter),
    ]) {
      worker.wake();
      await worker.idle();
    }
    const { items } = await app.admin.proposals.list();
    return Promise.all(items.map(({ id }) => app.admin.proposals.show(id)));
  };
  const onlyProposal = async (): Promise<ProposalDetails> => {
    const [first, ...others] = await pendingProposals();
    expect(others).toEqual([]);
    if (!first) throw new Error('nothing waits for a decision');
    return first;
  };
  const edit = (from: string, to: string): string => {
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(from);
    writeFileSync(file, text.replace(from, to));
    return readFileSync(file, 'utf8');
  };
  const findings = async () => (await app.admin.repository()).findings;
  /** The author of the edit is unknown, so two reviewers must approve it. */
  const approve = async ({ id, artifactSha256 }: ProposalDetails) => {
    expect(await app.admin.proposals.approve(id, artifactSha256)).toMatchObject({ state: 'pending' });
    const { client } = await app.person('Rita Reviewer', { reviewer: true });
    expect(await client.proposals.approve(id, artifactSha256)).toMatchObject({ state: 'approved' });
  };

  beforeEach(async () => {
    // Amendments of a skill that was seen three times are of high risk. This test is about files, so one vote is
    // enough.
    app = await startTestApplication({ GUILDBOOK_APPROVAL_QUORUM_HIGH_RISK: '1' });
    approved = await proposedByFleet(app, ['ada', 'ben', 'cleo']);
    await app.admin.proposals.approve(approved.id, approved.artifactSha256);
    await app.settled();
    file = join(app.skillsDir, approved.skillName, 'SKILL.md');
    expect(await pendingProposals()).toEqual([]);
  });
  afterEach(() => app.close());

  it('becomes one proposal that shows the difference, and is published once two reviewers approve it', async () => {
    const edited = edit(END, `## Gotchas\n\n- Ask before you change the image.\n\n${END}`);
    const amend = await onlyProposal();
    expect(amend).toMatchObject({
      kind: 'amend',
      skillName: approved.skillName,
      evidence: approved.evidence,
      edit: { from: 'folder', text: edited },
      supersedes: { name: approved.skillName },
    });
    expect(amend.proposedSkill).toEqual({
      ...approved.proposedSkill,
      gotchas: expect.arrayContaining(['Ask before you change the image.']),
    });
    expect(amend.difference).toContain('\n+- Ask before you change the image.\n');
    expect(await findings()).toMatchObject([{ kind: 'worktree-edited', proposalId: amend.id }]);
    expect((await onlyProposal()).history.map(({ action }) => action)).toEqual(['proposal.edit_submitted']);
    expect(readFileSync(file, 'utf8')).toBe(edited);

    await approve(amend);
    expect(await pendingProposals()).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe(amend.artifact);
    expect(git('log', '-1', '--format=%an|%s|%(trailers:key=Guildbook-Approval,valueonly)').trim()).toBe(
      `Rita Reviewer|Publish ${approved.skillName} v2|${amend.id}`,
    );
    expect(git('status', '--porcelain')).toBe('');
    expect(await findings()).toEqual([]);
    const { items } = await app.admin.skills.list();
    expect(items).toMatchObject([{ name: approved.skillName, version: 2, proposalId: amend.id }]);
  });

  it('is reverted after a rejection, is kept in the proposal, and is not proposed again', async () => {
    const edited = edit(END, `## Gotchas\n\n- Skip the tests.\n\n${END}`);
    const { id } = await onlyProposal();
    await app.admin.proposals.reject(id, 'the tests are there for a reason');
    expect(await pendingProposals()).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe(approved.artifact);
    expect((await app.admin.proposals.show(id)).edit?.text).toBe(edited);
    expect(git('rev-list', '--count', 'main')).toBe('1');
    writeFileSync(file, edited);
    expect(await pendingProposals()).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe(approved.artifact);
    const { items } = await app.admin.journal.list({ action: 'skills.repository_repaired' });
    expect(items).toHaveLength(2);
    // A rejected edit is no evidence against the pattern of the skill.
    expect((await app.admin.evolver.run(false)).report).toMatchObject({ rememberedRejections: 0 });
  });

  it('needs two reviewers even if one is enough otherwise, because a reviewer may have made it', async () => {
    edit(END, `## Gotchas\n\n- One.\n\n${END}`);
    const amend = await onlyProposal();
    expect(amend.votes).toEqual({ given: 0, needed: 2 });
    const { id, artifactSha256 } = amend;
    expect(await app.admin.proposals.approve(id, artifactSha256)).toMatchObject({
      state: 'pending',
      votes: { given: 1, needed: 2 },
      message: expect.stringContaining('invite another one'),
    });
    await expect(app.admin.proposals.approve(id, artifactSha256)).rejects.toMatchObject({
      problem: { code: 'proposal.already_voted' },
    });
    edit('- One.', '- Two.');
    expect(await onlyProposal()).toMatchObject({ id, revision: 2, votes: { given: 0, needed: 2 } });
    expect((await app.admin.skills.show(approved.skillName)).version).toBe(1);
  });

  it('updates its proposal: another edit makes a new revision, and undoing it withdraws the proposal', async () => {
    edit(END, `## Gotchas\n\n- One.\n\n${END}`);
    const first = await onlyProposal();
    edit('- One.', '- Two.');
    const second = await onlyProposal();
    expect(second).toMatchObject({ id: first.id, revision: 2 });
    expect(second.artifact).toContain('- Two.');
    await expect(app.admin.proposals.approve(first.id, first.artifactSha256)).rejects.toMatchObject({
      problem: { code: 'proposal.artifact_changed' },
    });
    writeFileSync(file, approved.artifact);
    expect(await pendingProposals()).toEqual([]);
    expect(await app.admin.proposals.show(first.id)).toMatchObject({ state: 'withdrawn', decisions: [] });
  });

  it('is rebased if another version was approved meanwhile, and reverts nothing of that version', async () => {
    edit(END, `## Gotchas\n\n- One.\n\n${END}`);
    const first = await onlyProposal();
    const { id, artifactSha256 } = await submitTestProposal(
      app,
      approved.title,
      { kind: 'supersede', supersedesId: first.supersedes?.id ?? null },
      { ...approved.proposedSkill, rationale: 'It was measured again.' },
    );
    await app.admin.proposals.approve(id, artifactSha256);
    await app.settled();
    expect(readFileSync(file, 'utf8')).toContain('- One.');
    const second = await onlyProposal();
    expect(second).toMatchObject({ id: first.id, revision: 2 });
    expect(second.proposedSkill).toEqual({ ...first.proposedSkill, rationale: 'It was measured again.' });
    expect(second.difference).toContain('\n+- One.\n');
    await approve(second);
    expect(await pendingProposals()).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe(second.artifact);
  });

  it('goes through the same redaction and the same template as every proposal', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9'.repeat(2)}`;
    edit(END, `## Gotchas\n\n- Call !\`curl x\` with ${secret} \u202eand <b>.\n\n${END}`);
    const amend = await onlyProposal();
    expect(JSON.stringify(amend)).not.toContain(secret);
    expect(amend.findings.redactions).not.toEqual([]);
    expect(amend.artifact).not.toMatch(/!`|<b>|\u202e/);
    expect(amend.edit?.notes).toMatchObject([
      { message: expect.stringMatching(/runs a command/) },
      { message: expect.stringMatching(/invisible character/) },
    ]);
  });

  it('stays on disk, and is refused whole with the reason, where a record cannot hold it', async () => {
    edit('## Steps\n', '```sh\nnpm ci\n```\n\n## Gotchas\n\n- New.\n\n## Steps\n');
    expect(await pendingProposals()).toEqual([]);
    expect(git('show', `main:${approved.skillName}/SKILL.md`)).not.toContain('- New.');
    expect(readFileSync(file, 'utf8')).toContain('npm ci');
    expect(await findings()).toMatchObject([
      { kind: 'worktree-edited', proposalId: null, problem: 'Not saved: rationale cannot hold a code block.' },
    ]);
  });

  it('is reported with the reason if it cannot become a proposal', async () => {
    writeFileSync(file, 'all gone');
    expect(await pendingProposals()).toEqual([]);
    expect(await findings()).toMatchObject([{ proposalId: null, problem: expect.stringContaining('frontmatter') }]);
    expect(readFileSync(file, 'utf8')).toBe('all gone');
  });

  describe('in a commit on main', () => {
    const commitEdit = (text: string): void => {
      writeFileSync(file, text);
      git('commit', '-qam', 'just a small fix');
    };

    it('is published without that commit once it is approved, and the commit is kept beside main', async () => {
      commitEdit(approved.artifact.replace(END, `## Gotchas\n\n- Trust me.\n\n${END}`));
      const byHand = git('rev-parse', 'main');
      const amend = await onlyProposal();
      expect(amend).toMatchObject({ kind: 'amend', edit: { from: 'main' } });
      expect(await findings()).toMatchObject([{ kind: 'commit-held', subject: byHand }, { proposalId: amend.id }]);
      expect(amend.difference).toMatch(/^\+- Trust me\.$/m);
      await approve(amend);
      expect(await pendingProposals()).toEqual([]);
      expect(git('show', `main:${approved.skillName}/SKILL.md`)).toBe(amend.artifact.trimEnd());
      expect(readFileSync(file, 'utf8')).toBe(amend.artifact);
      expect(git('rev-list', '--count', 'main')).toBe('2');
      expect(git('log', '--format=%s', 'main')).not.toContain('just a small fix');
      const [kept = ''] = (await app.admin.repository()).history.setAside;
      expect(git('rev-list', `refs/guildbook/held/${kept}`)).toContain(byHand);
      expect(git('status', '--porcelain')).toBe('');
      expect(await findings()).toEqual([]);
    });

    it('is reverted by a commit of the reviewer who rejects it', async () => {
      commitEdit(approved.artifact.replace(END, `## Gotchas\n\n- Trust me.\n\n${END}`));
      const amend = await onlyProposal();
      const { client } = await app.person('Rita Reviewer', { reviewer: true });
      await client.proposals.reject(amend.id, 'it is not needed');
      expect(await pendingProposals()).toEqual([]);
      expect(git('log', '-1', '--format=%an|%s|%(trailers:key=Guildbook-Approval,valueonly)').trim()).toBe(
        `Rita Reviewer|Restore ${approved.skillName} v1|${amend.id}`,
      );
      expect(readFileSync(file, 'utf8')).toBe(approved.artifact);
      expect(git('status', '--porcelain')).toBe('');
      expect(await findings()).toEqual([]);
      expect((await app.admin.skills.show(approved.skillName)).proposalId).toBe(approved.id);
    });

    it('causes a retirement request if it removed the file', async () => {
      git('rm', '-q', `${approved.skillName}/SKILL.md`);
      git('commit', '-qm', 'away with it');
      const removal = await onlyProposal();
      expect(removal).toMatchObject({ kind: 'retire', edit: { from: 'main', text: null } });
      expect(existsSync(file)).toBe(false);
      await app.admin.proposals.reject(removal.id, 'it is needed');
      expect(await pendingProposals()).toEqual([]);
      expect(readFileSync(file, 'utf8')).toBe(approved.artifact);

      git('rm', '-q', `${approved.skillName}/SKILL.md`);
      git('commit', '-qm', 'away with it, again');
      const again = await onlyProposal();
      await app.admin.proposals.approve(again.id, again.artifactSha256);
      expect(await pendingProposals()).toEqual([]);
      expect((await app.admin.skills.list()).items).toEqual([]);
      expect(git('log', '-1', '--format=%s')).toBe(`Retire ${approved.skillName}`);
      expect(await findings()).toEqual([]);
    });
  });
});
