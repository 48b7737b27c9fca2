import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewProposal } from '../../src/approvals/proposals/new-proposal.js';
import { ProposalQueue } from '../../src/approvals/queue/proposal-queue.service.js';
import { KnownClaims } from '../../src/evolve/drafts/known-claims.js';
import { knownClaimsInput } from '../../src/evolve/drafts/known-claims-input.js';
import { OrgEntries } from '../../src/memory/store/org-entries.service.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { Console, formOf } from '../support/console.js';
import { submitTestProposal } from '../support/proposal-input.js';

const FAMILY = sha256('a family of failures');
const TEXTS = {
  title: 'Use the long name',
  condition: 'The short name has just failed with "short: not found".',
  predicate: { when: { tool: 'shell', ok: false, action: 'short' }, follow: { action: 'long', sameAction: true } },
} as const;

describe('merging two approved skills', () => {
  let app: TestApplication;
  let page: Console;
  let proposalId: string;

  beforeAll(async () => {
    app = await startTestApplication({ GUILDBOOK_CONSOLIDATION_CRON: 'off' });
    page = await Console.signedIn(app, 'Rosa Reviewer', { reviewer: true });
    await approved('first', { condition: 'The short name has just failed, for example with "NotFound".' }, 5);
    await approved('second', {}, 3);
    await approved('other', { action: 'Write the command twice.', predicate: undefined }, 4);
    await app.settled();
  });
  afterAll(() => app.close());

  async function approved(name: string, says: Partial<NewProposal['proposedSkill']>, agents: number): Promise<void> {
    const more = { skillName: name, fingerprint: sha256(name), fingerprints: [sha256(name), FAMILY] };
    const { id, artifactSha256 } = await submitTestProposal(app, name, more, { ...TEXTS, ...says }, { agents });
    await app.admin.proposals.approve(id, artifactSha256);
  }
  const isPublished = (name: string): boolean => existsSync(join(app.skillsDir, name, 'SKILL.md'));

  it('finds the pair in a dry run, and proposes nothing', async () => {
    const search = await app.admin.mergeSkills(true);
    expect(search).toMatchObject({
      dryRun: true,
      skills: 3,
      inRollout: 0,
      merges: [{ keep: { skillName: 'first' }, retire: { skillName: 'second' }, outcome: 'dry_run', proposalId: null }],
    });
    expect((await app.admin.proposals.list()).items).toEqual([]);
  });

  it('compares no skill that only a part of the agents receives', async () => {
    await app.admin.skills.rollout('first', 25);
    expect(await app.admin.mergeSkills(true)).toMatchObject({ skills: 2, inRollout: 1, merges: [] });
    await app.admin.skills.rollout('first', 100);
  });

  it('is for administrators and services that propose', async () => {
    const { client } = await app.person('Rea Reader', {});
    await expect(client.mergeSkills(false)).rejects.toMatchObject({ problem: { status: 403 } });
  });

  it('puts one proposal into the queue, with both texts and the difference', async () => {
    const { merges } = await app.admin.mergeSkills(false);
    proposalId = merges[0]?.proposalId ?? '';
    expect(merges).toMatchObject([{ outcome: 'submitted' }]);
    expect(await app.admin.mergeSkills(false)).toMatchObject({ merges: [{ outcome: 'pending', proposalId: null }] });
    const [listed] = (await app.admin.proposals.list()).items;
    expect(listed).toMatchObject({ id: proposalId, kind: 'retire', mergesInto: 'first', skillName: 'second' });
    const proposal = await app.admin.proposals.show(proposalId);
    expect(proposal).toMatchObject({
      keeps: { skillName: 'first', version: 1, isLive: true, evidence: { agents: 5 } },
      request: { reason: 'merge', says: expect.stringContaining('more evidence is behind it: 5 agents') },
    });
    expect(proposal.artifact).toContain('short: not found');
    expect(proposal.keeps?.artifact).toContain('NotFound');
    expect(proposal.difference).toMatch(/^-.*short: not found/m);
    expect(proposal.difference).toMatch(/^\+.*NotFound/m);
  });

  it('shows the reviewer which skill stays and why, and both files side by side', async () => {
    expect((await page.get('/')).text).toContain('merges into first');
    const { text } = await page.get(`/review/${proposalId}`);
    for (const says of [
      'Two skills say the same',
      'more evidence is behind it',
      'Goes: second',
      'Stays: first',
      'Keep only first',
      'Keep both',
    ])
      expect(text).toContain(says);
  });

  it('leaves one published file after the approval, and the evidence of the other with its proposals', async () => {
    const form = formOf(await page.get(`/review/${proposalId}`), `/review/${proposalId}/approve`);
    expect((await page.post(`/review/${proposalId}/approve`, form)).status).toBe(303);
    await app.settled();
    expect([isPublished('first'), isPublished('second'), isPublished('other')]).toEqual([true, false, true]);
    const git = (...args: string[]) => execFileSync('git', ['-C', app.skillsDir, ...args], { encoding: 'utf8' }).trim();
    expect(git('log', '-1', '--format=%s')).toBe('Retire second');
    expect((await app.admin.skills.list()).items.map(({ name }) => name)).toEqual(['first', 'other']);
    expect(await app.admin.proposals.show(proposalId)).toMatchObject({
      state: 'approved',
      evidence: { agents: 3 },
      keeps: { skillName: 'first', evidence: { agents: 5 } },
    });
    expect(await app.admin.mergeSkills(false)).toMatchObject({ skills: 2, merges: [] });
  });

  it('is no rejection: the pattern of the retired skill counts as that of the one that stayed', async () => {
    const [queue, org] = [app.app.get(ProposalQueue), app.app.get(OrgEntries)];
    expect(await queue.rejections()).toEqual([]);
    const approvedClaims = await queue.approved();
    const input = knownClaimsInput(await org.live(), [], approvedClaims, [], await queue.merged());
    const second = approvedClaims.find(({ fingerprints }) => fingerprints.includes(sha256('second')));
    const kept = await org.liveSkill('first');
    const draft = {
      fingerprints: [sha256('second')],
      actionFingerprint: second?.actionFingerprint,
      applicability: 'shell',
      evidence: {},
    };
    // Only what the look-up reads.
    expect(new KnownClaims(input).approved(draft as never)).toBe(kept?.id);
  });
});
