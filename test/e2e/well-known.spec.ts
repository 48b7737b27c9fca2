import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { proposedByFleet } from '../support/fleet.js';

const BASE = '/.well-known/agent-skills';

const Index = z.object({
  $schema: z.string(),
  skills: z.array(z.looseObject({ url: z.string(), digest: z.string() })),
});

describe('skills over HTTP, for installers', () => {
  let app: TestApplication;
  let name: string;
  const get = (path: string, init: RequestInit = {}) => fetch(`${app.url}${BASE}${path}`, init);

  beforeAll(async () => {
    app = await startTestApplication();
    expect(await (await get('/index.json')).json()).toMatchObject({ skills: [] });
    const proposal = await proposedByFleet(app, ['ada', 'ben', 'cleo']);
    name = proposal.skillName;
    expect(await (await get('/index.json')).json()).toMatchObject({ skills: [] });
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    await app.settled();
  });
  afterAll(() => app.close());

  it('are listed without a credential once they are approved and in git, with the digest of the served file', async () => {
    const response = await get('/index.json');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { $schema, skills } = Index.parse(await response.json());
    expect($schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json');
    expect(skills).toMatchObject([{ name, type: 'skill-md', url: `${name}/SKILL.md`, files: ['SKILL.md'] }]);
    const file = await get(`/${skills[0]?.url}`);
    expect(file.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    const bytes = await file.text();
    expect(skills[0]?.digest).toBe(`sha256:${sha256(bytes)}`);
    expect(bytes).toBe((await app.admin.skills.show(name)).artifact);
  });

  it('answer HEAD, and 304 for an unchanged file', async () => {
    for (const path of ['/index.json', `/${name}/SKILL.md`]) {
      const head = await get(path, { method: 'HEAD' });
      expect(head.status).toBe(200);
      expect(await head.text()).toBe('');
      const tag = head.headers.get('etag') ?? '';
      expect(tag).toMatch(/^"[0-9a-f]{64}"$/);
      expect((await get(path, { headers: { 'if-none-match': tag } })).status).toBe(304);
      expect((await get(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    }
  });

  it('respond 404 to unknown skills and 400 to invalid names', async () => {
    expect((await get('/no-such-skill/SKILL.md')).status).toBe(404);
    expect((await get('/%2e%2e/SKILL.md')).status).toBeGreaterThanOrEqual(400);
    expect((await get('/Not_A_Name/SKILL.md')).status).toBe(400);
  });

  it('are closed if the operator disables public access', async () => {
    const closed = await startTestApplication({ GUILDBOOK_PUBLIC_SKILLS: 'false' });
    const answer = await fetch(`${closed.url}${BASE}/index.json`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: 'skill.not_public' });
    await closed.close();
  });
});
