import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import { ProposalQueue } from '../../src/approvals/queue/proposal-queue.service.js';
import { RefreshProposal } from '../../src/approvals/submissions/refresh.js';
import { SubmitProposal } from '../../src/approvals/submissions/submit.js';
import { ProposalExpiryJob } from '../../src/approvals/upkeep/proposal-expiry.job.js';
import { jobActor } from '../../src/journal/actor.js';
import { DAY_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { reportPythonFleet } from '../support/fleet.js';
import { http } from '../support/http.js';
import { submitTestProposal, testProposalInput } from '../support/proposal-input.js';

// The bad day is slow on a busy machine.
jest.setTimeout(180_000);

const code = (of: string) => ({ problem: { code: of } });

describe('the queue', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication();
    await app.person('Colleague', { reviewer: true });
  });
  afterAll(() => app.close());

  const approve = (proposal: { id: string; artifactSha256: string }) =>
    app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
  const sweep = () => app.app.get(ProposalExpiryJob).sweep();
  const live = async (proposal: ProposalDetails) =>
    app.database.client.memory.findFirst({ where: { skillName: proposal.skillName, supersededAt: null } });
  const about = async (kind: 'supersede' | 'conflict', skill: ProposalDetails, title: string) =>
    submitTestProposal(app, title, { kind, supersedesId: (await live(skill))?.id ?? null });
  const last = async (id: string) => (await app.admin.proposals.show(id)).history.at(-1);

  it('reopens a rejected proposal once, as a new one with a link to it', async () => {
    const old = await submitTestProposal(app, 'Come back later');
    await expect(app.admin.proposals.reopen(old.id, 'to see')).rejects.toMatchObject(code('proposal.not_reopenable'));
    await app.admin.proposals.reject(old.id, 'not yet');
    app.clock.advance(60_000);
    const { id } = await app.admin.proposals.reopen(old.id, 'now it is');
    const proposal = await app.admin.proposals.show(id);
    expect(proposal).toMatchObject({
      state: 'pending',
      revision: 1,
      reopenedFrom: old.id,
      votes: { given: 0, needed: 1 },
      editedBy: null,
      proposedSkill: old.proposedSkill,
      evidence: old.evidence,
      skillName: old.skillName,
    });
    expect(Date.parse(proposal.expiresAt)).toBeGreaterThan(Date.parse(old.expiresAt));
    expect(proposal.history).toMatchObject([
      { action: 'proposal.reopened', actor: { kind: 'reviewer' }, data: { from: old.id, reason: 'now it is' } },
    ]);
    expect(await app.admin.proposals.show(old.id)).toMatchObject({ state: 'rejected', artifact: old.artifact });
    await expect(app.admin.proposals.reopen(old.id, 'again')).rejects.toMatchObject(code('proposal.already_pending'));
    expect(await approve(proposal)).toMatchObject({ state: 'approved' });
    await expect(app.admin.proposals.reopen(old.id, 'again')).rejects.toMatchObject(code('proposal.stale'));
  });

  it('resolves a conflict as a successor, in a revision without votes', async () => {
    const first = await submitTestProposal(app, 'Contradict by succession');
    await approve(first);
    const proposal = await about('conflict', first, 'Say it otherwise');
    await expect(
      app.admin.proposals.resolve(first.id, { as: 'keep', artifactSha256: first.artifactSha256 }),
    ).rejects.toMatchObject(code('proposal.no_conflict'));
    const { artifactSha256 } = proposal;
    const resolved = await app.admin.proposals.resolve(proposal.id, { as: 'supersede', artifactSha256 });
    expect(resolved).toMatchObject({ kind: 'supersede', state: 'pending', revision: 2, votes: { given: 0 } });
    expect(await last(proposal.id)).toMatchObject({
      action: 'proposal.resolved',
      data: { kind: 'supersede', revision: 2 },
    });
    expect(await approve(resolved)).toMatchObject({ state: 'approved' });
    expect(await live(first)).toMatchObject({ version: 2, proposalId: proposal.id });
  });

  it('resolves a conflict with a merged wording, which its author cannot approve alone', async () => {
    const first = await submitTestProposal(app, 'Contradict by amendment');
    await approve(first);
    const proposal = await about('conflict', first, 'Say a part of it otherwise');
    const { artifactSha256 } = proposal;
    const skill = { ...proposal.proposedSkill, action: 'Write the long name here, and the short one there.' };
    const resolved = await app.admin.proposals.resolve(proposal.id, {
      as: 'amend',
      artifactSha256,
      proposedSkill: skill,
    });
    expect(resolved).toMatchObject({ kind: 'amend', revision: 2, action: skill.action });
    expect(await approve(resolved)).toMatchObject({ state: 'pending', votes: { given: 1, needed: 2 } });
    const { client } = await app.person('Second', { reviewer: true });
    expect(await client.proposals.approve(proposal.id, resolved.artifactSha256)).toMatchObject({ state: 'approved' });
    const row = await app.database.client.proposal.findUniqueOrThrow({ where: { id: proposal.id } });
    expect(row.fingerprints).toHaveLength(2);
    expect(await live(first)).toMatchObject({ version: 2, action: skill.action });
  });

  it('resolves a conflict in favour of the live skill', async () => {
    const first = await submitTestProposal(app, 'Contradict in vain');
    await approve(first);
    const proposal = await about('conflict', first, 'Say the opposite');
    const kept = await app.admin.proposals.resolve(proposal.id, {
      as: 'keep',
      artifactSha256: proposal.artifactSha256,
    });
    expect(kept.state).toBe('rejected');
    expect((await app.admin.proposals.show(proposal.id)).decisions).toMatchObject([
      { verdict: 'rejected', reason: `The live skill "${first.skillName}" stays.` },
    ]);
    expect(await live(first)).toMatchObject({ version: 1 });
  });

  it('is updated by the job, which withdraws proposals that no longer apply', async () => {
    const first = await submitTestProposal(app, 'Move on');
    await approve(first);
    const next = await about('supersede', first, 'Move on, better');
    const late = await about('supersede', first, 'Move on, differently');
    const contrary = await about('conflict', first, 'Stay where you are');
    const untouched = await submitTestProposal(app, 'Have nothing to do with it');
    await approve(next);
    await expect(approve(late)).rejects.toMatchObject(code('proposal.stale'));
    await sweep();
    const rebased = await app.admin.proposals.show(late.id);
    expect(rebased).toMatchObject({
      state: 'pending',
      kind: 'supersede',
      revision: 2,
      proposedSkill: late.proposedSkill,
    });
    expect(await last(late.id)).toMatchObject({ action: 'proposal.rebased', actor: { kind: 'job' } });
    expect(await last(contrary.id)).toMatchObject({
      action: 'proposal.withdrawn',
      data: { reason: 'the skill that it contradicts changed or is retired' },
    });
    expect(await app.admin.proposals.show(untouched.id)).toMatchObject({ revision: 1, state: 'pending' });
    expect(await approve(rebased)).toMatchObject({ state: 'approved' });
    expect(await live(first)).toMatchObject({ version: 3 });
    expect((await app.admin.proposals.show(contrary.id)).state).toBe('withdrawn');
  });

  it('is filtered and searched, with pattern characters taken literally', async () => {
    const proposal = await submitTestProposal(app, 'Find 100%_of it', {}, {}, { agents: 41 });
    await submitTestProposal(app, 'Find 100 percent of it');
    const found = async (query: Parameters<typeof app.admin.proposals.list>[0]) =>
      (await app.admin.proposals.list(query)).items.map(({ id }) => id);
    expect(await found({ q: 'find 100%_OF' })).toEqual([proposal.id]);
    for (const q of ['find 1_0', 'find%of', 'find 100\\%']) expect(await found({ q })).toEqual([]);
    // Words match in any order, a quoted phrase as written.
    for (const q of ['100%_of FIND', 'long 100%_of the command', '"find 100%_of" it'])
      expect(await found({ q })).toEqual([proposal.id]);
    for (const q of ['"100%_of find"', '100%_of nowhere']) expect(await found({ q })).toEqual([]);
    expect(await found({ minAgents: 41 })).toEqual([proposal.id]);
    expect(await found({ skill: proposal.skillName })).toEqual([proposal.id]);
    expect(await found({ kind: 'retire' })).toEqual([]);
    expect(await found({ risk: 'critical' })).toEqual([]);
    expect(await found({ risk: proposal.risk, kind: 'new_skill' })).toContain(proposal.id);
    expect(await found({ since: proposal.createdAt, minAgents: 41 })).toEqual([proposal.id]);
    expect(await found({ since: '2999-01-01T00:00:00Z' })).toEqual([]);
  });

  it('is paged by sort keys: a proposal that moves between two pages hides no other', async () => {
    const titles = ['one', 'two', 'three', 'four', 'five'].map((n) => `Page through ${n}`);
    const items: ProposalDetails[] = [];
    for (const [n, title] of titles.entries()) items.push(await submitTestProposal(app, title, { impact: 100 - n }));
    const page = (after?: string) =>
      app.admin.proposals.list({ q: '"page through"', limit: 2, ...(after ? { after } : {}) });
    const first = await page();
    expect(first).toMatchObject({ total: 5, items: [{ id: items[0]?.id }, { id: items[1]?.id }] });
    const [, last] = first.items;
    const submission = testProposalInput(last?.title ?? '');
    await app.app.get(RefreshProposal).refresh(jobActor('test'), last?.id ?? '', {
      ...submission,
      impact: 1,
      evidence: { ...submission.evidence, failures: 7 },
    });
    const second = await page(first.next ?? '');
    expect(second.items.map(({ id }) => id)).toEqual([items[2]?.id, items[3]?.id]);
    const third = await page(second.next ?? '');
    expect(third).toMatchObject({ next: null, items: [{ id: items[4]?.id }, { id: last?.id, impact: 1 }] });
    // Also after a proposal, from its current position.
    expect((await page(items[3]?.id)).items.map(({ id }) => id)).toEqual([items[4]?.id, last?.id]);
    for (const after of ['nowhere', '2.1.x', `1.99999999999.${last?.id}`])
      await expect(page(after)).rejects.toMatchObject(code('request.invalid'));
  });

  it('shows near-duplicates as a cluster', async () => {
    const like = { condition: 'A glob pattern with a star goes to find without quotes.' };
    const one = await submitTestProposal(app, 'Quote the glob pattern for find', {}, like);
    const two = await submitTestProposal(app, 'For find, quote the glob pattern', {}, like);
    expect(two.cluster).toEqual({ id: one.cluster.id, size: 2 });
    const { items } = await app.admin.proposals.list({ cluster: one.cluster.id });
    expect(items.map(({ id }) => id).sort()).toEqual([one.id, two.id].sort());
    await app.admin.proposals.reject(two.id, 'the same');
    expect((await app.admin.proposals.show(one.id)).cluster.size).toBe(1);
  });

  const tagOf = async (id: string): Promise<string> =>
    (await http(app, app.adminToken).get(`/v1/proposals/${id}`)).headers['etag'] ?? '';
  const sender = (id: string) => (method: 'post' | 'put', path: string, body: object, tag: string) =>
    http(app, app.adminToken)[method](`/v1/proposals/${id}${path}`).set('if-match', tag).send(body);

  it('has an entity tag for each revision, which decisions and edits can require', async () => {
    const proposal = await submitTestProposal(app, 'Be tagged');
    const send = sender(proposal.id);
    const first = await tagOf(proposal.id);
    const skill = { ...proposal.proposedSkill, action: 'Write it with a tag.' };
    const edit = { artifactSha256: proposal.artifactSha256, proposedSkill: skill };
    expect((await send('put', '/skill', edit, '"another"')).status).toBe(412);
    expect((await send('put', '/skill', edit, first)).status).toBe(200);
    const second = await tagOf(proposal.id);
    expect(second).not.toBe(first);
    const { artifactSha256 } = await app.admin.proposals.show(proposal.id);
    expect((await send('post', '/approve', { artifactSha256 }, first)).status).toBe(412);
    const refused = await send('post', '/reject', { reason: 'too late' }, first);
    expect(refused.body).toMatchObject({ status: 412, code: 'proposal.revision_mismatch' });
    expect((await send('post', '/reject', { reason: 'in time' }, `"x", ${second}`)).status).toBe(200);
  });

  it('accepts the entity tag for resolving, reopening and retiring as well', async () => {
    const first = await submitTestProposal(app, 'Be tagged and live');
    await approve(first);
    const contrary = await about('conflict', first, 'Be tagged and contrary');
    const reason = 'as the test says';
    const only = async (id: string, path: string, body: object, status: number) => {
      const refused = await sender(id)('post', path, body, '"another"');
      expect(refused.body).toMatchObject({ status: 412, code: 'proposal.revision_mismatch' });
      expect((await sender(id)('post', path, body, await tagOf(id))).status).toBe(status);
    };
    const { artifactSha256 } = contrary;
    await only(contrary.id, '/resolve', { as: 'supersede', artifactSha256 }, 200);
    await only(contrary.id, '/reject', { reason }, 200);
    await only(contrary.id, '/reopen', { reason }, 201);
    await only(first.id, '/retire', { reason }, 200);
  });
});

describe("a fleet's bad day", () => {
  // As reported from a real fleet: 357 proposals in 8.4 days, none decided, of which 21 % no longer applied at the end.
  const [PROPOSALS, DAYS, STALE, CAP] = [357, 8.4, 75, 100];
  const STEPS = 21;
  const EACH = PROPOSALS / STEPS;
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication({}, false, { maxPendingProposals: CAP });
    // The clock starts in the past, so that the administrator's token is valid until the end.
    app.clock.advance(-DAYS * DAY_MS);
  });
  afterAll(() => app.close());

  const isStale = (n: number) => Math.floor(((n + 1) * STALE) / PROPOSALS) > Math.floor((n * STALE) / PROPOSALS);
  const room = () => app.app.get(ProposalQueue).freePlaces();
  const total = async (state: 'pending' | 'withdrawn') => (await app.admin.proposals.list({ state })).total;

  it('leaves a clustered queue below its maximum, in which every proposal can be applied', async () => {
    const skill = await submitTestProposal(app, 'Be the skill that everybody has an opinion on');
    await app.admin.proposals.approve(skill.id, skill.artifactSha256);
    const live = await app.database.client.memory.findFirstOrThrow({ where: { skillName: skill.skillName } });
    // Submits without reading the proposals back, which would double the time.
    const propose = (n: number, isAboutIt: boolean) =>
      app.app.get(SubmitProposal).submit(jobActor('test'), {
        ...testProposalInput(`Open the port number ${n % 7} of the test service`),
        fingerprint: `pattern ${n}`,
        fingerprints: [`pattern ${n}`],
        impact: n,
        ...(isAboutIt ? { kind: 'conflict' as const, supersedesId: live.id } : {}),
      });
    let left = 0;
    for (let step = 0; step < STEPS; step += 1) {
      app.clock.advance((DAYS * DAY_MS) / STEPS);
      const isLive = step < STEPS - 2;
      if (step === STEPS - 2) await app.admin.retireSkill(skill.id, 'it was wrong');
      const taken = Math.min(EACH, await room());
      for (let n = step * EACH; n < step * EACH + taken; n += 1) await propose(n, isLive && isStale(n));
      left += EACH - taken;
      await app.app.get(ProposalExpiryJob).sweep();
      expect(await total('pending')).toBeLessThanOrEqual(CAP);
      if (step !== STEPS - 3) continue;
      await reportPythonFleet(app, ['ada', 'ben', 'cleo']);
      expect((await app.admin.evolver.run(false)).report).toMatchObject({ emitted: 0, heldBack: 1, proposals: [] });
    }
    // The queue took 100. The 21 about the skill were withdrawn with it, which made room for those of the last step.
    expect([await total('pending'), await total('withdrawn'), left]).toEqual([96, 21, PROPOSALS - 117]);

    const { items } = await app.admin.proposals.list({ limit: 100 });
    expect(new Set(items.map(({ cluster }) => cluster.id)).size).toBeLessThan(items.length / 5);
    expect(items.every(({ cluster }) => cluster.size > 1)).toBe(true);
    expect((await app.admin.evolver.run(false)).report).toMatchObject({ emitted: 1, heldBack: 0 });
    const decided = await Promise.all(
      items.map(({ id, artifactSha256 }) => app.admin.proposals.approve(id, artifactSha256)),
    );
    expect(decided.filter(({ state }) => state !== 'approved')).toEqual([]);
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });
  });
});
