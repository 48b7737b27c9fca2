import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { RetirementRequest } from '../../src/approvals/proposals/retirement-request.schema.js';
import { RequestRetirement } from '../../src/approvals/submissions/request-retirement.js';
import { jobActor } from '../../src/journal/actor.js';
import type { TestApplication } from '../support/application.js';
import { PREDICATE } from '../support/checked-proposal.js';
import { type Chromium, invitation, openChromium, signInWith } from '../support/chromium.js';
import { submitTestProposal } from '../support/proposal-input.js';
import { report } from '../support/reports.js';

/** Decisions of a reviewer. Leaves an empty queue. */
export function deciding(running: () => TestApplication): void {
  let app: TestApplication;
  let browser: Chromium;
  let people = 0;

  beforeAll(() => {
    app = running();
  });
  beforeEach(async () => {
    browser = await openChromium(app);
  });
  afterEach(async () => {
    expect(browser.complaints.filter((text) => !/status of (?:401|409|412)/.test(text))).toEqual([]);
    await browser.close();
  });

  const signIn = async (to = '/', roles = { reviewer: true }): Promise<string> => {
    people += 1;
    const name = `Reviewer Number ${people}`;
    await signInWith(browser, await invitation(app, name, roles), to);
    return name;
  };
  const rejectAll = async (): Promise<void> => {
    for (const { id } of (await app.admin.proposals.list({ limit: 100 })).items)
      await app.admin.proposals.reject(id, 'out of the way of the next test');
  };

  it('takes two key presses for each decision, from the first page to the last proposal', async () => {
    const items = [];
    for (const [n, title] of ['first of three', 'another one, the second', 'third and last thing'].entries())
      items.push(await submitTestProposal(app, title, { impact: 900 - n }));
    const { page } = browser;
    let keys = 0;
    const press = async (key: string): Promise<void> => {
      keys += 1;
      await page.keyboard.press(key);
    };
    await page.goto(`/sign-in?token=${await invitation(app, 'Kira Keyboard', { reviewer: true })}&to=/`);
    await page.locator('button:focus').waitFor();
    await press('Enter');
    await page.getByRole('navigation').waitFor();
    await press('n');
    await page.waitForURL(`**/review/${items[0]?.id}`);
    await press('a');
    expect(await page.locator('.armed').textContent()).toContain('Approve');
    await press('a');
    await page.waitForURL(`**/review/${items[1]?.id}`);
    // As docs/review-proposals.md promises: four key presses from the invitation link to the first decision, two for each next
    // one.
    expect(keys).toBe(4);
    await press('r');
    await press('3');
    await page.waitForURL(`**/review/${items[2]?.id}`);
    expect(await page.getByRole('status').first().textContent()).toContain('Rejected');
    await press('a');
    await press('Enter');
    await page.waitForURL(`${app.url}/`);
    expect(keys).toBe(8);
    expect(await page.textContent('main')).toContain('No proposals to decide');
    const states = await Promise.all(items.map(({ id }) => app.admin.proposals.show(id)));
    expect(states.map(({ state }) => state)).toEqual(['approved', 'rejected', 'approved']);
    expect(states[1]?.decisions[0]?.reason).toBe('Agents already know this');
  });

  it('opens a pair at its call before each of ten decisions, with one key there and one back', async () => {
    const { client } = await app.agent('agent of pairs');
    const toolCalls = [
      { name: 'Bash', action: 'ls', ok: true },
      { name: 'Bash', action: 'vend pull', ok: false, errorMessage: 'vend: no such stock' },
      { name: 'Bash', action: 'vend pull --all', ok: true },
    ];
    const { id: executionId } = await client.executions.report({ ...report(), toolCalls });
    const [failed, worked] = ['vend pull', 'vend pull --all'].map((call) => ({ tool: 'shell', call }));
    if (!failed || !worked) throw new Error('no calls');
    const pair = { executionId, failedAt: 1, workedAt: 2, failed, error: 'vend: no such stock', between: [], worked };
    const words = 'amber birch cedar delta ember flint grove heron ivory jetty'.split(' ');
    const items = [];
    for (const [n, word] of words.entries())
      items.push(
        await submitTestProposal(
          app,
          `${word} pulls its stock`,
          { impact: 900 - n },
          {},
          { pairs: [pair], executionIds: [executionId] },
        ),
      );
    await signIn(`/review/${items[0]?.id}`);
    const { page } = browser;
    for (const { id } of items) {
      await page.waitForURL(`**/review/${id}`);
      await page.keyboard.press('1');
      await page.waitForURL(`**/executions/${executionId}?proposal=${id}&at=1#call-1`);
      expect(await page.textContent('tr:target')).toContain('vend pull');
      await page.keyboard.press('b');
      await page.waitForURL(`**/review/${id}`);
      await page.keyboard.press('a');
      await page.keyboard.press('a');
    }
    await page.waitForURL(`${app.url}/`);
    const states = await Promise.all(items.map(({ id }) => app.admin.proposals.show(id)));
    expect(new Set(states.map(({ state }) => state))).toEqual(new Set(['approved']));
  });

  it('retires no skill with the keys of approving: a request has its own title, key and words', async () => {
    const live = await submitTestProposal(app, 'nearly retired');
    await app.admin.proposals.approve(live.id, live.artifactSha256);
    await app.settled();
    const [entry] = await app.database.client.memory.findMany({ where: { skillName: live.skillName } });
    if (!entry) throw new Error('no live skill');
    const request: RetirementRequest = {
      reason: 'dependency-changed',
      says: 'Learned on model-1. Of 30 executions of its agents since its approval, 30 ran on model-2.',
      was: ['model-1'],
      is: [{ model: 'model-2', executions: 30, agents: 3 }],
      executions: 30,
      onOthers: 30,
    };
    const requests = app.app.get(RequestRetirement, { strict: false });
    expect(await requests.request(jobActor('skill-watch'), entry, request)).toBe('opened');
    const [pending] = (await app.admin.proposals.list()).items;
    await signIn(`/review/${pending?.id}`);
    const { page } = browser;
    expect(await page.textContent('h1')).toBe('Retire: nearly retired');
    for (const key of ['a', 'a', 'Enter', 'a', 'Enter']) await page.keyboard.press(key);
    expect(await page.locator('.armed').count()).toBe(0);
    await page.keyboard.press('x');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    expect((await app.admin.proposals.show(pending?.id ?? '')).state).toBe('pending');
    await page.keyboard.press('x');
    expect(await page.locator('.armed').textContent()).toContain(`Retire ${live.skillName}`);
    await page.keyboard.press('x');
    await page.waitForURL(`${app.url}/`);
    expect(await page.textContent('.flash')).toContain(`Retired ${live.skillName}. Agents no longer receive it.`);
    expect((await app.admin.skills.list()).items.map(({ name }) => name)).not.toContain(live.skillName);
  });

  it('lists the executions behind the figures with one key, and opens one of them with two', async () => {
    const { client } = await app.agent('counted agent');
    const { id: executionId } = await client.executions.report(report());
    const { id } = await submitTestProposal(app, 'counts an execution', {}, {}, { executionIds: [executionId] });
    await signIn(`/review/${id}`);
    const { page } = browser;
    await page.keyboard.press('f');
    await page.waitForURL(`**/fleet?proposal=${id}`);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/executions/${executionId}?proposal=${id}#failure`);
    await rejectAll();
  });

  it('undoes a rejection with one key, shows the shortcuts, and disarms a button with Escape', async () => {
    const { id } = await submitTestProposal(app, 'rejected by a slip');
    await signIn(`/review/${id}`);
    const { page } = browser;
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    // No key decides while the shortcuts are shown.
    for (const key of ['a', 'a', 'Escape']) await page.keyboard.press(key);
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('a');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    expect((await app.admin.proposals.show(id)).state).toBe('pending');
    await page.keyboard.press('r');
    await page.keyboard.press('1');
    await page.waitForURL(`${app.url}/`);
    await page.keyboard.press('u');
    await page.waitForURL('**/review/*');
    expect(await page.textContent('.flash')).toContain('as this new proposal');
    await rejectAll();
  });

  it('previews an edit while typing, saves it, and approves the bytes of the preview', async () => {
    const { id } = await submitTestProposal(app, 'worded badly');
    const name = await signIn(`/review/${id}`);
    const { page } = browser;
    await page.keyboard.press('e');
    await page.waitForURL('**/edit');
    await page.getByLabel('Title').fill('');
    await page.locator('#preview .bad').first().waitFor();
    await page.getByLabel('Title').fill('Worded <b>well</b>');
    await page.locator('#preview').getByText('# Worded').waitFor();
    await page.getByLabel('Gotchas').fill('Mind the last letter.');
    await page.locator('#preview').getByText('- Mind the last letter.').waitFor();
    const shown = await page.locator('#preview input[name=seen]').inputValue();
    await page.getByRole('button', { name: 'Save and approve these bytes' }).click();
    await page.waitForURL(`${app.url}/`);
    const proposal = await app.admin.proposals.show(id);
    expect(proposal).toMatchObject({
      artifactSha256: shown,
      editedBy: name,
      state: 'pending',
      votes: { given: 1, needed: 2 },
    });
    const { state } = await app.admin.proposals.approve(id, shown);
    expect(state).toBe('approved');
  });

  it('marks a lesson as a gate with the keyboard alone, and keeps the box in an unsaved edit', async () => {
    const { id } = await submitTestProposal(app, 'gate by keyboard', {}, { predicate: PREDICATE });
    await signIn(`/review/${id}/edit`);
    const { page } = browser;
    const box = page.getByRole('checkbox', { name: 'Refuse a call once, with this lesson' });
    await page.locator('[name=tags]').focus();
    await page.keyboard.press('Tab');
    expect(await box.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('Space');
    await page.locator('#preview').getByText('Reviewers marked this skill as a gate').waitFor();
    await page.goto(`/review/${id}/edit`);
    await page.getByText('Your unsaved text was restored.').waitFor();
    expect(await box.isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Save as a new revision' }).click();
    await page.waitForURL(`**/review/${id}`);
    expect(await page.textContent('main')).toContain('Refuses a call that it is about once in a session');
    expect((await app.admin.proposals.show(id)).proposedSkill).toMatchObject({ gate: true });
    await rejectAll();
  });

  it('keeps the text of an edit after a concurrent change, and after the session ended', async () => {
    const proposal = await submitTestProposal(app, 'edited by two');
    await signIn(`/review/${proposal.id}/edit`);
    const { page, context } = browser;
    await page.getByLabel('Why').fill('Because I say so, at length.');
    await context.clearCookies({ name: '__Host-guildbook' });
    await page.getByRole('button', { name: 'Save as a new revision' }).click();
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.waitForURL(`**/review/${proposal.id}`);
    await page.keyboard.press('e');
    await page.waitForURL('**/edit');
    expect(await page.getByLabel('Why').inputValue()).toBe('Because I say so, at length.');
    const skill = { ...proposal.proposedSkill, title: 'Another reviewer was faster' };
    await app.admin.proposals.edit(proposal.id, { artifactSha256: proposal.artifactSha256, proposedSkill: skill });
    await page.getByRole('button', { name: 'Save as a new revision' }).click();
    await page.getByText('The proposal changed while you were editing').waitFor();
    expect(await page.getByLabel('Why').inputValue()).toBe('Because I say so, at length.');
    await rejectAll();
  });

  it('informs the slower of two reviewers, and links to the proposal', async () => {
    const { id, artifactSha256 } = await submitTestProposal(app, 'decided twice');
    await signIn(`/review/${id}`);
    await app.admin.proposals.approve(id, artifactSha256);
    const { page } = browser;
    await page.keyboard.press('a');
    await page.keyboard.press('a');
    await page.getByRole('heading', { name: 'This changed in the meantime' }).waitFor();
    await page.getByRole('link', { name: 'Show the current state' }).click();
    await page.getByText('This proposal is approved.').waitFor();
  });

  it('resolves a conflict side by side in favour of the live skill', async () => {
    const live = await submitTestProposal(app, 'the live one');
    await app.admin.proposals.approve(live.id, live.artifactSha256);
    await app.settled();
    const [entry] = await app.database.client.memory.findMany({ where: { skillName: live.skillName } });
    const against = { kind: 'conflict' as const, supersedesId: entry?.id ?? null };
    const { id } = await submitTestProposal(app, 'the other one', against, { action: 'Do the very opposite.' });
    await signIn(`/review/${id}`);
    const { page } = browser;
    expect(await page.locator('.difference.split').textContent()).toContain('Do the very opposite.');
    expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    await page.keyboard.press('r');
    await page.keyboard.press('r');
    await page.waitForURL(`${app.url}/`);
    expect((await app.admin.proposals.show(id)).state).toBe('rejected');
  });

  it('works without a script, with buttons and links alone', async () => {
    const { id } = await submitTestProposal(app, 'decided without a script');
    await browser.close();
    browser = await openChromium(app, { script: false });
    await signIn();
    const { page } = browser;
    await page.getByRole('link', { name: 'decided without a script' }).click();
    await page.getByText('Reject …').click();
    await page.getByLabel('Reason in your words').fill('It says nothing.');
    await page.getByRole('button', { name: 'Reject with this reason' }).click();
    await page.waitForURL(`${app.url}/`);
    expect((await app.admin.proposals.show(id)).decisions).toMatchObject([{ reason: 'It says nothing.' }]);
    const second = await submitTestProposal(app, 'reworded without a script');
    await page.goto(`/review/${second.id}`);
    await page.getByRole('link', { name: 'Edit …' }).click();
    await page.getByLabel('Title').fill('Reworded plainly');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.locator('#preview').getByText('# Reworded plainly').waitFor();
    await page.getByRole('button', { name: 'Save as a new revision' }).click();
    await page.waitForURL(`**/review/${second.id}`);
    expect(await app.admin.proposals.show(second.id)).toMatchObject({ revision: 2, title: 'Reworded plainly' });
    await rejectAll();
  });
}
