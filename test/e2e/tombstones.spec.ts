import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Tombstones } from '../../src/memory/lessons/tombstones.service.js';
import { Upkeep } from '../../src/memory/upkeep/upkeep.service.js';
import { DAY_MS } from '../../src/platform/base/durations.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';
import { proposedByFleet } from '../support/fleet.js';
import { ownRecovery, report } from '../support/reports.js';

let app: TestApplication;
let ada: Awaited<ReturnType<TestApplication['agent']>>;

beforeAll(async () => {
  app = await startTestApplication({ GUILDBOOK_PROPAGATION: 'role' });
  ada = await app.agent('Ada', 'Books');
});
afterAll(() => app.close());

const remember = async (lesson: string) => (await ada.client.remember({ lesson, tags: ['non-inferable'] })).id;
const tombstone = (id: string) => app.admin.tombstones.show(id);

describe('a tombstone', () => {
  it('says what superseded the memory, who did it, and when', async () => {
    const id = await remember('The zeppelin lands with the wind');
    const { id: corrected } = await app.admin.lesson.correct(id, {
      action: 'The zeppelin lands against the wind',
      reason: 'seen it',
    });
    const { endedAt, ...rest } = await tombstone(id);
    expect(rest).toMatchObject({
      memory: { id, agentId: ada.id, lesson: { activation: { action: 'The zeppelin lands with the wind' } } },
      reason: 'corrected',
      supersededBy: { id: corrected, supersededAt: null },
      endedBy: { kind: 'admin', name: expect.any(String), action: 'memory.lesson_corrected' },
    });
    const { items } = await app.admin.journal.list({ action: 'memory.lesson_corrected' });
    expect(rest.endedBy).toMatchObject({ id: items[0]?.actor.id, seq: items[0]?.seq });
    expect(Math.abs(Date.parse(endedAt) - app.clock.now().getTime())).toBeLessThan(60_000);
    expect((await app.admin.tombstones.list({ supersededBy: corrected })).items.map((one) => one.memory.id)).toEqual([
      id,
    ]);
  });

  it('of a retired lesson and of its copy names the person; without a successor', async () => {
    const id = await remember('Zeppelins burn');
    const ben = await app.agent('Ben', 'Books');
    const peer = { agentId: ben.id, propagatedFromId: id, id: 'c0b1a000-0000-4000-8000-000000000001' };
    const { parts: _, ...row } = await app.database.client.memory.findUniqueOrThrow({ where: { id } });
    await app.database.client.memory.create({ data: { ...row, steps: ['Wait.'], cost: undefined, ...peer } as never });
    await app.admin.lesson.retire(id, 'not filled with hydrogen any more');
    expect(await tombstone(id)).toMatchObject({
      reason: 'retired',
      supersededBy: null,
      endedBy: { kind: 'reviewer', action: 'memory.lesson_retired' },
    });
    expect(await tombstone(peer.id)).toMatchObject({
      reason: 'source_ended',
      supersededBy: null,
      endedBy: { kind: 'reviewer', action: 'memory.lesson_retired' },
    });
  });

  it('of a lesson that its session taught again names the lesson and the job', async () => {
    const taught = async (n: number) => {
      const change = { executionId: `session-${n}`, sessionId: 's', toolCalls: ownRecovery(`Session${n}`) };
      await ada.client.executions.report(report(change));
      await app.settled();
    };
    await taught(1);
    const [first] = (await app.admin.lessons({ agent: ada.id, limit: 1 })).items;
    await taught(2);
    expect(await tombstone(first?.id ?? '')).toMatchObject({
      supersededBy: { scope: 'agent', agentId: ada.id },
      endedBy: { kind: 'job', action: 'memory.lesson_extracted' },
    });
  });

  it('of a core note names its successor and its agent', async () => {
    const write = async (lesson: string, replaces?: string) => {
      await ada.client.memoryTool('core_memory_write', {
        lesson,
        tags: ['non-inferable'],
        ...(replaces ? { replaces } : {}),
      });
      return (await ada.client.memoryTool('core_memory_read')).memories[0] ?? '';
    };
    const before = await write('Ask before paying');
    const after = await write('Ask twice before paying', before);
    expect(await tombstone(before)).toMatchObject({
      supersededBy: { id: after },
      endedBy: { kind: 'agent', id: ada.id, action: 'memory.remembered' },
    });
  });

  it('of a superseded or retired skill names the reviewer, and is of scope org', async () => {
    const proposal = await proposedByFleet(app, ['dan', 'eve', 'flo']);
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    const retired = await app.admin.retireSkill(proposal.id, 'the image has Python 3 only');
    const { items } = await app.admin.tombstones.list({ scope: 'org' });
    expect(items).toMatchObject([
      {
        memory: { scope: 'org', skillName: proposal.skillName, version: 1 },
        endedBy: { kind: 'reviewer', action: 'proposal.approved' },
      },
    ]);
    const [entry] = (await app.admin.journal.list({ subject: retired.id, action: 'proposal.approved' })).items;
    expect(items[0]?.endedBy?.seq).toBe(entry?.seq);
  });
});

describe('the tombstones', () => {
  it('are not for agents, and no recall finds them', async () => {
    const id = await remember('Quokkas ended');
    await app
      .person('Rea', { reviewer: true, admin: true })
      .then(({ client }) => client.lesson.retire(id, 'wrong now'));
    await expect(ada.client.tombstones.show(id)).rejects.toMatchObject({ problem: { status: 403 } });
    await expect(ada.client.tombstones.list()).rejects.toMatchObject({ problem: { status: 403 } });
    expect((await ada.client.recall({ query: 'quokkas ended' })).memories).toEqual([]);
  });

  it('do not hold a live or an unknown memory', async () => {
    const { client } = await app.person('Rob', {});
    const id = await remember('Quokkas live');
    for (const other of [id, '00000000-0000-4000-8000-000000000000'])
      await expect(client.tombstones.show(other)).rejects.toMatchObject({
        problem: { status: 404, code: 'memory.unknown_tombstone' },
      });
  });

  it('are printed by guildbook memory tombstones', async () => {
    const program = await CommandLine.create();
    const { client, token } = await app.person('Sam', { reviewer: true });
    const id = await remember('Quokkas of the command line');
    await client.lesson.retire(id, 'wrong now');
    const run = (...args: string[]) =>
      program.run(['memory', 'tombstones', ...args], { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: token });
    const listed = await run('--agent', 'Ada', '--limit', '1');
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('Quokkas of the command line') });
    expect(listed.stdout).toMatch(/by Sam \(reviewer\), memory\.lesson_retired, journal entry \d+/);
    expect((await run(id)).stdout).toContain(`- ${id}  Quokkas of the command line`);
    await program.remove();
  });

  it('are listed page by page, newest end first', async () => {
    const { items: all } = await app.admin.tombstones.list({ limit: 100 });
    const pages: string[] = [];
    for (let page = 0; page < all.length; page++) {
      const after = pages.at(-1);
      const { items } = await app.admin.tombstones.list({ limit: 1, ...(after ? { after } : {}) });
      pages.push(...items.map(({ memory }) => memory.id));
    }
    expect(pages).toEqual(all.map(({ memory }) => memory.id));
    expect(all.map(({ endedAt }) => endedAt)).toEqual(
      all
        .map(({ endedAt }) => endedAt)
        .sort()
        .reverse(),
    );
  });

  // Last, because the tokens of people expire as the clock moves.
  it('hold what the upkeep ended, with its job', async () => {
    const id = await remember('Old zeppelins');
    app.clock.advance(100 * DAY_MS);
    await app.app.get(Upkeep).runScheduled();
    expect(await app.app.get(Tombstones).show(id)).toMatchObject({
      supersededBy: null,
      reason: expect.stringMatching(/ttl|never_retrieved/),
      endedBy: { kind: 'job', name: 'memory-upkeep', action: 'memory.lessons_pruned' },
    });
  });
});
