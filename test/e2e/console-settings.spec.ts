import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { FOREIGN_PAGE } from '../support/browser.js';
import { Console, decoded, type PageAnswer } from '../support/console.js';

const TOKEN = /\bgb[a-z]_[A-Za-z0-9_-]{43}/;
const SECRET = 'sk-ant-api03-not-a-real-key';
const AGENT = '00000000-0000-4000-8000-0000000a9e47';
const TRANSCRIPT = join(
  PROJECT_ROOT,
  'examples',
  'sample-fleet',
  'checkout-api',
  '675f802a-d3e1-4fd2-a41f-0317b0e80b82.jsonl',
);

/** The credential on the page; throws without one. */
function tokenOn({ text }: PageAnswer): string {
  const token = decoded(text).match(TOKEN)?.[0];
  if (token === undefined) throw new Error('no credential is on the page');
  return token;
}

describe('the settings and the first run', () => {
  let app: TestApplication;
  let admin: Awaited<ReturnType<typeof Console.signedIn>>;
  let reader: Awaited<ReturnType<typeof Console.signedIn>>;

  beforeAll(async () => {
    app = await startTestApplication({
      ANTHROPIC_API_KEY: SECRET,
      ANTHROPIC_BASE_URL: 'https://user:hunter2hunter2@models.example.org',
      GUILDBOOK_PROPOSER_ENABLED: 'false',
    });
    admin = await Console.signedIn(app, 'Ada Admin', { admin: true });
    reader = await Console.signedIn(app, 'Ron Reader', {});
  });
  afterAll(() => app.close());

  const named = async (kind: 'agents' | 'people' | 'services', name: string) => {
    const found = (await app.admin[kind].list()).items.find((item) => item.name === name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  };
  const journalled = async (id: string) =>
    (await app.admin.journal.list({ subject: id, limit: 20 })).items.map(({ action, actor }) => [action, actor.name]);

  it('lead from an empty server to the first executions, and show when they arrive', async () => {
    expect((await admin.get('/')).text).toContain('href="/start"');
    expect((await admin.get('/start')).text).toContain('Waiting for the first execution');
    expect((await admin.get('/start/arrived')).text).toContain('http-equiv="refresh" content="3"');
    const made = await admin.post('/start/agent', { name: 'first-agent', owner: '' });
    expect(made.status).toBe(201);
    expect(made.text).toContain(`${app.url}/v1/hooks/claude-code`);
    const report = decoded(made.text).match(/-d '(\{.*\})'/)?.[1] ?? '';
    const answer = await fetch(`${app.url}/v1/executions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokenOn(made)}`, 'content-type': 'application/json' },
      body: report,
    });
    expect(answer.status).toBe(202);
    await answer.text();
    const part = await admin.get('/start/arrived', { accept: 'text/html-part' });
    expect(part.text).toContain('1 execution has arrived');
    expect(part.text).not.toContain('<html');
    const page = await admin.get('/start/arrived');
    expect([page.text.includes('http-equiv="refresh"'), page.text.includes('action="/cycles"')]).toEqual([false, true]);
  });

  it('import a pasted transcript once, and store only the report', async () => {
    const text = readFileSync(TRANSCRIPT, 'utf8');
    const taken = await admin.post('/start/paste', { agent: 'billing', text });
    expect(taken.text).toContain('1 execution imported, 0 of them already known.');
    expect((await admin.post('/start/paste', { agent: 'billing', text })).text).toContain('1 of them already known.');
    await named('agents', 'billing');
    const { items } = await app.admin.executions.list({ limit: 1 });
    const stored = JSON.stringify(await app.admin.executions.show(items[0]?.id ?? ''));
    const prompt = text.match(/"role":"user","content":"([^"\\]{20,60})/)?.[1] ?? '';
    expect(prompt.length).toBeGreaterThan(19);
    expect(stored).not.toContain(prompt);
  });

  it('explain a problem of a pasted text, and keep the agent in the form', async () => {
    const no = await admin.post('/start/paste', { agent: 'billing <b>', text: 'x' });
    expect(no.status).toBe(400);
    const odd = await admin.post('/start/paste', { agent: 'billing', text: '{"some":"thing"}\nelse' });
    expect([odd.status, odd.text.includes('Unknown format.')]).toEqual([400, true]);
    expect(odd.text).toContain('name="agent" value="billing"');
    expect((await reader.post('/start/paste', { agent: 'billing', text: 'x' })).status).toBe(403);
    expect((await reader.get('/start')).text).not.toContain('<form class="fields');
  });

  it('issue a token that is shown once, rotate it, and revoke it', async () => {
    const form = { name: 'build-bot', role: 'ci', department: '', owner: 'platform', expiresInDays: '7' };
    const first = tokenOn(await admin.post('/settings/agents', form));
    const { id, ...agent } = await named('agents', 'build-bot');
    expect(agent).toMatchObject({ role: 'ci', department: null, owner: 'platform' });
    expect((await app.client(first).me()).principal.name).toBe('build-bot');
    const list = await admin.get('/settings/agents');
    expect([list.text.includes('build-bot'), TOKEN.test(list.text)]).toEqual([true, false]);
    const second = tokenOn(await admin.post(`/settings/principals/${id}/rotate`));
    await expect(app.client(first).me()).rejects.toMatchObject({ problem: { status: 401 } });
    expect((await admin.post(`/settings/principals/${id}/disable`)).to).toBe('/settings/agents');
    await expect(app.client(second).me()).rejects.toMatchObject({ problem: { status: 401 } });
    expect((await admin.get('/settings/agents')).text).not.toContain(`/settings/principals/${id}/rotate`);
    const again = await admin.post(`/settings/principals/${id}/disable`);
    expect([again.status, again.text.includes('is disabled')]).toEqual([409, true]);
    expect(await journalled(id)).toEqual([
      ['access.agent_added', 'Ada Admin'],
      ['access.rotated', 'Ada Admin'],
      ['access.disabled', 'Ada Admin'],
    ]);
  });

  it('add a person with a one-time link, change the roles, and invite again', async () => {
    const form = { name: 'Petra Person', email: 'petra@example.org', reviewer: 'on' };
    const made = await admin.post('/settings/people', form);
    expect(decoded(made.text)).toContain(`${app.url}/sign-in?token=${tokenOn(made)}`);
    expect((await app.client().signIn(tokenOn(made))).scopes).toEqual(['read', 'decide']);
    const { id } = await named('people', 'Petra Person');
    expect((await admin.post(`/settings/people/${id}/roles`, { admin: 'on' })).to).toBe('/settings');
    expect((await named('people', 'Petra Person')).roles).toEqual(['admin']);
    const second = tokenOn(await admin.post(`/settings/people/${id}/invite`));
    expect((await app.client().signIn(second)).principal.id).toBe(id);
    const taken = await admin.post('/settings/people', { ...form, email: 'petra.again@example.org' });
    expect([
      taken.status,
      taken.text.includes('already has this name'),
      taken.text.includes('href="/settings"'),
    ]).toEqual([409, true, true]);
    const shared = await admin.post('/settings/people', { ...form, name: 'Petra again' });
    expect([shared.status, shared.text.includes('already has this e-mail address')]).toEqual([409, true]);
    expect((await admin.get('/settings?q=PETRA@')).text).toContain('Petra Person');
    expect((await admin.get('/settings?q=%25')).text).toContain('No match.');
  });

  it('change a review scope with its previous value in the journal, and name an invalid field', async () => {
    const form = { name: 'Rolf Review scope', email: 'rolf@example.org', reviewer: 'on', reviewScope: 'shop' };
    await admin.post('/settings/people', form);
    const { id, reviewScope } = await named('people', 'Rolf Review scope');
    expect(reviewScope).toEqual([{ department: 'shop' }]);
    expect((await admin.get('/settings?q=rolf')).text).toMatch(/<textarea name="reviewScope"[^>]*>\nshop<\/textarea>/);
    expect((await admin.post(`/settings/people/${id}/review-scope`, { reviewScope: 'platform:ci\n:backend' })).to).toBe(
      '/settings',
    );
    expect((await named('people', 'Rolf Review scope')).reviewScope).toEqual([
      { department: 'platform', role: 'ci' },
      { role: 'backend' },
    ]);
    expect((await admin.get('/settings?q=rolf')).text).toContain('ci in platform, backend');
    const [entry] = (await app.admin.journal.list({ subject: id, limit: 1, order: 'newest' })).items;
    expect(entry).toMatchObject({
      action: 'access.person_changed',
      actor: { name: 'Ada Admin' },
      data: {
        reviewScopeBefore: [{ department: 'shop' }],
        reviewScope: [{ department: 'platform', role: 'ci' }, { role: 'backend' }],
      },
    });
    const wrong = await admin.post(`/settings/people/${id}/review-scope`, { reviewScope: 'platform\n<b>:ci\n:' });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toMatch(
      /<b>reviewScope\.1\.department<\/b> must be 1 to 100 letters[\s\S]*<b>reviewScope\.2<\/b> must name a/,
    );
    expect((await reader.post(`/settings/people/${id}/review-scope`, { reviewScope: '' })).status).toBe(403);
    await admin.post(`/settings/people/${id}/review-scope`, { reviewScope: ' ' });
    expect((await named('people', 'Rolf Review scope')).reviewScope).toBeNull();
  });

  it('show an imported agent without a token until one is created', async () => {
    await app.database.client.principal.create({
      data: { id: AGENT, kind: 'agent', name: 'imported bot', createdAt: app.clock.now() },
    });
    const list = (await admin.get('/settings/agents?q=imported')).text;
    expect(list).toMatch(/<td>no token<\/td>[\s\S]*>Create token<\/button>/);
    expect((await app.client(tokenOn(await admin.post(`/settings/principals/${AGENT}/rotate`))).me()).scopes).toEqual([
      ...['report', 'read'],
    ]);
    expect((await admin.get('/settings/agents?q=imported')).text).toContain('when rotated');
  });

  it('give a service the checked permissions, at least one', async () => {
    const token = tokenOn(await admin.post('/settings/services', { name: 'nightly', read: 'on', owner: '' }));
    expect((await app.client(token).me()).scopes).toEqual(['read']);
    const none = await admin.post('/settings/services', { name: 'useless' });
    expect([none.status, none.text.includes('at least one permission')]).toEqual([400, true]);
  });

  it('show the current configuration with its variables, but no secret', async () => {
    const { text, status } = await admin.get('/settings/server');
    expect(status).toBe(200);
    for (const said of ['GUILDBOOK_EVOLVER_CRON', 'auto', 'GUILDBOOK_PROPOSER_DAY_USD', 'GUILDBOOK_SKILLS_REMOTE'])
      expect(decoded(text)).toContain(said);
    expect(text).toContain('set (hidden)');
    expect(text).not.toMatch(new RegExp(`${SECRET}|hunter2`));
  });

  it('are for administrators only, and refuse requests from another site', async () => {
    for (const path of ['', '/agents', '/services', '/webhooks', '/server'].map((part) => `/settings${part}`)) {
      const { status, text } = await reader.get(path);
      expect([path, status, text.includes('You are signed in as Ron Reader (reader).')]).toEqual([path, 403, true]);
    }
    expect((await reader.get('/')).text).not.toContain('href="/settings"');
    expect((await reader.post('/settings/agents', { name: 'smuggled' })).status).toBe(403);
    expect((await admin.post('/settings/agents', { name: 'smuggled' }, FOREIGN_PAGE)).status).toBe(403);
    await expect(named('agents', 'smuggled')).rejects.toThrow('there is no smuggled');
  });

  it('page through many agents by name', async () => {
    for (let n = 0; n < 42; n += 1) await app.agent(`many ${String(n).padStart(2, '0')}`);
    const first = decoded((await admin.get('/settings/agents?q=many')).text);
    expect([first.includes('many 39'), first.includes('many 40')]).toEqual([true, false]);
    const more = first.match(/href="(\/settings\/agents\?[^"]*after[^"]*)"/)?.[1] ?? '';
    expect((await admin.get(more)).text).toContain('many 41');
  });
});
