import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Approval } from '../../src/approvals/proposals/approvals.schema.js';
import { ApprovalQueue } from '../../src/approvals/queue/approval-queue.service.js';
import { RefreshProposal } from '../../src/approvals/submissions/refresh.js';
import { SubmitProposal } from '../../src/approvals/submissions/submit.js';
import { ApprovalExpiryJob } from '../../src/approvals/upkeep/approval-expiry.job.js';
import { job } from '../../src/journal/actor.js';
import { DAY_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { reportPythonFleet } from '../support/fleet.js';
import { submissionOf, submitted } from '../support/submission.js';

// A bad day takes its time on a busy machine.
jest.setTimeout(180_000);

const code = (of: string) => ({ problem: { code: of } });

describe('the queue', () => {
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication();
    await app.person('Colleague', { reviewer: true });
  });
  afterAll(() => app.close());

  const approve = (item: { id: string; artifactSha256: string }) =>
    app.admin.approvals.approve(item.id, item.artifactSha256);
  const sweep = () => app.app.get(ApprovalExpiryJob).sweep();
  const live = async (item: Approval) =>
    app.database.client.memory.findFirst({ where: { skillName: item.skillName, supersededAt: null } });
  const about = async (kind: 'supersede' | 'conflict', skill: Approval, title: string) =>
    submitted(app, title, { kind, supersedesId: (await live(skill))?.id ?? null });
  const last = async (id: string) => (await app.admin.approvals.show(id)).history.at(-1);

  it('asks again what was rejected, as a new item that is linked, once', async () => {
    const old = await submitted(app, 'Come back later');
    await expect(app.admin.approvals.reopen(old.id, 'to see')).rejects.toMatchObject(code('approval.not_reopenable'));
    await app.admin.approvals.reject(old.id, 'not yet');
    app.clock.advance(60_000);
    const { id } = await app.admin.approvals.reopen(old.id, 'now it is');
    const item = await app.admin.approvals.show(id);
    expect(item).toMatchObject({
      ...{ state: 'pending', revision: 1, reopenedFrom: old.id, votes: { given: 0, needed: 1 }, editedBy: null },
      ...{ proposal: old.proposal, evidence: old.evidence, skillName: old.skillName },
    });
    expect(Date.parse(item.expiresAt)).toBeGreaterThan(Date.parse(old.expiresAt));
    expect(item.history).toMatchObject([
      { action: 'approval.reopened', actor: { kind: 'reviewer' }, data: { from: old.id, reason: 'now it is' } },
    ]);
    expect(await app.admin.approvals.show(old.id)).toMatchObject({ state: 'rejected', artifact: old.artifact });
    await expect(app.admin.approvals.reopen(old.id, 'again')).rejects.toMatchObject(code('approval.pending_already'));
    expect(await approve(item)).toMatchObject({ state: 'approved' });
    await expect(app.admin.approvals.reopen(old.id, 'again')).rejects.toMatchObject(code('approval.stale'));
  });

  it('settles a conflict as a successor, in a revision that nobody voted on', async () => {
    const first = await submitted(app, 'Contradict by succession');
    await approve(first);
    const item = await about('conflict', first, 'Say it otherwise');
    await expect(
      app.admin.approvals.resolve(first.id, { as: 'keep', artifactSha256: first.artifactSha256 }),
    ).rejects.toMatchObject(code('approval.no_conflict'));
    const { artifactSha256 } = item;
    const resolved = await app.admin.approvals.resolve(item.id, { as: 'supersede', artifactSha256 });
    expect(resolved).toMatchObject({ kind: 'supersede', state: 'pending', revision: 2, votes: { given: 0 } });
    expect(await last(item.id)).toMatchObject({
      action: 'approval.resolved',
      data: { kind: 'supersede', revision: 2 },
    });
    expect(await approve(resolved)).toMatchObject({ state: 'approved' });
    expect(await live(first)).toMatchObject({ version: 2, approvalId: item.id });
  });

  it('settles a conflict by a wording for both, which its author cannot approve alone', async () => {
    const first = await submitted(app, 'Contradict by amendment');
    await approve(first);
    const item = await about('conflict', first, 'Say a part of it otherwise');
    const { artifactSha256 } = item;
    const proposal = { ...item.proposal, action: 'Write the long name here, and the short one there.' };
    const resolved = await app.admin.approvals.resolve(item.id, { as: 'amend', artifactSha256, proposal });
    expect(resolved).toMatchObject({ kind: 'amend', revision: 2, action: proposal.action });
    expect(await approve(resolved)).toMatchObject({ state: 'pending', votes: { given: 1, needed: 2 } });
    const { client } = await app.person('Second', { reviewer: true });
    expect(await client.approvals.approve(item.id, resolved.artifactSha256)).toMatchObject({ state: 'approved' });
    const row = await app.database.client.approvalItem.findUniqueOrThrow({ where: { id: item.id } });
    expect(row.fingerprints).toHaveLength(2);
    expect(await live(first)).toMatchObject({ version: 2, action: proposal.action });
  });

  it('settles a conflict for the live skill', async () => {
    const first = await submitted(app, 'Contradict in vain');
    await approve(first);
    const item = await about('conflict', first, 'Say the opposite');
    const kept = await app.admin.approvals.resolve(item.id, { as: 'keep', artifactSha256: item.artifactSha256 });
    expect(kept.state).toBe('rejected');
    expect((await app.admin.approvals.show(item.id)).decisions).toMatchObject([
      { verdict: 'rejected', reason: `The live skill "${first.skillName}" stands.` },
    ]);
    expect(await live(first)).toMatchObject({ version: 1 });
  });

  it('is brought up to date by the sweep, or rid of what no longer applies', async () => {
    const first = await submitted(app, 'Move on');
    await approve(first);
    const next = await about('supersede', first, 'Move on, better');
    const late = await about('supersede', first, 'Move on, differently');
    const contrary = await about('conflict', first, 'Stay where you are');
    const untouched = await submitted(app, 'Have nothing to do with it');
    await approve(next);
    await expect(approve(late)).rejects.toMatchObject(code('approval.stale'));
    await sweep();
    const rebased = await app.admin.approvals.show(late.id);
    expect(rebased).toMatchObject({ state: 'pending', kind: 'supersede', revision: 2, proposal: late.proposal });
    expect(await last(late.id)).toMatchObject({ action: 'approval.rebased', actor: { kind: 'job' } });
    expect(await last(contrary.id)).toMatchObject({
      action: 'approval.withdrawn',
      data: { reason: 'the skill that it contradicts changed or is retired' },
    });
    expect(await app.admin.approvals.show(untouched.id)).toMatchObject({ revision: 1, state: 'pending' });
    expect(await approve(rebased)).toMatchObject({ state: 'approved' });
    expect(await live(first)).toMatchObject({ version: 3 });
    expect((await app.admin.approvals.show(contrary.id)).state).toBe('withdrawn');
  });

  it('is filtered and searched, with what is special in patterns taken as it is', async () => {
    const item = await submitted(app, 'Find 100%_of it', {}, {}, { agents: 41 });
    await submitted(app, 'Find 100 percent of it');
    const found = async (query: Parameters<typeof app.admin.approvals.list>[0]) =>
      (await app.admin.approvals.list(query)).items.map(({ id }) => id);
    expect(await found({ q: 'find 100%_OF' })).toEqual([item.id]);
    for (const q of ['find 1_0', 'find%of', 'find 100\\%']) expect(await found({ q })).toEqual([]);
    // Words in whatever order; in quotes, as they follow each other.
    for (const q of ['100%_of FIND', 'long 100%_of the command', '"find 100%_of" it'])
      expect(await found({ q })).toEqual([item.id]);
    for (const q of ['"100%_of find"', '100%_of nowhere']) expect(await found({ q })).toEqual([]);
    expect(await found({ minAgents: 41 })).toEqual([item.id]);
    expect(await found({ skill: item.skillName })).toEqual([item.id]);
    expect(await found({ kind: 'retire' })).toEqual([]);
    expect(await found({ risk: 'critical' })).toEqual([]);
    expect(await found({ risk: item.risk, kind: 'new_skill' })).toContain(item.id);
    expect(await found({ since: item.createdAt, minAgents: 41 })).toEqual([item.id]);
    expect(await found({ since: '2999-01-01T00:00:00Z' })).toEqual([]);
  });

  it('is paged by places: what moves between two pages hides nothing of the others', async () => {
    const titles = ['one', 'two', 'three', 'four', 'five'].map((n) => `Page through ${n}`);
    const items: Approval[] = [];
    for (const [n, title] of titles.entries()) items.push(await submitted(app, title, { impact: 100 - n }));
    const page = (after?: string) =>
      app.admin.approvals.list({ q: '"page through"', limit: 2, ...(after ? { after } : {}) });
    const first = await page();
    expect(first).toMatchObject({ total: 5, items: [{ id: items[0]?.id }, { id: items[1]?.id }] });
    const [, last] = first.items;
    const submission = submissionOf(last?.title ?? '');
    await app.app.get(RefreshProposal).refresh(job('test'), last?.id ?? '', {
      ...{ ...submission, impact: 1 },
      evidence: { ...submission.evidence, failures: 7 },
    });
    const second = await page(first.next ?? '');
    expect(second.items.map(({ id }) => id)).toEqual([items[2]?.id, items[3]?.id]);
    const third = await page(second.next ?? '');
    expect(third).toMatchObject({ next: null, items: [{ id: items[4]?.id }, { id: last?.id, impact: 1 }] });
    // Also behind an item, from where it is by now.
    expect((await page(items[3]?.id)).items.map(({ id }) => id)).toEqual([items[4]?.id, last?.id]);
    for (const after of ['nowhere', '2.1.x', `1.99999999999.${last?.id}`])
      await expect(page(after)).rejects.toMatchObject(code('request.invalid'));
  });

  it('shows near-duplicates as a cluster', async () => {
    const like = { condition: 'A glob pattern with a star goes to find without quotes.' };
    const one = await submitted(app, 'Quote the glob pattern for find', {}, like);
    const two = await submitted(app, 'For find, quote the glob pattern', {}, like);
    expect(two.cluster).toEqual({ id: one.cluster.id, size: 2 });
    const { items } = await app.admin.approvals.list({ cluster: one.cluster.id });
    expect(items.map(({ id }) => id).sort()).toEqual([one.id, two.id].sort());
    await app.admin.approvals.reject(two.id, 'the same');
    expect((await app.admin.approvals.show(one.id)).cluster.size).toBe(1);
  });

  const sender =
    (id: string) =>
    (method: string, path: string, body?: unknown, tag?: string): Promise<Response> =>
      fetch(`${app.url}/v1/approvals/${id}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${app.adminToken}`,
          'content-type': 'application/json',
          ...(tag ? { 'if-match': tag } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });

  it('tags a revision, and a decision or an edit can name the tag that it is for', async () => {
    const item = await submitted(app, 'Be tagged');
    const send = sender(item.id);
    const first = (await send('GET', '')).headers.get('etag') ?? '';
    const proposal = { ...item.proposal, action: 'Write it with a tag.' };
    const edit = { artifactSha256: item.artifactSha256, proposal };
    expect((await send('PUT', '/proposal', edit, '"another"')).status).toBe(412);
    expect((await send('PUT', '/proposal', edit, first)).status).toBe(200);
    const second = (await send('GET', '')).headers.get('etag') ?? '';
    expect(second).not.toBe(first);
    const { artifactSha256 } = await app.admin.approvals.show(item.id);
    expect((await send('POST', '/approve', { artifactSha256 }, first)).status).toBe(412);
    const refused = await send('POST', '/reject', { reason: 'too late' }, first);
    expect(await refused.json()).toMatchObject({ status: 412, code: 'approval.not_matched' });
    expect((await send('POST', '/reject', { reason: 'in time' }, `"x", ${second}`)).status).toBe(200);
  });

  it('has every other verb name the tag that it is for as well: a resolution, a reopening, a revocation', async () => {
    const first = await submitted(app, 'Be tagged and live');
    await approve(first);
    const contrary = await about('conflict', first, 'Be tagged and contrary');
    const reason = 'as the test says';
    const tagOf = async (id: string) => (await sender(id)('GET', '')).headers.get('etag') ?? '';
    const only = async (id: string, path: string, body: unknown, status: number) => {
      const refused = await sender(id)('POST', path, body, '"another"');
      expect(await refused.json()).toMatchObject({ status: 412, code: 'approval.not_matched' });
      expect((await sender(id)('POST', path, body, await tagOf(id))).status).toBe(status);
    };
    const { artifactSha256 } = contrary;
    await only(contrary.id, '/resolve', { as: 'supersede', artifactSha256 }, 200);
    await only(contrary.id, '/reject', { reason }, 200);
    await only(contrary.id, '/reopen', { reason }, 201);
    await only(first.id, '/revoke', { reason }, 200);
  });
});

describe("a fleet's bad day", () => {
  // As in a report from the field: 357 proposals in 8.4 days, none decided, and 21 % that no longer applied at the end.
  const [PROPOSALS, DAYS, STALE, CAP] = [357, 8.4, 75, 100];
  const STEPS = 21;
  const EACH = PROPOSALS / STEPS;
  let app: TestApplication;

  beforeAll(async () => {
    app = await startTestApplication({}, false, { maxPendingApprovals: CAP });
    // Backwards, so that the administrator's token lasts until the end of it.
    app.clock.advance(-DAYS * DAY_MS);
  });
  afterAll(() => app.close());

  const isStale = (n: number) => Math.floor(((n + 1) * STALE) / PROPOSALS) > Math.floor((n * STALE) / PROPOSALS);
  const room = () => app.app.get(ApprovalQueue).room();
  const total = async (state: 'pending' | 'withdrawn') => (await app.admin.approvals.list({ state })).total;

  it('leaves a queue under its cap, clustered, in which everything can be applied', async () => {
    const skill = await submitted(app, 'Be the skill that everybody has an opinion on');
    await app.admin.approvals.approve(skill.id, skill.artifactSha256);
    const live = await app.database.client.memory.findFirstOrThrow({ where: { skillName: skill.skillName } });
    // Straight into the queue, as a cycle does: showing each one would take as long again.
    const propose = (n: number, isAboutIt: boolean) =>
      app.app.get(SubmitProposal).submit(job('test'), {
        ...submissionOf(`Open the port number ${n % 7} of the test service`),
        ...{ fingerprint: `pattern ${n}`, fingerprints: [`pattern ${n}`], impact: n },
        ...(isAboutIt ? { kind: 'conflict' as const, supersedesId: live.id } : {}),
      });
    let left = 0;
    for (let step = 0; step < STEPS; step += 1) {
      app.clock.advance((DAYS * DAY_MS) / STEPS);
      const isLive = step < STEPS - 2;
      if (step === STEPS - 2) await app.admin.revoke(skill.id, 'it was wrong');
      const taken = Math.min(EACH, await room());
      for (let n = step * EACH; n < step * EACH + taken; n += 1) await propose(n, isLive && isStale(n));
      left += EACH - taken;
      await app.app.get(ApprovalExpiryJob).sweep();
      expect(await total('pending')).toBeLessThanOrEqual(CAP);
      if (step !== STEPS - 3) continue;
      await reportPythonFleet(app, ['ada', 'ben', 'cleo']);
      expect((await app.admin.evolver.run(false)).report).toMatchObject({ emitted: 0, heldBack: 1, proposals: [] });
    }
    // 100 were taken at once, of which the 21 about the skill went with it, and made room for those of the last step.
    expect([await total('pending'), await total('withdrawn'), left]).toEqual([96, 21, PROPOSALS - 117]);

    const { items } = await app.admin.approvals.list({ limit: 100 });
    expect(new Set(items.map(({ cluster }) => cluster.id)).size).toBeLessThan(items.length / 5);
    expect(items.every(({ cluster }) => cluster.size > 1)).toBe(true);
    expect((await app.admin.evolver.run(false)).report).toMatchObject({ emitted: 1, heldBack: 0 });
    const decided = await Promise.all(
      items.map(({ id, artifactSha256 }) => app.admin.approvals.approve(id, artifactSha256)),
    );
    expect(decided.filter(({ state }) => state !== 'approved')).toEqual([]);
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });
  });
});
