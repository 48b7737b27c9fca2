import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { checkedEvidence, PREDICATE } from '../../../test/support/checked-proposal.js';
import { submitTestProposal, testProposalInput } from '../../../test/support/proposal-input.js';
import { reviewerOf } from '../../../test/support/reviewers.js';
import { jobActor, type ReviewerActor } from '../../journal/actor.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import type { NewProposal } from '../proposals/new-proposal.js';
import type { ProposalDetails } from '../proposals/proposals.schema.js';
import { RefreshProposal } from '../submissions/refresh.js';
import { SubmitProposal } from '../submissions/submit.js';
import { EditWording } from './edit.js';

describe('the gate of a proposal', () => {
  let app: TestApplication;
  let rosa: ReviewerActor;

  beforeAll(async () => {
    app = await startTestApplication();
    rosa = await reviewerOf(app, 'Rosa Reviewer');
  });
  afterAll(() => app.close());

  const submit = (title: string, says: Partial<NewProposal['proposedSkill']> = {}, more: Partial<NewProposal> = {}) =>
    submitTestProposal(app, title, more, { predicate: PREDICATE, ...says }, checkedEvidence('confirmed'));
  const edit = async ({ id, artifactSha256, proposedSkill }: ProposalDetails, says: object) => {
    await app.app.get(EditWording).edit(rosa, id, { artifactSha256, proposedSkill: { ...proposedSkill, ...says } });
    return app.admin.proposals.show(id);
  };
  const approve = async ({ id, artifactSha256, skillName }: ProposalDetails) => {
    await app.admin.proposals.approve(id, artifactSha256);
    return app.database.client.memory.findFirstOrThrow({ where: { skillName, supersededAt: null } });
  };

  it('is set by an edit, which makes other bytes that need another decision, and is cleared by another edit', async () => {
    const proposal = await submit('Refuse this once');
    const gated = await edit(proposal, { gate: true });
    expect(gated).toMatchObject({ revision: 2, editedBy: 'Rosa Reviewer', verdict: 'confirmed', votes: { given: 0 } });
    expect(gated.proposedSkill).toEqual({ ...proposal.proposedSkill, gate: true });
    expect(gated.artifactSha256).toBe(sha256(gated.artifact));
    expect(gated.artifactSha256).not.toBe(proposal.artifactSha256);
    expect(gated.revisions[0]?.difference).toContain('\n+  guildbook/gate: "refuse-once"\n');
    expect(gated.revisions[0]?.difference).toContain('\n+Reviewers marked this skill as a gate: ');
    await expect(app.admin.proposals.approve(proposal.id, proposal.artifactSha256)).rejects.toMatchObject({
      problem: { code: 'proposal.artifact_changed' },
    });
    const { gate: _gate, ...texts } = gated.proposedSkill;
    const cleared = await edit({ ...gated, proposedSkill: texts }, {});
    expect(cleared).toMatchObject({ revision: 3, artifact: proposal.artifact });
    expect(cleared.proposedSkill).toEqual(proposal.proposedSkill);
  });

  it.each<[string, Partial<NewProposal['proposedSkill']>]>([
    ['there is no predicate', { predicate: undefined }],
    ['the predicate names only an error', { predicate: { when: { tool: 'shell', error: 'unknown option' } } }],
    ['the predicate holds private text', { predicate: { when: { args: '/home/ann/payroll' } } }],
  ])('is refused with its name if %s', async (why, says) => {
    const { predicate, ...texts } = says;
    const proposal = await submitTestProposal(app, `Refuse nothing, ${why}`);
    await expect(edit(proposal, { ...texts, ...(predicate ? { predicate } : {}), gate: true })).rejects.toMatchObject({
      kind: 'invalid',
      code: 'proposal.gate_without_condition',
      message: expect.stringMatching(/^gate: /),
    });
    expect(await app.admin.proposals.show(proposal.id)).toMatchObject({ revision: 1 });
  });

  it('is true or left out', async () => {
    const { id, artifactSha256, proposedSkill } = await submit('Only true');
    const wrong: object = { artifactSha256, proposedSkill: { ...proposedSkill, gate: false } };
    await expect(
      app.admin.proposals.edit(id, wrong as Parameters<typeof app.admin.proposals.edit>[1]),
    ).rejects.toMatchObject({ problem: { code: 'request.invalid', detail: expect.stringContaining('gate') } });
  });

  it('is never set by a job: neither by a submission nor by a refresh', async () => {
    const input = testProposalInput('A job wants a gate', { predicate: PREDICATE, gate: true });
    const submission = { ...input, evidence: { ...input.evidence, ...checkedEvidence('confirmed') } };
    const { id } = await app.app.get(SubmitProposal).submit(jobActor('test'), submission);
    const shown = await app.admin.proposals.show(id);
    expect(shown.proposedSkill.gate).toBeUndefined();
    expect(shown.artifact).not.toMatch(/guildbook\/gate|as a gate/);
    const more = { ...submission, evidence: { ...submission.evidence, failures: 9 } };
    expect(await app.app.get(RefreshProposal).refresh(jobActor('test'), id, more)).toMatchObject({
      outcome: 'refreshed',
    });
    expect((await app.admin.proposals.show(id)).proposedSkill.gate).toBeUndefined();
  });

  it('stays when the skill changes below an edited proposal', async () => {
    const live = await approve(await submit('Changes below'));
    const next = testProposalInput('Changes below, again', { predicate: PREDICATE });
    const evidence = { ...next.evidence, ...checkedEvidence('confirmed') };
    const submission = { ...next, evidence, kind: 'supersede' as const, supersedesId: live.id };
    const { id } = await app.app.get(SubmitProposal).submit(jobActor('test'), submission);
    await edit(await app.admin.proposals.show(id), { gate: true });
    const other = await submit('Changes below, other', {}, { kind: 'supersede', supersedesId: live.id });
    const newer = await approve(other);
    await app.app
      .get(RefreshProposal)
      .refresh(jobActor('test'), id, { ...submission, supersedesId: newer.id, impact: 20 });
    const shown = await app.admin.proposals.show(id);
    expect(shown.proposedSkill.gate).toBe(true);
    expect(shown.artifact).toContain('guildbook/gate: "refuse-once"');
  });

  it('ends with a version of the evolver, which says so and shows it in the difference', async () => {
    const live = await approve(await edit(await submit('Had a gate'), { gate: true }));
    const next = await submit('Has none', {}, { kind: 'supersede', supersedesId: live.id });
    expect(next).toMatchObject({ dropsGate: true, difference: expect.stringContaining('\n-  guildbook/gate:') });
    const kept = await edit(next, { gate: true });
    expect(kept).toMatchObject({ dropsGate: false, proposedSkill: { gate: true } });
  });
});
