import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ExpireProposals } from '../../src/approvals/upkeep/expire.js';
import { jobActor } from '../../src/journal/actor.js';
import { HOUR_MS } from '../../src/platform/base/durations.js';
import { WebhookDeliveryWorker } from '../../src/webhooks/webhook-delivery-worker.service.js';
import { Webhooks } from '../../src/webhooks/webhooks.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { Console, decoded } from '../support/console.js';
import { submitTestProposal } from '../support/proposal-input.js';
import { isSigned, type Receiver, startReceiver } from '../support/webhook-receiver.js';

describe('a webhook', () => {
  let app: TestApplication;
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await startReceiver();
    app = await startTestApplication({
      GUILDBOOK_WEBHOOKS_ALLOW_PRIVATE: 'true',
      GUILDBOOK_PUBLIC_URL: 'https://guildbook.example.org',
    });
  });
  afterEach(async () => {
    await app.close();
    await receiver.close();
  });

  /** Sends what is due now. */
  async function deliverDue(): Promise<void> {
    const worker = app.app.get(WebhookDeliveryWorker);
    worker.wake();
    await worker.idle();
  }
  const received = () => receiver.messages.map(({ body }) => JSON.parse(body));
  // Read without a token: the administrator's token expires when the clock moves.
  const deliveries = async ({ id }: { id: string }) => (await app.app.get(Webhooks).deliveries(id, 50)).items;
  const approve = async (title: string) => {
    const { id, artifactSha256 } = await submitTestProposal(app, title);
    await app.admin.proposals.approve(id, artifactSha256);
    return id;
  };

  it('receives new proposals and every decision, signed, without any text of the file', async () => {
    const added = await app.admin.webhooks.add({ url: receiver.url });
    const submitted = await submitTestProposal(app, 'Write the long name');
    await app.admin.proposals.approve(submitted.id, submitted.artifactSha256);
    const rejected = await submitTestProposal(app, 'Write the short name');
    await app.admin.proposals.reject(rejected.id, 'No.');
    const reopened = await app.admin.proposals.reopen(rejected.id, 'Perhaps.');
    await app.admin.proposals.reject(reopened.id, 'No, still.');
    const late = await submitTestProposal(app, 'Write no name');
    app.clock.advance(15 * 24 * HOUR_MS);
    await app.app.get(ExpireProposals).expire(jobActor('proposal-expiry'));
    await deliverDue();

    const seen = received();
    expect(seen.map(({ type, data }) => [type, data.id])).toEqual([
      ['proposal.submitted', submitted.id],
      ['proposal.approved', submitted.id],
      ['proposal.submitted', rejected.id],
      ['proposal.rejected', rejected.id],
      ['proposal.submitted', reopened.id],
      ['proposal.rejected', reopened.id],
      ['proposal.submitted', late.id],
      ['proposal.expired', late.id],
    ]);
    expect(seen[0]).toEqual({
      type: 'proposal.submitted',
      timestamp: expect.any(String),
      data: {
        id: submitted.id,
        kind: 'new_skill',
        risk: submitted.risk,
        skillName: submitted.skillName,
        version: 1,
        title: 'Write the long name',
        cycleId: expect.any(String),
        evidence: { agents: 3, owners: 2, origins: 3, executions: 4, failures: 6 },
        link: `https://guildbook.example.org/review/${submitted.id}`,
      },
    });
    for (const message of receiver.messages) {
      expect(isSigned(message, added.secret)).toBe(true);
      expect(isSigned({ ...message, body: `${message.body} ` }, added.secret)).toBe(false);
      const later = { ...message.headers, 'webhook-timestamp': '1' };
      expect(isSigned({ ...message, headers: later }, added.secret)).toBe(false);
    }
    expect((await deliveries(added)).every(({ state, attempts }) => state === 'delivered' && attempts === 1)).toBe(
      true,
    );
  });

  it('receives only the events it subscribed to, and nothing from before', async () => {
    await approve('Before');
    await app.admin.webhooks.add({ url: receiver.url, events: ['proposal.approved'] });
    const id = await approve('After');
    await deliverDue();
    expect(received().map(({ type, data }) => [type, data.id])).toEqual([['proposal.approved', id]]);
  });

  it('never delays a decision, and repeats a message under the same id until it is accepted', async () => {
    receiver.answer = (_request, response) => response.writeHead(503).end('later, password=hunter2hunter2');
    const added = await app.admin.webhooks.add({ url: receiver.url, events: ['proposal.approved'] });
    const id = await approve('Patience');
    expect((await app.admin.proposals.show(id)).state).toBe('approved');
    await deliverDue();
    expect(await deliveries(added)).toEqual([
      expect.objectContaining({ state: 'pending', attempts: 1, lastStatus: 503, endedAt: null }),
    ]);
    const [first] = await deliveries(added);
    expect(first?.lastAnswer).toContain('later');
    expect(first?.lastAnswer).not.toContain('hunter2');
    expect((await app.admin.webhooks.list()).items).toEqual([expect.objectContaining({ pending: 1 })]);
    await deliverDue();
    expect(receiver.messages).toHaveLength(1);

    receiver.answer = (_request, response) => response.writeHead(200).end();
    app.clock.advance(HOUR_MS);
    await deliverDue();
    expect(await deliveries(added)).toEqual([expect.objectContaining({ state: 'delivered', attempts: 2 })]);
    const [one, two] = receiver.messages;
    expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
    expect(two?.headers['webhook-timestamp']).not.toBe(one?.headers['webhook-timestamp']);
    expect(two && isSigned(two, added.secret)).toBe(true);
  });

  it('gives up after a day of attempts', async () => {
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const added = await app.admin.webhooks.add({ url: receiver.url, events: ['proposal.approved'] });
    await approve('In vain');
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      await deliverDue();
      app.clock.advance(11 * HOUR_MS);
    }
    await deliverDue();
    expect(receiver.messages).toHaveLength(8);
    expect(await deliveries(added)).toEqual([
      expect.objectContaining({ state: 'failed', attempts: 8, nextAttemptAt: null, endedAt: expect.any(String) }),
    ]);
  });

  it('does not delay other webhooks if it does not respond', async () => {
    const deaf = await startReceiver();
    deaf.answer = (_request, response) => response.writeHead(500).end();
    const first = await app.admin.webhooks.add({ url: deaf.url, events: ['proposal.approved'] });
    const second = await app.admin.webhooks.add({ url: receiver.url, events: ['proposal.approved'] });
    for (const title of ['One', 'Two', 'Three']) await approve(title);
    await deliverDue();
    expect((await deliveries(first)).map(({ state }) => state)).toEqual(['pending', 'pending', 'pending']);
    expect((await deliveries(second)).map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered']);
    expect(first.secret).not.toBe(second.secret);
    await deaf.close();
  });

  it('receives nothing more after it responded that it is gone', async () => {
    receiver.answer = (_request, response) => response.writeHead(410).end();
    const added = await app.admin.webhooks.add({ url: receiver.url, events: ['proposal.approved'] });
    await approve('Farewell');
    await deliverDue();
    await approve('After the farewell');
    await deliverDue();
    expect(receiver.messages).toHaveLength(1);
    expect((await app.admin.webhooks.list()).items).toEqual([
      expect.objectContaining({ id: added.id, disabledAt: expect.any(String), pending: 0 }),
    ]);
    expect((await app.admin.journal.list({ action: 'webhook.disabled' })).items).toHaveLength(1);
  });

  it('can be tested at once, without repetition', async () => {
    const added = await app.admin.webhooks.add({ url: receiver.url });
    expect(await app.admin.webhooks.test(added.id)).toMatchObject({ state: 'delivered', attempts: 1, lastStatus: 204 });
    expect(received()).toEqual([{ type: 'webhook.test', timestamp: expect.any(String), data: {} }]);
    receiver.answer = (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end();
    expect(await app.admin.webhooks.test(added.id)).toMatchObject({ state: 'failed', lastStatus: 302 });
    expect(receiver.messages.map(({ path }) => path)).toEqual(['/hook', '/hook']);
  });

  it('is added, tested, watched and removed in the settings by an administrator', async () => {
    const page = await Console.signedIn(app, 'Ada Admin', { admin: true });
    const reader = await Console.signedIn(app, 'Ron Reader', {});
    expect((await page.get('/settings/webhooks')).text).toContain('No webhook yet.');
    const wrong = await page.post('/settings/webhooks', { url: 'ftp://example.org/', 'proposal.approved': 'on' });
    expect([wrong.status, wrong.text.includes('href="/settings/webhooks"')]).toEqual([400, true]);
    expect((await page.post('/settings/webhooks', { url: receiver.url })).text).toContain(
      'events: choose at least one',
    );
    const added = await page.post('/settings/webhooks', {
      url: receiver.url,
      format: 'slack',
      'proposal.approved': 'on',
      'evolver.cycle_failed': 'on',
    });
    expect([added.status, /whsec_[A-Za-z0-9+/=]{20}/.test(decoded(added.text))]).toEqual([201, true]);
    const [webhook] = (await app.admin.webhooks.list()).items;
    const events = ['proposal.approved', 'evolver.cycle_failed'];
    expect(webhook).toMatchObject({ url: receiver.url, events, format: 'slack' });
    expect((await page.get('/settings/webhooks')).text).toContain(
      'proposal approved, evolver cycle failed<br><span class="soft">as a message of slack</span>',
    );
    expect((await page.get('/settings/webhooks')).text).not.toContain('whsec_');
    expect((await reader.post(`/settings/webhooks/${webhook?.id}/test`)).status).toBe(403);
    expect((await page.post(`/settings/webhooks/${webhook?.id}/test`)).text).toContain('webhook.test: delivered (204)');
    receiver.answer = (_request, response) => response.writeHead(503).end();
    await approve('Shown in the settings');
    await deliverDue();
    const after = (await page.get('/settings/webhooks')).text;
    expect(after).toMatch(/proposal\.approved: pending, 1 attempt so far \(503\)[\s\S]*webhook\.test: delivered/);
    expect((await page.post(`/settings/webhooks/${webhook?.id}/remove`)).to).toBe('/settings/webhooks');
    expect((await app.admin.webhooks.list()).items).toEqual([]);
  });

  it('is added and removed in the journal, without its path and its secret', async () => {
    const added = await app.admin.webhooks.add({ url: `${receiver.url}/of-a-secret-path` });
    await approve('Removed');
    await app.admin.webhooks.remove(added.id);
    await deliverDue();
    expect(receiver.messages).toEqual([]);
    expect(await app.admin.webhooks.list()).toEqual({ items: [] });
    expect(await app.database.client.webhookDelivery.count()).toBe(0);
    const gone = { problem: { status: 404, code: 'webhook.not_found' } };
    for (const again of [app.admin.webhooks.remove, app.admin.webhooks.test, app.admin.webhooks.deliveries])
      await expect(again(added.id)).rejects.toMatchObject(gone);
    const { items } = await app.admin.journal.list({ subject: added.id });
    expect(items.map(({ action, actor, data }) => [action, actor.kind, data]).sort()).toEqual([
      ['webhook.added', 'admin', { host: '127.0.0.1', events: added.events, format: 'standard' }],
      ['webhook.removed', 'admin', { host: '127.0.0.1' }],
    ]);
    expect(JSON.stringify(items)).not.toMatch(/of-a-secret-path|whsec_/);
    expect(await app.admin.journal.verify()).toMatchObject({ intact: true });
  });

  it('has its secret in the first response and in no other', async () => {
    const { secret, id } = await app.admin.webhooks.add({ url: receiver.url });
    expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
    expect(await app.admin.webhooks.deliveries(id)).toEqual({ items: await deliveries({ id }) });
    const answers = [await app.admin.webhooks.list(), await app.admin.webhooks.test(id), await deliveries({ id })];
    expect(JSON.stringify(answers)).not.toContain(secret);
  });

  it('is refused for a forbidden address, and as the twenty-first', async () => {
    for (const url of ['http://10.0.0.1/', 'https://169.254.169.254/', 'ftp://example.org/', 'nowhere'])
      await expect(app.admin.webhooks.add({ url })).rejects.toMatchObject({
        problem: { status: 400, code: 'webhook.invalid_address', errors: [expect.objectContaining({ field: 'url' })] },
      });
    for (let n = 0; n < 20; n += 1) await app.admin.webhooks.add({ url: receiver.url });
    await expect(app.admin.webhooks.add({ url: receiver.url })).rejects.toMatchObject({
      problem: { status: 409, code: 'webhook.too_many' },
    });
  });

  it('deletes a message a month after its delivery', async () => {
    const added = await app.admin.webhooks.add({ url: receiver.url, events: ['proposal.approved'] });
    await approve('Long ago');
    await deliverDue();
    const worker = app.app.get(WebhookDeliveryWorker);
    app.clock.advance(29 * 24 * HOUR_MS);
    expect(await worker.purge()).toBe(0);
    app.clock.advance(2 * 24 * HOUR_MS);
    expect(await worker.purge()).toBe(1);
    expect(await app.database.client.webhookDelivery.count({ where: { endpointId: added.id } })).toBe(0);
  });
});
