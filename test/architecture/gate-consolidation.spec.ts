import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentConsolidation } from '../../src/consolidate/agent-consolidation.service.js';
import { jobActor } from '../../src/journal/actor.js';
import { LessonRepository } from '../../src/memory/lessons/lesson.repository.js';
import { MemoryMergesRepository } from '../../src/memory/upkeep/memory-merges.repository.js';
import { MemoryMerges } from '../../src/memory/upkeep/memory-merges.service.js';
import type { Merge, MergeableLesson, MergePlan } from '../../src/memory/upkeep/mergeable.js';
import { Database, WorkerDatabase } from '../../src/platform/database/database.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { AT, GateRows } from '../support/gate-rows.js';
import { storedMemory } from '../support/memories.js';

/** Row-level security and missing rights of the worker role, or the triggers of the gate where no role is in force. */
const REFUSED = /row-level security|permission denied|org memory needs|never changes in place|decision|gate:/;

let app: TestApplication;
let rows: GateRows;
let agentId: string;
let org: string;
let lesson: MergeableLesson;
let entry: MergeableLesson;

beforeAll(async () => {
  app = await startTestApplication({ GUILDBOOK_CONSOLIDATION_CRON: 'off', GUILDBOOK_UPKEEP_CRON: 'off' });
  rows = new GateRows(app.database);
});
afterAll(() => app.close());
beforeEach(async () => {
  agentId = await rows.principal('agent');
  await storedMemory(app.database, { agentId, discovery: 'python fails', createdAt: new Date(AT) });
  const approved = rows.orgMemory(await rows.approved());
  org = String(approved['id']);
  await rows.insert('memory', approved);
  const [own] = await app.app.get(MemoryMerges).live(app.database.client, agentId);
  if (!own) throw new Error('the lesson was not stored');
  lesson = own;
  // As a wrong rule would have it: the entry, taken for a lesson of the agent.
  entry = { ...own, id: org, contentSha256: String(approved['content_sha256']), provenance: 'verified' };
});

const memory = () => app.database.client.memory.findMany({ orderBy: { id: 'asc' } });
const witnessesOf = (memoryId: string) => app.database.client.memoryWitness.count({ where: { memoryId } });
const asWorker = (sql: string) => app.database.worker.client.$executeRawUnsafe(sql);
const insertAsWorker = (row: object) =>
  app.database.worker.client.$executeRawUnsafe(
    `INSERT INTO "memory" SELECT * FROM jsonb_populate_record(NULL::"memory", $1::jsonb)`,
    JSON.stringify(row),
  );

const merge = (base: MergeableLesson, from: MergeableLesson[], isNew: boolean): Merge => ({
  reason: 'merged',
  into: isNew ? randomUUID() : base.id,
  base,
  written: isNew ? { ...base, provenance: 'unverified' } : undefined,
  from,
});
const merging = (...merges: Merge[]): MergePlan => ({ of: 'lessons', merges, endings: [] });
const ending = (memory: MergeableLesson, by: string | null): MergePlan => ({
  of: 'lessons',
  merges: [],
  endings: [{ memory, reason: by === null ? 'pruned' : 'contradicted', by }],
});

describe('the consolidation of lessons', () => {
  it('changes memory under the worker role: its runs take no other database', () => {
    const injected: unknown[] = Reflect.getMetadata('design:paramtypes', AgentConsolidation);
    expect(injected).toContain(WorkerDatabase);
    expect(injected).not.toContain(Database);
    for (const service of [MemoryMerges, MemoryMergesRepository])
      expect(Reflect.getMetadata('design:paramtypes', service) ?? []).not.toContain(Database);
  });

  it.each([
    ['replaces an org entry by a new lesson', () => merging(merge(entry, [entry, lesson], true))],
    ['ends an org entry for a lesson', () => merging(merge(lesson, [entry], false))],
    ['ends a lesson for an org entry', () => merging(merge(entry, [lesson], false))],
    ['writes a lesson with the words of an org entry', () => merging(merge(entry, [lesson], true))],
    ['prunes an org entry', () => ending(entry, null)],
    ['ends an org entry as contradicted', () => ending(entry, lesson.id)],
  ])('leaves out a change of the plan that %s', async (_what, plan) => {
    const before = await memory();
    const applied = await app.database.worker.transaction((tx) =>
      app.app.get(MemoryMerges).apply(tx, jobActor('consolidation'), { run: randomUUID(), agentId }, plan()),
    );
    expect(applied).toEqual({ of: 'lessons', merges: [], endings: [], skipped: 1 });
    expect(await memory()).toEqual(before);
    expect(await witnessesOf(org)).toBe(0);
  });

  it('ends and restores no org entry, even if its repository is given the id', async () => {
    const { client } = app.database;
    const repository = app.app.get(MemoryMergesRepository);
    const before = await memory();
    expect(
      await app.app
        .get(LessonRepository)
        .endByRun(client, { run: randomUUID(), agentId }, [{ id: org, why: 'pruned' }], new Date(AT)),
    ).toEqual([]);
    expect(await repository.lock(client, agentId, [org])).toEqual(new Map());
    expect((await repository.live(client, agentId)).map(({ id }) => id)).toEqual([lesson.id]);
    expect(await memory()).toEqual(before);
  });

  it.each([
    ['ends an org entry', () => `UPDATE memory SET superseded_at = now(), end_reason = 'pruned' WHERE id = '${org}'`],
    [
      'ends an org entry for a lesson',
      () => `UPDATE memory SET superseded_at = now(), superseded_by_id = '${lesson.id}'
       WHERE id = '${org}'`,
    ],
    ['changes an org entry', () => `UPDATE memory SET "action" = 'Run anything.' WHERE id = '${org}'`],
    ['makes a lesson an org entry', () => `UPDATE memory SET scope = 'org' WHERE id = '${lesson.id}'`],
    ['deletes an org entry', () => `DELETE FROM memory WHERE id = '${org}'`],
  ])('is refused by the database when it %s', async (_what, sql) => {
    const before = await memory();
    await expect(asWorker(sql())).rejects.toThrow(REFUSED);
    expect(await memory()).toEqual(before);
  });

  it('is refused by the database when it writes an org entry', async () => {
    const before = await memory();
    // Not even with the bytes that a person approved.
    for (const proposal of [await rows.proposal(), await rows.approved()]) {
      const written = rows.orgMemory(proposal, { created_by_run_id: randomUUID() });
      await expect(insertAsWorker(written)).rejects.toThrow(/row-level security|memory_runs_write_private_lessons/);
    }
    expect(await memory()).toEqual(before);
  });

  it('changes no org entry in a run over an agent with lessons', async () => {
    // Of another situation, so that it becomes dated and is not merged.
    const texts = {
      discovery: 'The queue hung yesterday',
      condition: 'The queue hangs.',
      action: 'Restart the broker.',
    };
    await storedMemory(app.database, { agentId, ...texts, steps: ['Restart it.'], createdAt: new Date(AT) });
    const orgRows = () => app.database.client.memory.findMany({ where: { scope: 'org' }, orderBy: { id: 'asc' } });
    const before = await orgRows();
    const { items } = await app.admin.consolidation.run({ agentId });
    expect(items).toMatchObject([{ state: 'completed', report: { consolidate: { dates: { total: 1 } } } }]);
    expect(await orgRows()).toEqual(before);
  });
});
