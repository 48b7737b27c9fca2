import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RememberBatch } from '../../src/memory/lessons/remember.schema.js';
import { MAX_BATCH } from '../../src/platform/http/line-receipt.schema.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { http } from '../support/http.js';
import { whileJournalIsBroken } from '../support/journal.js';

let app: TestApplication;
let ada: Awaited<ReturnType<TestApplication['agent']>>;

beforeAll(async () => {
  app = await startTestApplication();
  ada = await app.agent('Ada');
});
afterAll(() => app.close());

const post = (body: string, token = ada.token) =>
  http(app, token).post('/v1/memories/batch').type('application/x-ndjson').send(body);
const line = (lesson: string, more: object = {}): string => JSON.stringify({ lesson, ...more });
const storedOf = (agentId: string) =>
  app.database.client.memory.count({ where: { scope: 'agent', agentId, supersededAt: null } });

describe('a batch of memories', () => {
  it('stores every valid line, and returns the number and the problem of every other line', async () => {
    const hidden = '00000000-0000-4000-8000-00000000abcd';
    const lines = [
      line('The puffin export needs python3', { tags: ['non-inferable'] }),
      '{"lesson": "half',
      '',
      line('', {}),
      line('The puffin host has no swap', { scope: 'org' }),
      line('The puffin export needs python3', { tags: ['non-inferable'] }),
      line('It follows from another', { sources: [hidden] }),
      line('The token of puffin is password=correct-horse-9'),
    ];
    const answer = await post(`${lines.join('\n')}\n`);
    expect(answer.status).toBe(200);
    const batch = RememberBatch.parse(answer.body);
    expect(batch).toMatchObject({ new: 2, duplicate: 1, refused: 4 });
    expect(batch.lines.map(({ line: at, outcome, problem }) => [at, outcome, problem?.code])).toEqual([
      [1, 'new', undefined],
      [2, 'refused', 'request.malformed_json'],
      [4, 'refused', 'request.invalid'],
      [5, 'refused', 'request.invalid'],
      [6, 'duplicate', undefined],
      [7, 'refused', 'memory.unknown_source'],
      [8, 'new', undefined],
    ]);
    expect(batch.lines[4]?.id).toBe(batch.lines[0]?.id);
    const secret = await app.database.client.memory.findUniqueOrThrow({ where: { id: batch.lines[6]?.id ?? '' } });
    expect(secret).toMatchObject({ scope: 'agent', agentId: ada.id, provenance: 'unverified' });
    expect(JSON.stringify(secret)).not.toContain('correct-horse');
    const { items } = await app.admin.journal.list({ subject: secret.id });
    expect(items.map(({ action }) => action)).toEqual(['memory.remembered']);
    const { memories } = await ada.client.recall({ query: 'puffin export' });
    expect(memories.map(({ id }) => id)).toContain(batch.lines[0]?.id);
  });

  it('is sent by the client, sent again without harm, and bounded', async () => {
    const notes = Array.from({ length: 3 }, (_, n) => ({
      lesson: `The guillemot service ${n} listens on ${9_000 + n}`,
    }));
    expect(await ada.client.rememberAll(notes)).toMatchObject({ new: 3, duplicate: 0, refused: 0 });
    expect(await ada.client.rememberAll(notes)).toMatchObject({ new: 0, duplicate: 3, refused: 0 });
    const many = await post(Array.from({ length: MAX_BATCH + 1 }, () => '').join('\n'));
    expect([many.status, many.text]).toEqual([400, expect.stringContaining(`more than ${MAX_BATCH} lines`)]);
  });

  it('stores nothing of a line that the journal cannot hold, and refuses other kinds of callers', async () => {
    const before = await storedOf(ada.id);
    await whileJournalIsBroken(app, async () => {
      expect((await post(line('The auklet needs a journal'))).status).toBe(503);
    });
    expect(await storedOf(ada.id)).toBe(before);
    await expect(app.admin.rememberAll([{ lesson: 'x' }])).rejects.toMatchObject({
      problem: { code: 'access.wrong_kind' },
    });
    expect((await post(line('x'), 'gb_unknown')).status).toBe(401);
  });
});
