import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Principals } from '../../src/access/identity/principals.service.js';
import { HOUR_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { Console } from '../support/console.js';
import { reportPythonFleet } from '../support/fleet.js';
import { submitTestProposal } from '../support/proposal-input.js';

describe('the dashboard', () => {
  let app: TestApplication;
  let admin: Awaited<ReturnType<typeof Console.signedIn>>;
  let reader: Awaited<ReturnType<typeof Console.signedIn>>;
  const dashboard = async (path = '/') => (await admin.get(path)).text;

  beforeAll(async () => {
    app = await startTestApplication();
    admin = await Console.signedIn(app, 'Ada Admin', { reviewer: true, admin: true });
    reader = await Console.signedIn(app, 'Ron Reader', {});
  });
  afterAll(() => app.close());

  it('explains an empty queue, from the first start on', async () => {
    expect(await dashboard()).toContain('No execution has been reported yet.');
    await reportPythonFleet(app, ['alpha', 'beta']);
    expect(await dashboard()).toContain('2 executions were reported, but no cycle has run yet.');
    expect((await admin.post('/cycles', { dryRun: 'true' })).to).toMatch(/^\/cycles\/[0-9a-f-]{36}$/);
    expect(await dashboard()).toContain('Only dry runs so far');
    const ran = await admin.post('/cycles');
    expect((await admin.get(ran.to ?? '')).text).toContain('seen in fewer than 3 tasks');
    expect(await dashboard()).toContain('1 problem: seen in fewer than 3 tasks.');
  });

  it('offers cycles to administrators only', async () => {
    expect((await reader.get('/')).text).not.toContain('action="/cycles"');
    expect((await reader.post('/cycles', { dryRun: 'true' })).status).toBe(403);
  });

  it('lists pending proposals by impact, with near-duplicates under the first of them', async () => {
    await submitTestProposal(app, 'small matter of no weight', { impact: 2 });
    const fingerprints = ['f'.repeat(64)];
    const best = await submitTestProposal(app, 'great matter', { impact: 500, fingerprints });
    const alike = await submitTestProposal(app, 'great matter again', { impact: 400, fingerprints });
    const page = await dashboard();
    const rows = [...page.matchAll(/class="row" href="\/review\/([0-9a-f-]+)"/g)].map(([, id]) => id);
    expect(rows[0]).toBe(best.id);
    expect(rows).toHaveLength(2);
    expect(page).toContain('1 similar');
    expect(page).toMatch(/submitted just now<\/time>[^<]*<time[^>]*>expires in \d+ days</);
    expect(page).toContain(`<a href="/review/${alike.id}">great matter again</a>`);
    expect(page.indexOf('great matter')).toBeLessThan(page.indexOf('small matter'));
  });

  it('searches, and says when no proposal matches', async () => {
    expect(await dashboard('/?q=small+matter')).toContain('small matter of no weight');
    expect(await dashboard('/?q=small+matter')).not.toContain('great matter');
    expect(await dashboard('/?q=nothing-like-it')).toContain('No pending proposal matches these filters.');
    expect(await dashboard('/?kind=&risk=&q=')).toContain('great matter');
    expect((await admin.get('/?kind=nonsense&after=nonsense')).status).toBe(200);
  });

  it('lists what others did since the last visit, which ends after half an hour without a page', async () => {
    await dashboard();
    const { id, artifactSha256 } = await submitTestProposal(app, 'decided by another reviewer');
    await app.admin.proposals.approve(id, artifactSha256);
    expect(await dashboard()).toContain('This is your first visit in this browser.');
    const second = await submitTestProposal(app, 'decided in between');
    await app.admin.proposals.approve(second.id, second.artifactSha256);
    await later(HOUR_MS / 2 + 60_000);
    const page = await dashboard();
    expect(page).toContain('1 approved by Administrator');
    expect(await dashboard()).toContain('1 approved by Administrator');
  });

  it('warns when a proposal expires soon', async () => {
    expect(await dashboard()).not.toContain('decide soon');
    await later(13 * 24 * HOUR_MS);
    expect(await dashboard()).toContain('decide soon');
  });

  /** Advances the clock, which ends the session, and signs in again. */
  async function later(milliseconds: number): Promise<void> {
    app.clock.advance(milliseconds);
    const { token } = await app.app
      .get(Principals)
      .invite({ kind: 'admin', id: admin.id, name: 'Ada Admin' }, admin.id);
    await admin.signIn(token);
  }
});
