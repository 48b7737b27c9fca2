import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApplication, type TestApplication } from '../../../test/support/application.js';
import { verifiedByPerson } from '../../../test/support/memories.js';
import { TestUpkeep } from '../../../test/support/upkeep.js';
import { jobActor } from '../../journal/actor.js';
import { Journal } from '../../journal/journal.service.js';
import { Ids } from '../../platform/base/ids.js';
import { generalOf } from '../../untrusted/redaction/redact-deep.js';
import { Lessons } from '../lessons/lessons.service.js';

const NONE = { GUILDBOOK_PRUNING: 'none' };

let app: TestApplication;
let own: TestUpkeep;

beforeAll(async () => {
  app = await startTestApplication({ GUILDBOOK_UPKEEP_CRON: 'off' });
  own = new TestUpkeep(app);
});
afterAll(() => app.close());
beforeEach(async () => {
  // Each test has its own lessons.
  await app.database.client.memory.deleteMany({ where: { scope: 'agent' } });
});

const run: TestUpkeep['run'] = (...given) => own.run(...given);
const agent: TestUpkeep['agent'] = (...given) => own.agent(...given);
const lesson: TestUpkeep['lesson'] = (...given) => own.lesson(...given);
const journalled = async (action: string) =>
  (await app.app.get(Journal).list({ after: 0, limit: 500, order: 'newest', action })).items;

describe('propagation', () => {
  const copiesOf = (id: string) => app.database.client.memory.findMany({ where: { propagatedFromId: id } });
  const byRole = { ...NONE, GUILDBOOK_PROPAGATION: 'role' };

  it('copies nothing by default', async () => {
    const own = await lesson(await agent({ role: 'quiet' }));
    await agent({ role: 'quiet' });
    await run(NONE);
    expect(await copiesOf(own)).toEqual([]);
  });

  it('copies to the peers with provenance, tag and link, journals each copy, and makes no copy of a copy', async () => {
    const ada = await agent({ role: 'baker' });
    const ben = await agent({ role: 'baker' });
    await agent({ role: 'brewer' });
    const own = await lesson(ada, 0, { control_tags: ['non-inferable', `contradicts:${app.app.get(Ids).uuid()}`] });
    await verifiedByPerson(app.database, own);
    expect((await run(byRole)).report).toMatchObject({ copied: 1, propagation: 'role' });
    const [copy, ...others] = await copiesOf(own);
    expect(others).toEqual([]);
    expect(copy).toMatchObject({
      agentId: ben,
      scope: 'agent',
      provenance: 'verified',
      controlTags: ['non-inferable', `propagated:${ada}`],
      awaitingProposer: false,
    });
    expect((await journalled('memory.lesson_propagated'))[0]).toMatchObject({
      subject: { id: copy?.id },
      data: { source: own, from: ada, to: ben, provenance: 'verified' },
    });
    expect((await run(byRole)).report?.copied).toBe(0);
  });

  it('copies no claim that nothing helped, no unmarked note, and nothing to whom has a lesson about that failure', async () => {
    const ada = await agent({ role: 'thatcher' });
    const ben = await agent({ role: 'thatcher' });
    const call = { tool: 'shell', call: 'trowel set' };
    const parts = { example: { failed: call, error: 'no mortar', between: [], worked: null } };
    const absent = await lesson(ada, 0, { parts: JSON.stringify(parts), control_tags: ['non-inferable'] });
    const unmarked = await lesson(ada, 0, { control_tags: [] });
    const known = await lesson(ada);
    const own = await lesson(ben);
    await app.database.client.memory.updateMany({
      where: { id: { in: [known, own] } },
      data: { failureKey: 'trowel', remedyKey: 'mix mortar first' },
    });
    await run(byRole);
    for (const id of [absent, unmarked, known, own]) expect(await copiesOf(id)).toEqual([]);
  });

  it('removes the paths and hosts of the agent from a copy', async () => {
    const ada = await agent({ role: 'smith' });
    await agent({ role: 'smith' });
    const own = await lesson(ada, 0, { action: 'Run /home/ada/tools/fix.sh against db.internal.example.com.' });
    await run(byRole);
    const [copy] = await copiesOf(own);
    expect(copy?.action).not.toMatch(/ada|internal/);
  });

  it('does not fill up a store, and copies no placeholders', async () => {
    const ada = await agent({ role: 'cook' });
    const ben = await agent({ role: 'cook' });
    await lesson(ada);
    const awaiting = await lesson(ada, 0, { awaiting_proposer: true });
    await lesson(ben);
    await run({ ...byRole, GUILDBOOK_MEMORY_CAPACITY: '2' });
    expect(
      await app.database.client.memory.count({ where: { scope: 'agent', agentId: ben, supersededAt: null } }),
    ).toBe(2);
    expect(await copiesOf(awaiting)).toEqual([]);
  });

  it('makes no more copies of a lesson than the limit, over all runs, and serves every peer in turn', async () => {
    const ada = await agent({ role: 'tailor' });
    const peers = [];
    for (let n = 0; n < 6; n++) peers.push(await agent({ role: 'tailor' }));
    const lessons = [];
    for (let n = 0; n < 24; n++) lessons.push(await lesson(ada, 0, { discovery: `Hem ${n}` }));
    const limited = { ...byRole, GUILDBOOK_PROPAGATION_TARGETS: '3' };
    expect((await run(limited)).report?.copied).toBe(72);
    expect((await run(limited)).report?.copied).toBe(0);
    for (const id of lessons) expect(await copiesOf(id)).toHaveLength(3);
    const copies = await app.database.client.memory.findMany({ where: { propagatedFromId: { in: lessons } } });
    expect(new Set(copies.map(({ agentId }) => agentId))).toEqual(new Set(peers));
    expect((await run(byRole)).report?.copied).toBe(72);
  });

  it('stays within the bound of a run, takes from each agent in turn, and makes the rest in the next run', async () => {
    const [ada, ben] = [await agent({ role: 'weaver' }), await agent({ role: 'weaver' })];
    const own: string[] = [];
    for (const id of [ada, ben])
      for (let n = 0; n < 4; n++) own.push(await lesson(id, 4 - n, { discovery: `Weave ${id} ${n}` }));
    const bound = { propagationRunCopies: 3 };
    const copiedFrom = async () =>
      (await app.database.client.memory.findMany({ where: { propagatedFromId: { in: own } } }))
        .map(({ agentId }) => (agentId === ada ? 'ben' : 'ada'))
        .sort();
    expect((await run(byRole, true, bound)).report?.copied).toBe(3);
    expect((await run(byRole, false, bound)).report?.copied).toBe(3);
    expect(new Set(await copiedFrom())).toEqual(new Set(['ada', 'ben']));
    expect((await run(byRole, false, bound)).report?.copied).toBe(3);
    expect((await run(byRole, false, bound)).report?.copied).toBe(2);
    expect(await copiedFrom()).toEqual([...Array(4).fill('ada'), ...Array(4).fill('ben')]);
  });

  it('gives the place of a peer with a full store to the next one', async () => {
    const ada = await agent({ role: 'mason' });
    const [ben, cem] = [await agent({ role: 'mason' }), await agent({ role: 'mason' })];
    const own = await lesson(ada, 0, { discovery: 'Stones' });
    for (const [n, id] of [ben, cem, ben].entries())
      await lesson(id, 0, { discovery: `Mortar ${n}`, awaiting_proposer: true });
    await run({ ...byRole, GUILDBOOK_PROPAGATION_TARGETS: '1', GUILDBOOK_MEMORY_CAPACITY: '2' });
    expect((await copiesOf(own)).map(({ agentId }) => agentId)).toEqual([cem]);
  });

  it('ends a copy when a later lesson replaces its source, and does not copy it again', async () => {
    const ada = await agent({ role: 'potter' });
    await agent({ role: 'potter' });
    const own = await lesson(ada, 0, { session_id: 'session-9' });
    await app.database.client.memoryWitness.create({
      data: {
        memoryId: own,
        executionId: app.app.get(Ids).uuid(),
        sessionId: 'session-9',
        at: app.clock.now(),
      },
    });
    await run(byRole);
    const tx = app.database.client;
    const entry = await tx.memory.findUniqueOrThrow({ where: { id: own } });
    const text = generalOf({
      discovery: 'Better known by now.',
      activation: { condition: entry.condition, action: entry.action, rationale: entry.rationale },
      steps: ['Do it.'],
      confidence: 0.7,
      tags: [],
    });
    await app.database.transaction((inside) =>
      app.app.get(Lessons).storeExtracted(inside, jobActor('proposer'), {
        id: app.app.get(Ids).uuid(),
        agentId: ada,
        executionId: app.app.get(Ids).uuid(),
        sessionId: 'session-9',
        kind: 'failure',
        lesson: text,
        proposer: 'rules/4',
        awaitingProposer: false,
      }),
    );
    expect(await copiesOf(own)).toMatchObject([{ endReason: 'source_ended', supersededAt: expect.any(Date) }]);
  });
});
