import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { testDatabaseUrl } from '../../src/platform/config/environment.js';
import { MIGRATIONS, migrateDeploy, migrationState } from '../../src/platform/database/migrate.js';
import { type ScratchPool, scratchPool } from '../support/scratch-pool.js';

/** Which rule refuses an entry in another scope. */
const REFUSED_IN: Readonly<Record<string, RegExp>> = {
  org: /gate: org memory needs/,
  agent: /memory_entries_stay_in_their_project/,
  role: /gate: a lesson for a role/,
  department: /gate: a lesson for a role/,
};
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
/** As the version before writes them: a note, one of the core block, a lesson, and a copy of the note. Returns the kinds. */
async function notes(): Promise<{ id: string; kind: string }[]> {
  const ids = [randomUUID(), randomUUID(), randomUUID(), randomUUID()] as const;
  const note = (id: string, category: string, proposer: string, source: string | null = null) =>
    rowsOf(
      `INSERT INTO "memory" ("id", "scope", "category", "agent_id", "discovery", "condition", "action", "rationale", "steps",
         "confidence", "tags", "control_tags", "provenance", "proposer", "awaiting_proposer", "content_sha256", "created_at",
         "propagated_from_id")
        VALUES ($1, 'agent', $2, $3, 'd', 'c', 'a', 'r', '["s"]', 0.5, '{core}', '{}', 'unverified', $4, false, 'x', now(), $5)`,
      [id, category, source === null ? AGENT : randomUUID(), proposer, source],
    );
  await note(ids[0], 'PROCEDURAL', 'the agent itself');
  await note(ids[1], 'SEMANTIC', 'the agent itself');
  await note(ids[2], 'SEMANTIC', 'rules/1');
  await note(ids[3], 'PROCEDURAL', 'the agent itself', ids[0]);
  const kinds = ['note', 'core', 'lesson', 'lesson'];
  return ids.map((id, at) => ({ id, kind: kinds[at] ?? '' }));
}
let stored: Awaited<ReturnType<typeof notes>>;
const kindsOf = (some: typeof stored) =>
  rowsOf(`SELECT "id", "kind" FROM "memory" WHERE "id" = ANY ($1)`, [some.map(({ id }) => id)]);

/** The database of the version before. */
async function openBefore(): Promise<ScratchPool> {
  const opened = await scratchPool();
  const { missing } = await migrationState(opened.pool, MIGRATIONS);
  const earlier = missing.map(({ name }) => name).filter((name) => name < FIRST);
  await migrateDeploy(opened.pool, MIGRATIONS, new Set(earlier));
  return opened;
}

beforeAll(async () => {
  scratch = await openBefore();
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
  stored = await notes();
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

  it('names the notes of agents and those of the core block, and those that the version before still writes', async () => {
    const later = await notes();
    for (const some of [stored, later]) {
      expect(await kindsOf(some)).toHaveLength(4);
      expect(await kindsOf(some)).toEqual(expect.arrayContaining(some));
    }
  });

  it('tells the search of lessons nothing of entries, and the queue of promotions takes none', async () => {
    const noted = () =>
      rowsOf(`SELECT count(*)::int AS "n" FROM "memory_change" c JOIN "memory" m ON m."id" = c."memory_id"
        WHERE m."scope" = 'project'`);
    await save({ session_id: 'session~d' });
    await rowsOf(`UPDATE "session_entry" SET "content" = 'Fixtures moved' WHERE "session_id" = 'session~d'`);
    expect(await noted()).toEqual([{ n: 0 }]);
    // As the version before enrols what has no promotion.
    const enrolled =
      await rowsOf(`INSERT INTO "promotion" ("memory_id", "state", "because", "trigger", "attempts", "queued_at", "due_at")
      SELECT "id", 'queued', 'not_checked', 'schedule', 0, now(), now() FROM "memory" WHERE "superseded_at" IS NULL
      ON CONFLICT DO NOTHING RETURNING "memory_id" AS "id"`);
    expect(enrolled).toEqual(expect.arrayContaining(stored.map(({ id }) => ({ id }))));
    expect(
      await rowsOf(`SELECT 1 FROM "promotion" p JOIN "memory" m ON m."id" = p."memory_id" WHERE m."scope" = 'project'`),
    ).toEqual([]);
  });

  it('lets the version before read and write the one table while it runs beside this one', async () => {
    const [saved] = await save({ kind: 'decision', session_id: 'session~c', pinned: false, figures: null });
    expect(saved).toMatchObject({ recall_count: 0 });
    const id = Object.values(saved ?? {})[0];
    const row = () =>
      rowsOf(
        `SELECT "kind", "action", "pinned_at" IS NOT NULL AS "pinned", "relevance_count", "superseded_at" IS NULL AS "live",
        "end_reason", "ended_by_run_id", "restored_from_run_id" FROM "memory" WHERE "id" = $1 AND "scope" = 'project'`,
        [id],
      );
    const update = (what: string) => rowsOf(`UPDATE "session_entry" SET ${what} WHERE "id" = $1 RETURNING "id"`, [id]);
    await update(`"content" = 'Fixtures moved', "kind" = 'fact', "pinned" = true`);
    await update(`"recall_count" = "recall_count" + 1, "last_recalled_at" = now()`);
    const live = { kind: 'fact', action: 'Fixtures moved', pinned: true, relevance_count: 1, live: true };
    expect(await row()).toEqual([{ ...live, end_reason: null, ended_by_run_id: null, restored_from_run_id: null }]);
    await update(`"ended_at" = now(), "end_reason" = 'pruned', "ended_by_run_id" = '${RUN}'`);
    expect(await row()).toMatchObject([{ live: false, end_reason: 'pruned', ended_by_run_id: RUN }]);
    await update(`"ended_at" = NULL, "end_reason" = NULL, "superseded_by_id" = NULL`);
    expect(await row()).toMatchObject([{ live: true, ended_by_run_id: null, restored_from_run_id: RUN }]);
    await rowsOf('DELETE FROM "session_entry" WHERE "id" = $1', [id]);
    expect(await row()).toEqual([]);
  });

  it.each(['org', 'agent', 'role', 'department'])(
    'refuses an entry of a session memory in the scope %s',
    async (scope) => {
      const [entry] = await rowsOf(`SELECT "id" FROM "memory" WHERE "kind" = 'fact' AND "superseded_at" IS NULL`);
      await expect(
        rowsOf(`UPDATE "memory" SET "scope" = '${scope}' WHERE "id" = $1`, Object.values(entry ?? {})),
      ).rejects.toThrow(REFUSED_IN[scope]);
      await expect(rowsOf(`UPDATE "memory" SET "kind" = 'fact' WHERE "id" = $1`, [stored[0]?.id])).rejects.toThrow(
        'memory_entries_stay_in_their_project',
      );
    },
  );
});

if (testDatabaseUrl() !== undefined)
  describe('a transaction that runs beside another one', () => {
    /** Resolves when a statement of this process waits for what the client has locked. */
    async function waitedFor(pool: ScratchPool['pool'], client: pg.PoolClient): Promise<void> {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS "pid"');
      const isWaitedFor = async () =>
        (
          await pool.query<{ waits: boolean }>(
            'SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))) AS "waits"',
            [rows[0]?.pid],
          )
        ).rows[0]?.waits === true;
      while (!(await isWaitedFor())) await setImmediate();
    }

    it('is waited for by the migration, which keeps what it wrote; a writer that waits goes on with the view', async () => {
      const earlier = await openBefore();
      const [running, waiting] = [await earlier.pool.connect(), await earlier.pool.connect()];
      const insert = `INSERT INTO "session_entry" ("id", "agent_id", "session_id", "kind", "content", "pinned", "written_by",
        "content_sha256", "created_at", "updated_at") VALUES ($1, $2, 's', 'fact', $3, false, 'agent', $3, now(), now())`;
      const [erased, added, late] = [randomUUID(), randomUUID(), randomUUID()];
      try {
        await earlier.pool.query(insert, [erased, AGENT, 'a secret']);
        await running.query('BEGIN');
        await running.query(
          `UPDATE "session_entry" SET "content" = '', "ended_at" = now(), "end_reason" = 'deleted' WHERE "id" = $1`,
          [erased],
        );
        await running.query(insert, [added, AGENT, 'added']);
        const migrated = migrateDeploy(earlier.pool, MIGRATIONS);
        await waitedFor(earlier.pool, running);
        const written = waiting.query(insert, [late, AGENT, 'late']);
        await running.query('COMMIT');
        await Promise.all([migrated, written]);
        const { rows } = await earlier.pool.query(
          `SELECT "id", "action", "superseded_at" IS NULL AS "live" FROM "memory" WHERE "scope" = 'project'`,
        );
        expect(rows).toHaveLength(3);
        expect(rows).toEqual(
          expect.arrayContaining([
            { id: erased, action: '', live: false },
            { id: added, action: 'added', live: true },
            { id: late, action: 'late', live: true },
          ]),
        );
      } finally {
        running.release(true);
        waiting.release(true);
        await earlier.close();
      }
    });

    it.each([
      ['erased', `"action" = '', "superseded_at" = now(), "end_reason" = 'deleted'`, false],
      ['edited', `"action" = 'new', "content_sha256" = 'new', "updated_at" = now()`, false],
      ['counted', `"relevance_count" = "relevance_count" + 1, "last_retrieved_at" = now()`, true],
    ])('is not overwritten by one of the version before where it %s the entry', async (_, change, isWritten) => {
      const [saved] = await save({ session_id: `session~${randomUUID()}`, recall_count: 3 });
      const id = Object.values(saved ?? {})[0];
      const running = await scratch.pool.connect();
      try {
        await running.query('BEGIN');
        await running.query(`UPDATE "memory" SET ${change} WHERE "id" = $1`, [id]);
        const counted = scratch.pool.query(
          `UPDATE "session_entry" SET "recall_count" = "recall_count" + 1 WHERE "id" = $1 AND "ended_at" IS NULL`,
          [id],
        );
        await waitedFor(scratch.pool, running);
        const { rows } = await running.query<object>(
          `SELECT "action", "superseded_at", "updated_at", "end_reason",
          "last_retrieved_at", "relevance_count" + ${isWritten ? 1 : 0} AS "relevance_count" FROM "memory" WHERE "id" = $1`,
          [id],
        );
        await running.query('COMMIT');
        expect((await counted).rowCount).toBe(isWritten ? 1 : 0);
        expect(
          await rowsOf(
            `SELECT "action", "superseded_at", "updated_at", "end_reason", "last_retrieved_at", "relevance_count"
            FROM "memory" WHERE "id" = $1`,
            [id],
          ),
        ).toEqual(rows);
      } finally {
        running.release(true);
      }
    });
  });
