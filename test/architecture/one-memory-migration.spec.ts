import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MIGRATIONS, migrateDeploy, migrationState } from '../../src/platform/database/migrate.js';
import { type ScratchPool, scratchPool } from '../support/scratch-pool.js';

/** The first migration that the version before did not have. */
const FIRST = '20261130010000_project_scope';
const AGENT = randomUUID();
const RUN = randomUUID();
const COLUMNS = [
  ...[
    'id',
    'agent_id',
    'project',
    'session_id',
    'kind',
    'content',
    'tags',
    'pinned',
    'written_by',
    'writer',
    'figures',
  ],
  ...['content_sha256', 'created_at', 'updated_at', 'last_recalled_at', 'recall_count', 'ended_at', 'end_reason'],
  ...['superseded_by_id', 'ended_by_run_id'],
].map((name) => `"${name}"`);
const ALL = `SELECT ${COLUMNS.join(', ')} FROM "session_entry" ORDER BY "id"`;
const BY_KIND = (table: string, ended: string) =>
  `SELECT "kind", ("${ended}" IS NULL) AS "live", count(*)::int AS "n" FROM "${table}"
    WHERE "kind" NOT IN ('lesson', 'note', 'core') GROUP BY 1, 2 ORDER BY 1, 2`;

let scratch: ScratchPool;
let before: { all: object[]; byKind: object[] };

const rowsOf = async (sql: string, values: unknown[] = []): Promise<object[]> =>
  (await scratch.pool.query<object>(sql, values)).rows;

/** As the version before writes it. */
const save = (entry: Readonly<Record<string, unknown>>) => {
  const row = {
    id: randomUUID(),
    agent_id: AGENT,
    project: 'shop',
    session_id: 'session~a',
    kind: 'fact',
    content: 'Fixtures live in testdata/golden/',
    tags: ['tests'],
    pinned: true,
    written_by: 'agent',
    content_sha256: randomUUID(),
    created_at: '2026-03-01T08:00:00.000Z',
    updated_at: '2026-03-02T08:00:00.000Z',
    ...entry,
  };
  const names = Object.keys(row);
  return rowsOf(
    `INSERT INTO "session_entry" (${names.map((name) => `"${name}"`).join(', ')})
      VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')}) RETURNING "id", "recall_count"`,
    Object.values(row),
  );
};
const note = (id: string, category: string, tags: string[], proposer: string) =>
  rowsOf(
    `INSERT INTO "memory" ("id", "scope", "category", "agent_id", "discovery", "condition", "action", "rationale", "steps",
       "confidence", "tags", "control_tags", "provenance", "proposer", "awaiting_proposer", "content_sha256", "created_at")
      VALUES ($1, 'agent', $2, $3, 'd', 'c', 'a', 'r', '["s"]', 0.5, $4, '{}', 'unverified', $5, false, 'x', now())`,
    [id, category, AGENT, tags, proposer],
  );
const NOTES = { note: randomUUID(), core: randomUUID(), lesson: randomUUID() };

beforeAll(async () => {
  scratch = await scratchPool();
  const { missing } = await migrationState(scratch.pool, MIGRATIONS);
  const earlier = missing.map(({ name }) => name).filter((name) => name < FIRST);
  await migrateDeploy(scratch.pool, MIGRATIONS, new Set(earlier));
  const into = randomUUID();
  const ended = { ended_at: '2026-03-05T08:00:00.000Z' };
  await save({ id: into, kind: 'decision', pinned: false, last_recalled_at: '2026-03-04T08:00:00Z', recall_count: 7 });
  await save({ kind: 'decision', ...ended, end_reason: 'merged', superseded_by_id: into, ended_by_run_id: RUN });
  await save({ kind: 'decision', ended_by_run_id: RUN });
  await save({ kind: 'decision', ...ended, end_reason: 'capacity', ended_by_run_id: RUN });
  await save({ content: '', tags: [], ...ended, end_reason: 'deleted' });
  await save({ project: null, written_by: 'person', writer: 'Rosa' });
  await save({ kind: 'preference', written_by: 'person' });
  await save({ kind: 'open-thread', pinned: false });
  const figures = { durationMinutes: 47, turns: 23 };
  await save({ kind: 'session-summary', pinned: false, written_by: 'model', writer: 'anthropic/x', figures });
  await save({ kind: 'session-summary', session_id: 'session~b', pinned: false, written_by: 'rules' });
  await note(NOTES.note, 'PROCEDURAL', ['core'], 'the agent itself');
  await note(NOTES.core, 'SEMANTIC', ['core'], 'the agent itself');
  await note(NOTES.lesson, 'SEMANTIC', ['core'], 'rules/1');
  before = { all: await rowsOf(ALL), byKind: await rowsOf(BY_KIND('session_entry', 'ended_at')) };
  await migrateDeploy(scratch.pool, MIGRATIONS);
});
afterAll(() => scratch.close());

describe('the migration to one memory', () => {
  it('keeps every entry of the version before: rows by kind and state, and every column', async () => {
    expect(before.all).toHaveLength(10);
    expect(await rowsOf(BY_KIND('memory', 'superseded_at'))).toEqual(before.byKind);
    const { all } = before;
    // A restore that something else than a run ended says nothing any more.
    expect(await rowsOf(ALL)).toEqual(all);
    expect(await rowsOf(`SELECT count(*)::int AS "n" FROM "memory" WHERE "scope" = 'project'`)).toEqual([{ n: 10 }]);
  });

  it('names the notes of agents and those of the core block', async () => {
    const rows = await rowsOf(`SELECT "id", "kind" FROM "memory" WHERE "scope" = 'agent'`);
    const kinds = Object.entries(NOTES).map(([kind, id]) => ({ id, kind }));
    expect(rows).toEqual(expect.arrayContaining(kinds));
  });

  it('lets the version before read and write the one table while it runs beside this one', async () => {
    const [saved] = await save({ kind: 'decision', session_id: 'session~c', pinned: false, figures: null });
    expect(saved).toMatchObject({ recall_count: 0 });
    const id = Object.values(saved ?? {})[0];
    const stored = () =>
      rowsOf(
        `SELECT "kind", "action", "pinned_at" IS NOT NULL AS "pinned", "relevance_count", "superseded_at" IS NULL AS "live",
        "end_reason", "ended_by_run_id", "restored_from_run_id" FROM "memory" WHERE "id" = $1 AND "scope" = 'project'`,
        [id],
      );
    const update = (what: string) => rowsOf(`UPDATE "session_entry" SET ${what} WHERE "id" = $1 RETURNING "id"`, [id]);
    await update(`"content" = 'Fixtures moved', "kind" = 'fact', "pinned" = true`);
    await update(`"recall_count" = "recall_count" + 1, "last_recalled_at" = now()`);
    const live = { kind: 'fact', action: 'Fixtures moved', pinned: true, relevance_count: 1, live: true };
    expect(await stored()).toEqual([{ ...live, end_reason: null, ended_by_run_id: null, restored_from_run_id: null }]);
    await update(`"ended_at" = now(), "end_reason" = 'pruned', "ended_by_run_id" = '${RUN}'`);
    expect(await stored()).toMatchObject([{ live: false, end_reason: 'pruned', ended_by_run_id: RUN }]);
    await update(`"ended_at" = NULL, "end_reason" = NULL, "superseded_by_id" = NULL`);
    expect(await stored()).toMatchObject([{ live: true, ended_by_run_id: null, restored_from_run_id: RUN }]);
    await rowsOf('DELETE FROM "session_entry" WHERE "id" = $1', [id]);
    expect(await stored()).toEqual([]);
  });

  it.each(['org', 'agent', 'role', 'department'])(
    'refuses an entry of a session memory in the scope %s',
    async (scope) => {
      const [entry] = await rowsOf(`SELECT "id" FROM "memory" WHERE "kind" = 'fact' AND "superseded_at" IS NULL`);
      await expect(
        rowsOf(`UPDATE "memory" SET "scope" = '${scope}' WHERE "id" = $1`, Object.values(entry ?? {})),
      ).rejects.toThrow(/gate|memory_entries_stay_in_their_project|memory_/);
      await expect(rowsOf(`UPDATE "memory" SET "kind" = 'fact' WHERE "id" = $1`, [NOTES.note])).rejects.toThrow(
        'memory_entries_stay_in_their_project',
      );
    },
  );
});
