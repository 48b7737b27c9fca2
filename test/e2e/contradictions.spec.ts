import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import { RefreshProposal } from '../../src/approvals/submissions/refresh.js';
import { ProposalExpiryJob } from '../../src/approvals/upkeep/proposal-expiry.job.js';
import type { Guildbook } from '../../src/client/guildbook.js';
import { jobActor } from '../../src/journal/actor.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { pythonReport } from '../support/fleet.js';
import { submitTestProposal, testProposalInput } from '../support/proposal-input.js';
import { run } from '../support/reports.js';
import { wireServices } from '../support/wired-services.js';

const code = (of: string) => ({ problem: { status: 409, code: of } });

describe('two proposals that contradict each other', () => {
  let app: TestApplication;
  let second: Guildbook;

  beforeAll(async () => {
    app = await startTestApplication();
    second = (await app.person('Second', { reviewer: true })).client;
  });
  afterAll(() => app.close());

  const show = (id: string) => app.admin.proposals.show(id);
  const sweep = () => app.app.get(ProposalExpiryJob).sweep();
  const actions = async (id: string) => (await show(id)).history.map(({ action }) => action);
  const live = (proposal: ProposalDetails) =>
    app.database.client.memory.findFirst({ where: { proposalId: proposal.id, supersededAt: null } });

  /** Approves with as many people as are needed. */
  async function approved(id: string): Promise<ProposalDetails> {
    const { artifactSha256 } = await show(id);
    const { state } = await app.admin.proposals.approve(id, artifactSha256);
    if (state === 'pending') await second.proposals.approve(id, artifactSha256);
    await sweep();
    return show(id);
  }

  /** Returns two proposals; the first was pending when the second was found to contradict it. */
  async function pair(name: string): Promise<[ProposalDetails, ProposalDetails]> {
    const { id } = await submitTestProposal(app, `${name}, the long way`);
    const contradicts = { kind: 'conflict' as const, contradicts: [id] };
    const other = await submitTestProposal(app, `${name}, the short way`, contradicts, {
      action: 'Write its short name.',
    });
    return [await show(id), other];
  }

  it('are both shown to reviewers as contradictions, each with the other beside it', async () => {
    const [first, other] = await pair('Show both');
    expect(first).toMatchObject({ kind: 'conflict', revision: 2, supersedes: null, votes: { given: 0 } });
    expect(other).toMatchObject({ kind: 'conflict', revision: 1, supersedes: null });
    expect(first.contradicts).toEqual([
      {
        id: other.id,
        state: 'pending',
        title: other.title,
        skillName: other.skillName,
        isLive: false,
        condition: other.proposedSkill.condition,
        action: 'Write its short name.',
      },
    ]);
    expect(other.contradicts).toMatchObject([{ id: first.id, state: 'pending', title: first.title }]);
    expect(other.difference).toMatch(/-.*long name[\s\S]*\+.*short name/);
    expect(first.difference).toMatch(/-.*short name[\s\S]*\+.*long name/);
    // The artifact is unchanged.
    expect(first.history).toMatchObject([
      { action: 'SKILL_EVOLVER_PROPOSAL_EMITTED' },
      { action: 'proposal.contradicted', actor: { kind: 'job' }, data: { beside: [other.id], kind: 'conflict' } },
    ]);
    expect(await actions(other.id)).toContain('SKILL_EVOLVER_CONFLICT_DETECTED');
  });

  it('conflict with a live skill once one of them is approved: the other does not become a second skill meanwhile', async () => {
    const [first, other] = await pair('Approve one');
    const { artifactSha256 } = other;
    await app.admin.proposals.approve(first.id, first.artifactSha256);
    await expect(app.admin.proposals.approve(other.id, artifactSha256)).rejects.toMatchObject(code('proposal.stale'));
    await sweep();
    const rebased = await show(other.id);
    const entry = await live(first);
    expect(rebased).toMatchObject({
      kind: 'conflict',
      revision: 2,
      skillName: first.skillName,
      supersedes: { id: entry?.id },
      contradicts: [{ id: first.id, state: 'approved', isLive: true }],
    });
    expect(await approved(other.id)).toMatchObject({ state: 'approved' });
    expect(await live(first)).toBeNull();
    expect(await live(other)).toMatchObject({ skillName: first.skillName, version: 2 });
  });

  it('have one winner if two people approve both at the same time, also in two processes', async () => {
    const elsewhere = await wireServices(app.database);
    const rita = await elsewhere.reviewer('Rita elsewhere');
    const there = elsewhere.approveProposal({ wake: () => {} });
    for (const title of ['At once', 'At once again', 'At once a third time']) {
      const [first, other] = await pair(title);
      const outcomes = await Promise.allSettled([
        app.admin.proposals.approve(first.id, first.artifactSha256),
        there.approve(rita, other.id, other.artifactSha256),
      ]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const [late] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      expect(late.problem ?? late).toMatchObject({ code: 'proposal.stale' });
      const states = [await show(first.id), await show(other.id)].map(({ state }) => state);
      expect(states.sort()).toEqual(['approved', 'pending']);
    }
  });

  it('leave an ordinary proposal after one of them is rejected', async () => {
    const [first, other] = await pair('Reject one');
    await app.admin.proposals.reject(first.id, 'the short way is better');
    await sweep();
    expect(await show(other.id)).toMatchObject({
      kind: 'new_skill',
      revision: 2,
      state: 'pending',
      contradicts: [{ id: first.id, state: 'rejected' }],
    });
    expect((await actions(other.id)).at(-1)).toBe('proposal.rebased');
    await sweep();
    expect(await show(other.id)).toMatchObject({ revision: 2 });
    expect(await approved(other.id)).toMatchObject({ state: 'approved' });
  });

  it('are contradictions again after one of them is reopened', async () => {
    const [first, other] = await pair('Ask again');
    await app.admin.proposals.reject(first.id, 'not now');
    await sweep();
    expect((await show(other.id)).kind).toBe('new_skill');
    const again = await app.admin.proposals.reopen(first.id, 'now it is');
    expect(again.kind).toBe('conflict');
    expect(await show(other.id)).toMatchObject({ kind: 'conflict', revision: 3 });
    expect((await show(again.id)).contradicts).toMatchObject([{ id: other.id, state: 'pending' }]);
  });

  it('are ended by one wording for both: its approval withdraws the other', async () => {
    const [first, other] = await pair('Write one for both');
    const proposal = { ...other.proposedSkill, action: 'Write the long name here, and the short one there.' };
    const { artifactSha256 } = other;
    const merged = await app.admin.proposals.resolve(other.id, {
      as: 'amend',
      artifactSha256,
      proposedSkill: proposal,
    });
    expect(merged).toMatchObject({ kind: 'new_skill', revision: 2, votes: { given: 0 } });
    expect(await approved(other.id)).toMatchObject({ state: 'approved' });
    const gone = await show(first.id);
    expect(gone).toMatchObject({ state: 'withdrawn' });
    expect(gone.history.at(-1)).toMatchObject({ data: { reason: `proposal ${other.id} subsumes it` } });
  });

  it('cannot replace anything while both are pending; keeping one rejects the other', async () => {
    const [first, other] = await pair('Keep one');
    const { artifactSha256 } = other;
    await expect(app.admin.proposals.resolve(other.id, { as: 'supersede', artifactSha256 })).rejects.toMatchObject(
      code('proposal.no_conflict'),
    );
    await app.admin.proposals.resolve(other.id, { as: 'keep', artifactSha256 });
    expect((await show(other.id)).decisions).toMatchObject([
      { verdict: 'rejected', reason: `The other proposal, "${first.title}", stays.` },
    ]);
  });

  it("invalidate votes that were cast without knowing the other one, and keep a person's wording", async () => {
    const voted = await submitTestProposal(app, 'Voted for too early', {}, { action: 'Delete the long name.' }, {});
    await app.database.client.proposal.update({ where: { id: voted.id }, data: { revision: 2, votesNeeded: 2 } });
    await second.proposals.approve(voted.id, voted.artifactSha256);
    expect((await show(voted.id)).votes.given).toBe(1);
    const { artifactSha256, proposedSkill: proposal } = await submitTestProposal(app, 'Reworded');
    const reworded = (await app.admin.proposals.list({ q: 'Reworded' })).items[0]?.id ?? '';
    await second.proposals.edit(reworded, {
      artifactSha256,
      proposedSkill: { ...proposal, title: 'Reworded manually' },
    });
    await submitTestProposal(app, 'Against both', { kind: 'conflict', contradicts: [voted.id, reworded] });
    expect((await show(voted.id)).votes.given).toBe(0);
    expect(await show(reworded)).toMatchObject({
      kind: 'conflict',
      title: 'Reworded manually',
      editedBy: 'Second',
      revision: 3,
    });
  });

  it('can arise when a cycle refreshes a pending proposal, which is reported once', async () => {
    const one = await submitTestProposal(app, 'Found later');
    const proposal = await submitTestProposal(app, 'Taken further');
    const again = { ...testProposalInput('Taken further', { rationale: 'Seen more often.' }), contradicts: [one.id] };
    const refresh = () => app.app.get(RefreshProposal).refresh(jobActor('test'), proposal.id, again);
    expect(await refresh()).toMatchObject({ outcome: 'refreshed' });
    const contested = await show(proposal.id);
    expect(contested).toMatchObject({ kind: 'conflict', contradicts: [{ id: one.id }] });
    expect(contested.history.at(-1)).toMatchObject({
      action: 'SKILL_EVOLVER_CONFLICT_DETECTED',
      data: { contradicts: [one.id] },
    });
    expect((await show(one.id)).kind).toBe('conflict');
    expect(await refresh()).toMatchObject({ outcome: 'unchanged' });
    expect((await show(proposal.id)).revision).toBe(contested.revision);
  });

  it("are found when a refreshed proposal contradicts a skill that was approved since, but a person's wording is not compared", async () => {
    const skill = await submitTestProposal(app, 'Approved since');
    await approved(skill.id);
    const entry = await live(skill);
    const against = (title: string) =>
      app.app.get(RefreshProposal).refresh(jobActor('test'), waiting.get(title) ?? '', {
        ...testProposalInput(title, { rationale: 'Seen more often.' }),
        kind: 'conflict' as const,
        supersedesId: entry?.id ?? null,
      });
    const waiting = new Map<string, string>();
    for (const title of ['Waits for long', 'Waits reworded'])
      waiting.set(title, (await submitTestProposal(app, title)).id);
    const { artifactSha256, proposedSkill } = await show(waiting.get('Waits reworded') ?? '');
    const edit = { artifactSha256, proposedSkill: { ...proposedSkill, title: 'In other words' } };
    await second.proposals.edit(waiting.get('Waits reworded') ?? '', edit);
    expect(await against('Waits for long')).toMatchObject({ outcome: 'refreshed' });
    const proposal = await show(waiting.get('Waits for long') ?? '');
    expect(proposal).toMatchObject({ kind: 'conflict', skillName: skill.skillName, supersedes: { id: entry?.id } });
    expect(await actions(proposal.id)).toContain('SKILL_EVOLVER_CONFLICT_DETECTED');
    expect(await against('Waits for long')).toMatchObject({ outcome: 'unchanged' });
    expect(await against('Waits reworded')).toMatchObject({ outcome: 'unchanged' });
    expect(await show(waiting.get('Waits reworded') ?? '')).toMatchObject({ kind: 'new_skill', supersedes: null });
  });

  it('are one row whichever side found it, and the row does not change', async () => {
    const [first, other] = await pair('Be one row');
    const where = { OR: [{ proposalId: first.id }, { otherProposalId: first.id }] };
    const rows = await app.database.client.contradiction.findMany({ where });
    expect(rows).toEqual([
      { proposalId: [first.id, other.id].sort()[0], otherProposalId: [first.id, other.id].sort()[1] },
    ]);
    await expect(app.database.client.contradiction.deleteMany({ where })).rejects.toThrow(/append-only/);
  });
});

describe('two contradicting proposals of one cycle', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  /** Twenty executions of each of five agents in which python failed in this way and another command worked. */
  async function failed(error: string, next: string): Promise<void> {
    const calls = [run('python a.py', error), run('python a.py', error), run(next)];
    for (const name of ['ada', 'ben', 'cleo', 'dan', 'eva']) {
      const { client } = await app.agent(`${name} of ${sha256(`${error} ${next}`).slice(0, 8)}`, `team of ${name}`);
      const tasks = Array.from({ length: 4 }, (_, n) => `${name} ${next} ${error} ${n}`);
      await client.executions.reportAll(tasks.map((task) => ({ ...pythonReport(app, task), toolCalls: calls })));
    }
    await app.settled();
  }

  it('are pending contradictions, each beside the other, and a cycle without new evidence leaves them unchanged', async () => {
    await failed('SyntaxError: invalid syntax', 'python3 a.py');
    await failed('ValueError: bad value', 'python3 a.py');
    await failed('SyntaxError: invalid syntax', 'python2 a.py');
    const { report } = await app.admin.evolver.run(false);
    expect(report).toMatchObject({ emitted: 2, conflicts: 1, subsumed: 0 });
    const { items } = await app.admin.proposals.list();
    expect(items.map(({ kind, action }) => [kind, action])).toEqual([
      ['conflict', 'Run `python3 a.py` instead of `python a.py`.'],
      ['conflict', 'Run `python2 a.py` instead of `python a.py`.'],
    ]);
    const [first, second] = await Promise.all(items.map(({ id }) => app.admin.proposals.show(id)));
    expect(first?.contradicts).toMatchObject([{ id: second?.id, state: 'pending' }]);
    expect(second?.contradicts).toMatchObject([{ id: first?.id, state: 'pending' }]);
    const { report: again } = await app.admin.evolver.run(false);
    expect(again?.proposals.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged']);
    expect((await app.admin.proposals.list()).items.map(({ revision }) => revision)).toEqual(
      items.map(({ revision }) => revision),
    );
  });
});
