import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { Console } from '../support/console.js';
import { storedMemory } from '../support/memories.js';

describe('the recall preview', () => {
  let app: TestApplication;
  let reader: Awaited<ReturnType<typeof Console.signedIn>>;

  beforeAll(async () => {
    app = await startTestApplication();
    reader = await Console.signedIn(app, 'Ron Reader', {});
  });
  afterAll(() => app.close());

  it('shows ranked memories with scores, left-out memories with reasons, and the messages, all escaped', async () => {
    const ada = await app.agent('Ada');
    const tags = ['non-inferable'];
    await ada.client.remember({ lesson: 'Zeppelin exports <script>alert(1)</script>', task: 'a zeppelin', tags });
    const known = { discovery: 'Zeppelin exports that everybody knows', condition: 'a zeppelin', controlTags: [] };
    await storedMemory(app.database, { ...known, agentId: ada.id, createdAt: app.clock.now() });
    const page = (await reader.get('/recall?agent=Ada&q=export+a+zeppelin')).text;
    expect(page).toContain('2 memories available to search.');
    expect(page).toMatch(/0\.7 of relevance \d\.\d\d, 0\.3 of recency 1\.00/);
    expect(page).toMatch(/rank \d by keywords \(\d\.\d\d\)/);
    expect(page).toContain('not marked non-inferable');
    expect(page).toContain('not verified: context only');
    expect(page).toMatch(/&lt;untrusted-data-[0-9a-f]{32}&gt;/);
    expect(page).not.toContain('<script>alert');
    const row = await app.database.client.memory.findFirstOrThrow({ where: { controlTags: { has: 'non-inferable' } } });
    expect(row.relevanceCount).toBe(0);
    const tools = (await reader.get('/recall?agent=Ada&q=zeppelin&strategy=tool_based&retrieval=hybrid')).text;
    expect(tools).toContain('search_memory');
  });

  it('asks for an agent and a task, and reports an unknown agent', async () => {
    expect((await reader.get('/recall')).text).toContain('Preview what an agent receives');
    const page = await reader.get('/recall?agent=%3Cb%3E&q=x&strategy=nonsense');
    expect([page.status, page.text.includes('There is no agent')]).toEqual([200, true]);
    expect(page.text).not.toContain('<b>');
  });
});
