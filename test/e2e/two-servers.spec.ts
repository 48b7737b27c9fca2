import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_STALENESS_MS } from '../../src/recall/index/memory-search.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { type OtherServer, startOtherServer } from '../support/other-server.js';
import { approvedSkill, bothSides } from '../support/skills.js';

let app: TestApplication;
let other: OtherServer;

beforeAll(async () => {
  app = await startTestApplication();
  other = await startOtherServer(app);
});
afterAll(async () => {
  await other.close();
  await app.close();
});

const lesson = (text: string) => ({ lesson: text, task: 'nightly export', tags: ['non-inferable'] });
const found = async (client: TestApplication['admin'], query: string) =>
  (await client.recall({ query })).memories.map(({ id }) => id);
const refused = { problem: { status: 401, code: 'access.revoked' } };

describe('a change by another server on the same database', () => {
  it('to a memory is visible after a quarter of a second: a new one is delivered, a retired one is not', async () => {
    const { id, client } = await app.agent('Ada');
    const kept = await other.remember(id, 'The zeppelin export needs python3');
    app.clock.advance(MAX_STALENESS_MS + 1);
    expect(await found(client, 'zeppelin')).toEqual([kept]);
    await other.retire(kept);
    app.clock.advance(MAX_STALENESS_MS + 1);
    expect(await found(client, 'zeppelin')).toEqual([]);
  });

  it('to a memory is visible to the gate at once, even after a delivery', async () => {
    const { client } = await app.agent('Ben');
    const { id } = await client.remember(lesson('The heron export needs perl'));
    expect(await found(client, 'heron')).toEqual([id]);
    await other.retire(id);
    expect(await client.gate({ tool: { name: 'Bash', action: 'perl export.pl' }, memories: [id] })).toMatchObject({
      decision: 'deny',
      reasons: [{ memory: id, because: 'ended' }],
    });
  });

  it('to the rollout of a skill is visible after a quarter of a second: agents outside it do not receive the skill', async () => {
    const skill = await approvedSkill(app, 'Pelican exports by stages');
    const { inside, outside } = await bothSides(app, skill, 25, 1);
    const clients = [...inside, ...outside].map(({ client }) => client);
    const counts = async () => {
      const delivered = [];
      for (const client of clients) delivered.push((await found(client, 'pelican exports')).length);
      return delivered;
    };
    expect(await counts()).toEqual([1, 1]);
    await other.rollout(skill, 25);
    app.clock.advance(MAX_STALENESS_MS + 1);
    expect(await counts()).toEqual([1, 0]);
  });

  it('to the token of a person is visible at once, because permissions of people are read for each request', async () => {
    const { id, client } = await app.person('Pia', { reviewer: true });
    await client.me();
    await other.revoke(id);
    await expect(client.me()).rejects.toMatchObject(refused);
  });

  it('to a token is visible within half a second: a revoked token is refused', async () => {
    const { id, client } = await app.agent('Cyd');
    await client.me();
    await other.revoke(id);
    app.clock.advance(501);
    await expect(client.recall({ query: 'anything' })).rejects.toMatchObject(refused);
  });
});

describe('a change by this server', () => {
  it('to a memory is visible to the next recall: a new one is delivered, a retired one is not', async () => {
    const { client } = await app.agent('Dan');
    expect(await found(client, 'egret')).toEqual([]);
    const { id } = await client.remember(lesson('The egret export needs ruby'));
    expect(await found(client, 'egret')).toEqual([id]);
    await app.admin.lesson.retire(id, 'no longer so');
    expect(await found(client, 'egret')).toEqual([]);
  });

  it('to a token is visible to the next request: a revoked token is refused, and only the new token works after a rotation', async () => {
    const { id, client } = await app.agent('Eva');
    await client.me();
    const { token } = await app.admin.principals.rotate(id);
    await expect(client.me()).rejects.toMatchObject(refused);
    const renewed = app.client(token);
    await renewed.me();
    await app.admin.principals.disable(id);
    await expect(renewed.me()).rejects.toMatchObject(refused);
  });
});
