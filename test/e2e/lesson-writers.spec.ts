import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { Console } from '../support/console.js';
import { submitTestProposal } from '../support/proposal-input.js';

let app: TestApplication;
beforeEach(async () => {
  app = await startTestApplication();
});
afterEach(() => app.close());

it('without a proposal no writer has a record', async () => {
  expect((await app.admin.evolver.writers()).items).toEqual([]);
  const reader = await Console.signedIn(app, 'Ron Reader', {});
  expect((await reader.get('/cycles')).text).toContain('No proposal was submitted in this time.');
});

it('reviewers see how often they approve, edit and reject what each writer wrote, and why', async () => {
  const [kept, refused] = [await submitTestProposal(app, 'Alpha'), await submitTestProposal(app, 'Bravo')];
  const undone = await submitTestProposal(app, 'Charlie');
  await app.admin.proposals.approve(kept.id, kept.artifactSha256);
  await app.admin.proposals.reject(refused.id, 'Too narrow: one project or person. Ours only');
  await app.admin.proposals.reject(undone.id, 'unclear');
  await app.admin.proposals.reopen(undone.id, 'a slip of mine');
  const { window, items } = await app.admin.evolver.writers({ days: 7 });
  expect(items).toEqual([
    {
      writer: 'rules',
      submitted: 3,
      pending: 1,
      approved: 1,
      rejected: 1,
      ended: 0,
      edited: 0,
      shares: { approved: 0.5, edited: 0, rejected: 0.5 },
      reasons: [{ reason: 'narrow', n: 1 }],
    },
  ]);
  const reader = await Console.signedIn(app, 'Ron Reader', {});
  expect((await reader.get('/cycles')).text).toMatch(
    /rules<\/th>.*>3<.*>1 \(50 %\)<.*>0 \(0 %\)<.*Too narrow: one project or person \(1\)/,
  );
  expect(Date.parse(window.to) - Date.parse(window.from)).toBe(7 * 24 * 60 * 60 * 1_000);
});

it('an edited proposal counts as edited once it is decided', async () => {
  const { id, artifactSha256, proposedSkill } = await submitTestProposal(app, 'Alpha');
  await app.admin.proposals.edit(id, { artifactSha256, proposedSkill: { ...proposedSkill, title: 'Another title' } });
  expect((await app.admin.evolver.writers()).items).toMatchObject([{ pending: 1, edited: 0, shares: null }]);
  await app.admin.proposals.reject(id, 'wrong');
  expect((await app.admin.evolver.writers()).items).toMatchObject([
    { edited: 1, reasons: [{ reason: 'wrong', n: 1 }] },
  ]);
});
