import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';

let app: TestApplication;

beforeAll(async () => {
  app = await startTestApplication();
});
afterAll(() => app.close());

const journalled = async () =>
  (await app.admin.journal.list({ action: 'memory.remembered', limit: 100 })).items.map(({ subject }) => subject.id);

describe('memories that agents write at the same time', () => {
  it('are all stored, once per agent, each with a journal entry', async () => {
    const agents = [await app.agent('Ada'), await app.agent('Ben')];
    const lessons = Array.from({ length: 10 }, (_, n) => `The zeppelin export fails in way ${n}`);
    const answers = await Promise.all(
      [...lessons, ...lessons].flatMap((lesson) => agents.map(({ client }) => client.remember({ lesson }))),
    );
    const ids = [...new Set(answers.map(({ id }) => id))];
    expect(ids).toHaveLength(20);
    expect(answers.filter(({ duplicate }) => duplicate)).toHaveLength(20);
    expect((await journalled()).sort()).toEqual([...ids].sort());
    for (const { id: agentId } of agents) {
      const rows = await app.database.client.memory.findMany({ where: { scope: 'agent', agentId } });
      expect(rows.map(({ discovery }) => discovery).sort()).toEqual([...lessons].sort());
    }
  });

  it('are stored although another one in the same batch is refused, and the refused one leaves no trace', async () => {
    const { id: agentId, client } = await app.agent('Cyd');
    const bad = () => client.remember({ lesson: 'It rests on nothing', sources: [randomUUID()] });
    const outcomes = await Promise.allSettled([
      client.remember({ lesson: 'The heron job needs perl' }),
      bad(),
      client.remember({ lesson: 'The egret job needs ruby' }),
      bad(),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect(outcomes[1]).toMatchObject({ reason: { problem: { code: 'memory.unknown_source' } } });
    expect(await app.database.client.memory.count({ where: { scope: 'agent', agentId } })).toBe(2);
  });
});

describe('a note that its agent could read where it works', () => {
  it('is stored once with the reason, and recalls leave it out under any tag', async () => {
    const { id: agentId, client } = await app.agent('Dee');
    const lesson = 'This project is written in TypeScript.';
    const { id, warnings } = await client.remember({ lesson, tags: ['non-inferable'] });
    expect(warnings).toEqual([expect.stringMatching(/recalls leave it out: .*manifests/)]);
    expect(await client.remember({ lesson })).toMatchObject({ id, duplicate: true });
    const kept = 'This project is written in TypeScript because the generated client needs its types.';
    expect((await client.remember({ lesson: kept, tags: ['non-inferable'] })).warnings).toEqual([]);
    const rows = await app.database.client.memory.findMany({ where: { agentId }, orderBy: { createdAt: 'asc' } });
    expect(rows.map(({ controlTags, kind }) => [controlTags, kind])).toEqual(
      expect.arrayContaining([
        [[], 'note'],
        [['non-inferable'], 'note'],
      ]),
    );
    const recalled = await client.recall({ query: 'in which language is this TypeScript project written' });
    expect(recalled.messages[1]?.content).toContain('generated client');
    expect(recalled.memories.map((one) => one.id)).not.toContain(id);
    expect(recalled.leftOut).toMatchObject([{ id, because: 'filtered' }]);
  });
});
