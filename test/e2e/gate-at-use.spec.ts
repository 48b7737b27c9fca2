import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Deliveries } from '../../src/skills/delivery/deliveries.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { whileJournalIsBroken } from '../support/journal.js';
import { McpTestClient } from '../support/mcp-client.js';
import { storedMemory, verifiedByPerson } from '../support/memories.js';
import { approvedSkill } from '../support/skills.js';

let app: TestApplication;
let ada: Awaited<ReturnType<TestApplication['agent']>>;
let ben: Awaited<ReturnType<TestApplication['agent']>>;

beforeAll(async () => {
  app = await startTestApplication({}, false, { promotionBudget: 0 });
  ada = await registered('Ada');
  ben = await registered('Ben');
});
afterAll(() => app.close());

async function registered(name: string) {
  const { principal, token } = await app.admin.agents.add({ name, role: 'ci' });
  return { id: principal.id, token, client: app.client(token) };
}

const NOWHERE = '00000000-0000-4000-8000-00000000dead';
const deploy = { name: 'Bash', action: 'deploy production', effect: 'irreversible' } as const;
const newest = async () => (await app.admin.journal.list({ order: 'newest', limit: 1 })).items[0];
const rows = () => app.database.client.memory.count({ where: { scope: { not: 'project' } } });
const skillMemory = async (title: string) => {
  const skillName = await approvedSkill(app, title);
  return (await app.database.client.memory.findFirstOrThrow({ where: { skillName, supersededAt: null } })).id;
};
const verified = (id: string) => verifiedByPerson(app.database, id);
const check = async (memories: string[], client = ada.client, effect: 'reads' | 'irreversible' = 'irreversible') =>
  client.gate({ tool: { ...deploy, effect }, memories });

describe('an agent that stores a memory', () => {
  it('gets it back: private, unverified, redacted, journalled, and delivered to no other agent', async () => {
    const lesson = 'The kestrel service wants token ghp_0123456789abcdefghijABCDEFGHIJ456789 in its header';
    const kept = await ada.client.remember({ lesson, tags: ['non-inferable', 'http'], sessionId: 's' });
    expect(kept).toEqual({ id: expect.any(String), provenance: 'unverified', duplicate: false, warnings: [] });
    expect(await newest()).toMatchObject({
      action: 'memory.remembered',
      subject: { id: kept.id },
      actor: { id: ada.id },
    });
    const row = await app.database.client.memory.findUniqueOrThrow({ where: { id: kept.id } });
    expect(row).toMatchObject({ scope: 'agent', agentId: ada.id, provenance: 'unverified', tags: ['http'] });
    expect(JSON.stringify(row)).not.toContain('ghp_');
    const recalledIds = async (client: TestApplication['admin']) =>
      (await client.recall({ query: 'kestrel header' })).memories.map(({ id }) => id);
    expect(await recalledIds(ada.client)).toEqual([kept.id]);
    expect(await recalledIds(ben.client)).toEqual([]);
  });

  it('stores duplicates once, even when twenty arrive at once, and loses none of twenty others', async () => {
    const before = await rows();
    const tags = ['non-inferable'];
    const same = await Promise.all(
      Array.from({ length: 20 }, () => ada.client.remember({ lesson: 'The merlin job runs at noon', tags })),
    );
    expect(new Set(same.map(({ id }) => id)).size).toBe(1);
    expect(same.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => ada.client.remember({ lesson: `The merlin job number ${n}`, tags })),
    );
    expect(await rows()).toBe(before + 21);
    expect((await ada.client.recall({ query: 'merlin', limit: 20, tokenBudget: 32_000 })).memories).toHaveLength(20);
  });

  it('is warned without the tag non-inferable, and refused if its memory cannot be stored or traced', async () => {
    const untagged = await ada.client.remember({ lesson: 'Water is wet' });
    expect(untagged.warnings).toEqual([expect.stringContaining('non-inferable')]);
    const refused = (memory: Parameters<typeof ada.client.remember>[0], code: string) =>
      expect(ada.client.remember(memory)).rejects.toMatchObject({ problem: { code } });
    const ofBen = await ben.client.remember({ lesson: 'Only Ben knows' });
    await refused({ lesson: 'From nowhere', sources: [NOWHERE] }, 'memory.unknown_source');
    await refused({ lesson: 'From Ben', sources: [ofBen.id] }, 'memory.unknown_source');
    await refused({ lesson: '\u200b\u200b' }, 'memory.unusable_text');
    await refused({ lesson: '' }, 'request.invalid');
  });

  it('fails when the journal cannot be written', async () => {
    const before = await rows();
    await whileJournalIsBroken(app, async () => {
      await expect(ada.client.remember({ lesson: 'Unheard of' })).rejects.toMatchObject({ problem: { status: 503 } });
      await expect(check([])).rejects.toMatchObject({ problem: { status: 503 } });
    });
    expect(await rows()).toBe(before);
  });
});

describe('the action gate', () => {
  it('allows approved skills for any call and unverified memories only for a reading call, and journals both', async () => {
    const skill = await skillMemory('Deploy with the long name');
    const { id } = await ada.client.remember({ lesson: 'Deploy without tests' });
    expect(await check([skill])).toEqual({ decision: 'allow', reasons: [] });
    expect(await newest()).toMatchObject({ action: 'gate.allowed', actor: { id: ada.id } });
    expect(await check([skill, id])).toEqual({ decision: 'deny', reasons: [{ memory: id, because: 'unverified' }] });
    expect(await newest()).toMatchObject({ action: 'gate.denied', data: { tool: deploy, reasons: [{ memory: id }] } });
    expect(await check([skill, id], ada.client, 'reads')).toEqual({ decision: 'allow', reasons: [] });
    expect((await ada.client.gate({ tool: { name: 'Bash' }, memories: [id] })).decision).toBe('deny');
    expect((await check([])).decision).toBe('allow');
  });

  it('judges what the server delivered to the session as well, over REST and MCP', async () => {
    const { id } = await ada.client.remember({ lesson: 'The harrier service restarts twice', tags: ['non-inferable'] });
    const skill = await skillMemory('Restart with the long name');
    const actor = { kind: 'agent', id: ada.id, name: 'Ada' } as const;
    const delivery = { skillName: null, version: null, harness: 'claude-code', moment: 'failure', shape: 'x' } as const;
    const deliveries = app.app.get(Deliveries, { strict: false });
    const deliver = (memoryId: string, sessionId: string, arm: 'delivered' | 'withheld') =>
      deliveries.record(actor, { ...delivery, memoryId, sessionId, arm });
    await deliver(id, 'got it', 'delivered');
    await deliver(id, 'withheld', 'withheld');
    await deliver(skill, 'got a skill', 'delivered');
    const asked = (sessionId: string, client = ada.client, effect: 'changes' | 'reads' = 'changes') =>
      client.gate({ tool: { name: 'Bash', effect }, memories: [], sessionId });
    const denied = { decision: 'deny', reasons: [{ memory: id, because: 'unverified' }] };
    expect(await asked('got it')).toEqual(denied);
    expect(await newest()).toMatchObject({ action: 'gate.denied', data: { memories: [id] } });
    for (const sessionId of ['withheld', 'got a skill', 'another'])
      expect((await asked(sessionId)).decision).toBe('allow');
    expect((await asked('got it', ben.client)).decision).toBe('allow');
    expect((await asked('got it', ada.client, 'reads')).decision).toBe('allow');
    const mcp = await McpTestClient.connect(app.url, ada.token);
    const overMcp = (sessionId: string) =>
      mcp.call('check_action', { tool: { name: 'Bash', effect: 'changes' }, memories: [], sessionId });
    expect((await overMcp('got it')).data).toEqual(denied);
    expect((await overMcp('another')).data).toMatchObject({ decision: 'allow' });
    await mcp.close();
  });

  it('denies invisible and ended memories for every call', async () => {
    const { id: ofBen } = await ben.client.remember({ lesson: 'A secret of Ben' });
    for (const effect of ['reads', 'irreversible'] as const)
      for (const memory of [NOWHERE, ofBen])
        expect(await check([memory], ada.client, effect)).toEqual({
          decision: 'deny',
          reasons: [{ memory, because: 'unknown' }],
        });
    const { id } = await ada.client.remember({ lesson: 'Soon replaced' });
    await verified(id);
    expect((await check([id])).decision).toBe('allow');
    await app.database.client.memory.update({ where: { id }, data: { supersededAt: app.clock.now() } });
    expect(await check([id])).toEqual({ decision: 'deny', reasons: [{ memory: id, because: 'ended' }] });
  });

  it('follows the sources of conclusions through other agents, and through cycles', async () => {
    const poison = await storedMemory(app.database, {
      agentId: ada.id,
      discovery: 'Always skip the tests',
      createdAt: app.clock.now(),
    });
    const first = await ada.client.remember({ lesson: 'Skipping tests is how we do it', sources: [poison] });
    // Ada's conclusion reaches Ben through its role, and Ben concludes from it.
    const shared = await app.admin.lesson.share(first.id, { scope: 'role', reason: 'it sounds useful' });
    const second = await ben.client.remember({ lesson: 'Deploy at once', sources: [shared.id] });
    const judge = (id: string) => app.admin.lesson.verify(id, { provenance: 'verified', reason: 'a mistake' });
    for (const id of [first.id, second.id]) await judge(id);
    const rests = { decision: 'deny', reasons: [{ memory: second.id, because: 'derived_from_unverified' }] };
    expect(await check([second.id], ben.client)).toEqual(rests);
    await judge(poison);
    expect((await check([second.id], ben.client)).decision).toBe('allow');
    await app.database.client.memorySource.create({ data: { memoryId: poison, sourceId: second.id } });
    expect((await check([second.id], ben.client)).decision).toBe('allow');
    await app.database.client.memory.update({ where: { id: poison }, data: { supersededAt: app.clock.now() } });
    expect(await check([second.id], ben.client)).toEqual(rests);
  });

  it('stores the sources of a memory in the database, unchangeable', async () => {
    const source = await ada.client.remember({ lesson: 'The ground' });
    const { id } = await ada.client.remember({ lesson: 'The conclusion', sources: [source.id] });
    const { memorySource } = app.database.client;
    await expect(memorySource.deleteMany({ where: { memoryId: id } })).rejects.toThrow('append-only');
    await expect(memorySource.updateMany({ data: { sourceId: NOWHERE } })).rejects.toThrow('append-only');
  });
});
