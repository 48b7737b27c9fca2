import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RecordRefusal } from '../../src/approvals/decisions/record-refusal.js';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import type { Guildbook } from '../../src/client/guildbook.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { http } from '../support/http.js';
import { whileJournalIsBroken } from '../support/journal.js';
import { submitTestProposal } from '../support/proposal-input.js';

describe('a refused decision', () => {
  let app: TestApplication;
  let rosa: Awaited<ReturnType<TestApplication['person']>>;
  let count = 0;

  beforeAll(async () => {
    app = await startTestApplication();
    rosa = await app.person('Rosa Reviewer', { reviewer: true });
  });
  afterAll(() => app.close());

  const newItem = () => {
    count += 1;
    return submitTestProposal(app, `Refuse this one ${count}`);
  };
  const refused = async (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'accepted',
      ({ problem }) => `${problem.status} ${problem.code}`,
    );
  const approve = ({ proposals: approvals }: Guildbook, { id, artifactSha256 }: ProposalDetails) =>
    refused(approvals.approve(id, artifactSha256));
  const journalled = async ({ id }: ProposalDetails) =>
    (await app.admin.journal.list({ subject: id, action: 'proposal.refused' })).items.map(({ actor, data }) => ({
      ...actor,
      data,
    }));
  const GATE = { kind: 'job', id: 'job:gate', name: 'gate' };

  it('of an agent, also of one with the name of a reviewer, is journalled', async () => {
    const proposal = await newItem();
    const agent = await app.agent('Rosa Reviewer');
    expect(await approve(agent.client, proposal)).toBe('403 access.not_a_person');
    const by = { id: agent.id, kind: 'agent', name: 'Rosa Reviewer' };
    expect(await journalled(proposal)).toEqual([{ ...GATE, data: { code: 'access.not_a_person', by } }]);
  });

  it('of a service and of a person without the role is journalled', async () => {
    const proposal = await newItem();
    const { token } = await app.admin.services.add({ name: 'bridge', scopes: ['read', 'propose'] });
    const reader = await app.person('Rita Reader', {});
    expect(await approve(app.client(token), proposal)).toBe('403 access.not_a_person');
    expect(await approve(reader.client, proposal)).toBe('403 access.scope_missing');
    expect((await journalled(proposal)).map(({ data }) => data)).toEqual([
      expect.objectContaining({ by: expect.objectContaining({ kind: 'service', name: 'bridge' }) }),
      expect.objectContaining({ by: { id: reader.id, kind: 'person', name: 'Rita Reader' } }),
    ]);
  });

  it('because of a stale entity tag is journalled, for a vote and for an edit', async () => {
    const { id, artifactSha256, proposedSkill: proposal } = await newItem();
    const asked = [
      ['post', 'approve', { artifactSha256 }],
      ['put', 'skill', { artifactSha256, proposedSkill: { ...proposal, title: 'Other words' } }],
    ] as const;
    for (const [method, path, body] of asked) {
      const requests = http(app, path === 'approve' ? rosa.token : app.adminToken);
      const request = requests[method](`/v1/proposals/${id}/${path}`).set('if-match', `"0-pending-${artifactSha256}"`);
      const answer = await request.send(body);
      expect([path, answer.status, answer.body]).toMatchObject([path, 412, { code: 'proposal.revision_mismatch' }]);
    }
    const { items } = await app.admin.journal.list({ subject: id, action: 'proposal.refused' });
    expect(items.map(({ data }) => data)).toMatchObject([
      { code: 'proposal.revision_mismatch', by: { name: 'Rosa Reviewer' } },
      { code: 'proposal.revision_mismatch', by: { name: 'Administrator' } },
    ]);
  });

  it('because of a forged hash, a replay, or a second token of one person is journalled', async () => {
    const proposal = await newItem();
    const forged = refused(rosa.client.proposals.approve(proposal.id, sha256('other bytes')));
    expect(await forged).toBe('409 proposal.artifact_changed');
    expect(await approve(rosa.client, proposal)).toBe('accepted');
    expect(await approve(rosa.client, proposal)).toBe('409 proposal.already_decided');
    const { token } = await app.admin.people.invite(rosa.id);
    const again = app.client((await app.client().signIn(token)).token);
    expect(await approve(again, proposal)).toBe('409 proposal.already_decided');
    rosa = { ...rosa, client: again };
    expect((await journalled(proposal)).map(({ data }) => data)).toEqual([
      { code: 'proposal.artifact_changed', by: { id: rosa.id, kind: 'person', name: 'Rosa Reviewer' } },
      { code: 'proposal.already_decided', by: { id: rosa.id, kind: 'person', name: 'Rosa Reviewer' } },
    ]);
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });
  });

  it('is journalled once for repeated attempts, also after a restart', async () => {
    const proposal = await newItem();
    const agent = await app.agent('insistent');
    for (let n = 0; n < 5; n += 1) await approve(agent.client, proposal);
    await Promise.all(Array.from({ length: 10 }, () => approve(agent.client, proposal)));
    expect(await journalled(proposal)).toHaveLength(1);
    // A new process starts without memory of refusals.
    const afterRestart = Object.assign(Object.create(RecordRefusal.prototype), app.app.get(RecordRefusal), {
      seen: new Set(),
    });
    await afterRestart.record(
      { type: 'proposal', id: proposal.id },
      { id: agent.id, kind: 'agent', name: 'x' },
      'access.not_a_person',
    );
    expect(await journalled(proposal)).toHaveLength(1);
  });

  it('is not journalled for an unknown proposal or an unauthenticated caller', async () => {
    const proposal = await newItem();
    // The publication of an earlier approval is journalled as well.
    await app.settled();
    const before = await app.database.client.journalEntry.count();
    const { client } = rosa;
    const id = '00000000-0000-4000-8000-000000000000';
    expect(await refused(client.proposals.approve(id, sha256('x')))).toBe('404 proposal.not_found');
    expect(await refused(client.proposals.approve('no-uuid', sha256('x')))).toBe('400 request.invalid');
    expect(await approve(app.client(`gbp_${'A'.repeat(43)}`), proposal)).toBe('401 access.unknown');
    expect(await app.database.client.journalEntry.count()).toBe(before);
  });

  it('stays refused when the journal cannot be written', async () => {
    const proposal = await newItem();
    const { client } = await app.agent('at a bad time');
    await whileJournalIsBroken(app, async () => {
      expect(await approve(client, proposal)).toBe('403 access.not_a_person');
    });
    expect(await journalled(proposal)).toEqual([]);
    await approve(client, proposal);
    expect(await journalled(proposal)).toHaveLength(1);
  });
});
