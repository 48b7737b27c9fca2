import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { Console } from '../support/console.js';
import { storedMemory } from '../support/memories.js';

describe('the page of a memory', () => {
  let app: TestApplication;
  beforeAll(async () => {
    app = await startTestApplication();
  });
  afterAll(() => app.close());

  it('shows what the lesson says, its cause, its environment and its example, all escaped', async () => {
    const ada = await app.agent('Ada');
    const id = await storedMemory(app.database, {
      discovery: 'Reports need python3',
      agentId: ada.id,
      createdAt: app.clock.now(),
      steps: ['First step'],
      parts: {
        cause: 'The <b>old</b> interpreter',
        environment: [{ name: 'python', value: '2.7.18' }],
        example: {
          failed: { tool: 'shell', call: 'python report.py <folder>' },
          error: 'SyntaxError: invalid syntax',
          between: [{ tool: 'lookup', call: '{"name":"python3"}' }],
          worked: { tool: 'shell', call: 'python3 report.py <folder>' },
        },
      },
    });
    await app.admin.promotions.check(id);
    const reader = await Console.signedIn(app, 'Ron Reader', {});
    const page = (await reader.get(`/memories/${id}`)).text;
    for (const text of [
      'Do it in another way.',
      'First step',
      'The &lt;b&gt;old&lt;/b&gt; interpreter',
      'python 2.7.18',
      'SyntaxError: invalid syntax',
    ])
      expect(page).toContain(text);
    expect(page).toMatch(/Failed<\/dt><dd><code>python report\.py &lt;folder&gt;/);
    expect(page).toMatch(/Then<\/dt><dd><code>lookup \{/);
    expect(page).toMatch(/Worked<\/dt><dd><code>python3 report\.py &lt;folder&gt;/);
    expect(page).not.toContain('<b>old');
    await app.admin.lesson.retire(id, 'no longer true');
    expect((await reader.get(`/memories/${id}`)).text).not.toContain('First step');
  });
});
