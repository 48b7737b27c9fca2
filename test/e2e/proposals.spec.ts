import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import { JournalKey } from '../../src/journal/journal-key.service.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { type FleetAgent, onlyPending, reportPythonFleet } from '../support/fleet.js';

const SKILL = 'use-python3-instead-of-python';

describe('a proposal becomes a skill only when a person approves its bytes', () => {
  let app: TestApplication;
  let fleet: FleetAgent[];
  let proposal: ProposalDetails;
  let reviewer: Awaited<ReturnType<TestApplication['person']>>;

  beforeAll(async () => {
    app = await startTestApplication();
    reviewer = await app.person('Rosa Reviewer', { reviewer: true });
    fleet = await reportPythonFleet(app, ['ada', 'ben', 'cleo']);
    await app.admin.evolver.run(false);
    proposal = await onlyPending(app);
  });
  afterAll(() => app.close());

  const git = (...args: string[]) =>
    execFileSync('git', ['-C', app.skillsDir, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const published = () =>
    readdirSync(app.skillsDir, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('SKILL.md'));
  const orgMemory = () => app.database.client.memory.count({ where: { scope: 'org' } });
  const decisions = () => app.database.client.proposalDecision.count();
  const untouched = async () => {
    expect(await orgMemory()).toBe(0);
    expect(await decisions()).toBe(0);
    expect(published()).toEqual([]);
    // Only the refusal is recorded.
    expect(await onlyPending(app)).toEqual({ ...proposal, history: expect.any(Array) });
  };

  it('is pending first: executions, lessons and a cycle write no org memory and no file', async () => {
    expect((await app.admin.lessons()).total).toBeGreaterThanOrEqual(3);
    await untouched();
    const { items, total } = await app.admin.proposals.list();
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({
      kind: 'new_skill',
      state: 'pending',
      revision: 1,
      skillName: SKILL,
      evidence: { agents: 3, owners: 3, origins: 3, executions: 3, failures: 6 },
    });
    expect((await app.admin.proposals.list({ state: 'approved' })).total).toBe(0);
  });

  it('shows what a decision needs: the file, the evidence, the findings, the history', async () => {
    const shown = await reviewer.client.proposals.show(proposal.id);
    expect(shown.artifact).toContain(`name: "${SKILL}"`);
    expect(sha256(shown.artifact)).toBe(shown.artifactSha256);
    expect(shown.evidence.failing).toMatchObject({ tool: 'shell', action: 'python', errorClass: 'SyntaxError' });
    expect(shown.evidence.alternatives[0]).toMatchObject({ action: 'python3', worked: 3, n: 3 });
    expect(shown.evidence.seenBy.map(({ agent }) => agent).sort()).toEqual(['ada', 'ben', 'cleo']);
    expect(shown).toMatchObject({ findings: { redactions: [], suspicions: [] }, decisions: [], earlierRejections: [] });
    expect(shown.history.map(({ action, actor }) => [action, actor.kind])).toEqual([
      ['SKILL_EVOLVER_PROPOSAL_EMITTED', 'job'],
    ]);
    expect(shown.history[0]?.data).toMatchObject({ artifactSha256: proposal.artifactSha256 });
  });

  it('opens the executions that it counts', async () => {
    const { agents, executions } = proposal.evidence;
    const counted = await app.admin.executions.list({ proposal: proposal.id });
    expect(counted).toMatchObject({ total: executions, next: null });
    expect(new Set(counted.items.map(({ agent }) => agent)).size).toBe(agents);
  });

  it('cannot be decided by an agent whose executions it came from', async () => {
    for (const { token } of fleet) {
      const approve = app.client(token).proposals.approve(proposal.id, proposal.artifactSha256);
      await expect(approve).rejects.toMatchObject({ problem: { status: 403, code: 'access.not_a_person' } });
      const reject = app.client(token).proposals.reject(proposal.id, 'I would rather not');
      await expect(reject).rejects.toMatchObject({ problem: { status: 403, code: 'access.not_a_person' } });
    }
    await untouched();
  });

  it('cannot be decided by a service with any scopes', async () => {
    const { token } = await app.admin.services.add({ name: 'bridge', scopes: ['report-for', 'read', 'propose'] });
    const bridge = app.client(token);
    expect((await bridge.proposals.show(proposal.id)).artifactSha256).toBe(proposal.artifactSha256);
    await expect(bridge.proposals.approve(proposal.id, proposal.artifactSha256)).rejects.toMatchObject({
      problem: { status: 403, code: 'access.not_a_person' },
    });
    await untouched();
  });

  it('cannot be decided by a person without the role, not even an administrator', async () => {
    for (const roles of [{}, { admin: true }]) {
      const { client } = await app.person(`Reader ${Object.keys(roles).join()}`.trim(), roles);
      expect((await client.proposals.show(proposal.id)).artifactSha256).toBe(proposal.artifactSha256);
      const missing = { problem: { status: 403, code: 'access.scope_missing' } };
      await expect(client.proposals.approve(proposal.id, proposal.artifactSha256)).rejects.toMatchObject(missing);
      await expect(client.proposals.reject(proposal.id, 'no reason')).rejects.toMatchObject(missing);
    }
    await untouched();
  });

  it('cannot be approved with the hash of other bytes: 409, and nothing changes', async () => {
    const stale = reviewer.client.proposals.approve(proposal.id, sha256(`${proposal.artifact} and more`));
    await expect(stale).rejects.toMatchObject({ problem: { status: 409, code: 'proposal.artifact_changed' } });
    await untouched();
  });

  it('cannot be approved with an incomplete hash: 400 with the field', async () => {
    for (const artifactSha256 of ['', proposal.artifactSha256.slice(0, 12), proposal.artifactSha256.toUpperCase(), '*'])
      await expect(reviewer.client.proposals.approve(proposal.id, artifactSha256)).rejects.toMatchObject({
        problem: { status: 400, code: 'request.invalid', errors: [{ field: 'artifactSha256' }] },
      });
    await untouched();
  });

  it('becomes org memory and a file in the folder and in git, with exactly the approved bytes', async () => {
    const approved = await reviewer.client.proposals.approve(proposal.id, proposal.artifactSha256);
    expect(approved).toMatchObject({ id: proposal.id, state: 'approved', artifactSha256: proposal.artifactSha256 });
    await app.settled();
    const file = join(app.skillsDir, SKILL, 'SKILL.md');
    expect(sha256(readFileSync(file, 'utf8'))).toBe(proposal.artifactSha256);
    expect(sha256(git('cat-file', 'blob', `HEAD:${SKILL}/SKILL.md`))).toBe(proposal.artifactSha256);
    expect(git('status', '--porcelain')).toBe('');
    expect(published()).toEqual([join(SKILL, 'SKILL.md')]);
    const [memory, ...others] = await app.database.client.memory.findMany({ where: { scope: 'org' } });
    expect(others).toEqual([]);
    expect(memory).toMatchObject({
      skillName: SKILL,
      version: 1,
      provenance: 'verified',
      proposalId: proposal.id,
      contentSha256: proposal.artifactSha256,
      action: proposal.proposedSkill.action,
      supersededAt: null,
    });
  });

  it('is committed once, and the commit names the reviewer, the approval, the bytes and the journal entry', async () => {
    const { items } = await app.admin.journal.list({ action: 'proposal.approved' });
    const [entry, ...others] = items;
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      actor: { kind: 'reviewer', id: reviewer.id, name: 'Rosa Reviewer' },
      subject: { type: 'proposal', id: proposal.id },
      data: { artifactSha256: proposal.artifactSha256, revision: 1, skillName: SKILL, version: 1 },
    });
    expect(git('log', '--format=%an <%ae>%n%s', '--', SKILL).trim()).toBe(
      `Rosa Reviewer <rosa.reviewer@example.org>\nPublish ${SKILL} v1`,
    );
    expect(git('log', '--format=%(trailers:only)', '--', SKILL).trim()).toBe(
      [
        `Guildbook-Approval: ${proposal.id}`,
        `Guildbook-Artifact-Sha256: ${proposal.artifactSha256}`,
        `Guildbook-Journal: ${entry?.seq}:${entry?.hash}`,
        `Guildbook-Journal-Signature: ${app.app.get(JournalKey).signPosition({ seq: entry?.seq ?? 0, hash: entry?.hash ?? '' })}`,
      ].join('\n'),
    );
  });

  it('leaves its history in a journal that verifies', async () => {
    const shown = await reviewer.client.proposals.show(proposal.id);
    expect(shown.decisions).toEqual([
      expect.objectContaining({ by: 'Rosa Reviewer', verdict: 'approved', artifactSha256: proposal.artifactSha256 }),
    ]);
    const happened = shown.history.map(({ action }) => action).filter((action) => action !== 'proposal.refused');
    expect(happened).toEqual(['SKILL_EVOLVER_PROPOSAL_EMITTED', 'proposal.approved']);
    const { items } = await app.admin.journal.list({ action: 'skill.published' });
    expect(items.map(({ subject, data }) => [subject.id, data])).toEqual([
      [SKILL, expect.objectContaining({ proposal: proposal.id, commit: git('rev-parse', 'HEAD').trim() })],
    ]);
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true, firstBroken: null });
  });

  it('is delivered to agents as the skill, byte for byte', async () => {
    const agent = app.client(fleet[0]?.token);
    expect((await agent.skills.list()).items.map(({ name }) => name)).toEqual([SKILL]);
    expect(await agent.skills.show(SKILL)).toMatchObject({
      artifact: proposal.artifact,
      proposalId: proposal.id,
      approvedBy: 'Rosa Reviewer',
      publication: { state: 'published', commit: git('rev-parse', 'HEAD').trim() },
    });
  });

  it('is decided once: a repeated request, another reviewer and a rejection get 409 without effect', async () => {
    const second = await app.person('Second Reviewer', { reviewer: true });
    const already = { problem: { status: 409, code: 'proposal.already_decided' } };
    for (const { client } of [reviewer, second]) {
      await expect(client.proposals.approve(proposal.id, proposal.artifactSha256)).rejects.toMatchObject(already);
      await expect(client.proposals.reject(proposal.id, 'changed my mind')).rejects.toMatchObject(already);
    }
    await app.settled();
    expect([await orgMemory(), await decisions()]).toEqual([1, 1]);
    expect(git('rev-list', '--count', 'HEAD', '--', SKILL).trim()).toBe('1');
    expect((await app.admin.journal.list({ action: 'proposal.approved' })).items).toHaveLength(1);
    expect((await app.admin.journal.list({ action: 'proposal.rejected' })).items).toEqual([]);
  });

  it('is not proposed again by the next cycle', async () => {
    const { report } = await app.admin.evolver.run(false);
    expect(report).toMatchObject({ alreadyApproved: 1, emitted: 0 });
    expect((await app.admin.proposals.list()).total).toBe(0);
    expect(existsSync(join(app.skillsDir, SKILL, 'SKILL.md'))).toBe(true);
  });
});
