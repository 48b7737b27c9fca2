import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { PublicationRepository } from '../../src/skills/publishing/publication.repository.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { proposedByFleet } from '../support/fleet.js';
import { http } from '../support/http.js';

const BASE = '/.well-known/agent-skills';

const Index = z.object({
  $schema: z.string(),
  skills: z.array(z.looseObject({ url: z.string(), digest: z.string() })),
});

describe('skills over HTTP, for installers', () => {
  let app: TestApplication;
  let name: string;
  const get = (path: string) => http(app).get(`${BASE}${path}`);

  beforeAll(async () => {
    app = await startTestApplication();
    expect((await get('/index.json')).body).toMatchObject({ skills: [] });
    const proposal = await proposedByFleet(app, ['ada', 'ben', 'cleo']);
    name = proposal.skillName;
    expect((await get('/index.json')).body).toMatchObject({ skills: [] });
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    await app.settled();
  });
  afterAll(() => app.close());

  it('are listed without a credential once they are approved and in git, with the digest of the served file', async () => {
    const response = await get('/index.json');
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    const { $schema, skills } = Index.parse(response.body);
    expect($schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json');
    expect(skills).toMatchObject([{ name, type: 'skill-md', url: `${name}/SKILL.md`, files: ['SKILL.md'] }]);
    const file = await get(`/${skills[0]?.url}`);
    expect(file.headers['content-type']).toBe('text/markdown; charset=utf-8');
    const bytes = file.text;
    expect(skills[0]?.digest).toBe(`sha256:${sha256(bytes)}`);
    expect(bytes).toBe((await app.admin.skills.show(name)).artifact);
  });

  it('are read once for all who ask without a credential, and one alone for its file', async () => {
    const read = jest.spyOn(PublicationRepository.prototype, 'findByProposals');
    const every = await Promise.all(Array.from({ length: 32 }, () => get('/index.json')));
    expect(every.map(({ status }) => status)).toEqual(every.map(() => 200));
    expect(read.mock.calls.length).toBeLessThanOrEqual(1);
    read.mockClear();
    expect((await get(`/${name}/SKILL.md`)).status).toBe(200);
    expect(read.mock.calls.map(([, ids]) => ids.length)).toEqual([1]);
    expect((await get('/no-such-skill/SKILL.md')).status).toBe(404);
    expect(read.mock.calls).toHaveLength(1);
    read.mockRestore();
  });

  it('answer HEAD, and 304 for an unchanged file', async () => {
    for (const path of ['/index.json', `/${name}/SKILL.md`]) {
      const head = await http(app).head(`${BASE}${path}`).expect(200);
      expect(head.text).toBeUndefined();
      const tag = head.headers['etag'] ?? '';
      expect(tag).toMatch(/^"[0-9a-f]{64}"$/);
      await get(path).set('if-none-match', tag).expect(304);
      await get(path).set('if-none-match', '"other"').expect(200);
    }
  });

  it('respond 404 to unknown skills and 400 to invalid names', async () => {
    await get('/no-such-skill/SKILL.md').expect(404);
    expect((await get('/%2e%2e/SKILL.md')).status).toBeGreaterThanOrEqual(400);
    await get('/Not_A_Name/SKILL.md').expect(400);
  });

  it('are closed if the operator disables public access', async () => {
    const closed = await startTestApplication({ GUILDBOOK_PUBLIC_SKILLS: 'false' });
    const { body } = await http(closed).get(`${BASE}/index.json`).expect(404);
    expect(body).toMatchObject({ code: 'skill.not_public' });
    await closed.close();
  });
});
