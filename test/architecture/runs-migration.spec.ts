import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MIGRATIONS, migrateDeploy, migrationState } from '../../src/platform/database/migrate.js';
import { type ScratchPool, scratchPool } from '../support/scratch-pool.js';

/** The first migration that the version before did not have. */
const FIRST = '20261201020000_runs';
const AGENT = randomUUID();
const AT = '2026-03-01T08:00:00.000Z';
const LATER = '2026-03-01T08:05:00.000Z';
const COUNTS = { reports: 3, cited: 1, deliveries: 2, retrievals: 5 };

let scratch: ScratchPool;
const query = async (sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
  (await scratch.pool.query<Record<string, unknown>>(sql, values)).rows;
const insert = async (table: string, row: Readonly<Record<string, unknown>>): Promise<string> => {
  const all: Record<string, unknown> = { id: randomUUID(), trigger: 'schedule', started_at: AT, ...row };
  const names = Object.keys(all);
  await query(
    `INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join(', ')})
      VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
    Object.values(all),
  );
  return String(all['id']);
};
/** Each as the version before writes it. */
const upkeep = (row: object = {}) => insert('upkeep_run', { dry_run: false, ...row });
const consolidation = (row: object = {}) =>
  insert('consolidation_run', { agent_id: AGENT, dry_run: false, state: 'running', sessions: 4, ...row });
const retention = (row: object = {}) => insert('retention_run', { state: 'running', reports_before: AT, ...row });
const one = async (table: string, id: string) => (await query(`SELECT * FROM "${table}" WHERE "id" = $1`, [id]))[0];
const isAt = (iso: unknown): number => new Date(String(iso)).getTime();

const stored: Record<string, string> = {};

beforeAll(async () => {
  scratch = await scratchPool();
  const { missing } = await migrationState(scratch.pool, MIGRATIONS);
  const earlier = missing.map(({ name }) => name).filter((name) => name < FIRST);
  await migrateDeploy(scratch.pool, MIGRATIONS, new Set(earlier));
  stored['upkeep'] = await upkeep({ finished_at: LATER, report: { lessons: 7 }, undone_at: LATER });
  stored['died'] = await upkeep();
  const failed = { state: 'failed', failure: 'no space left', finished_at: LATER, phase: 'gather' };
  stored['failed'] = await consolidation(failed);
  stored['retention'] = await retention({ state: 'interrupted', finished_at: LATER, ...COUNTS });
  await migrateDeploy(scratch.pool, MIGRATIONS);
});
afterAll(() => scratch?.close());

describe('the runs of the version before', () => {
  it('are runs of the present one, with all that they held', async () => {
    expect(await query('SELECT count(*)::int AS "n" FROM "run"')).toEqual([{ n: 4 }]);
    const [at, later] = [new Date(AT), new Date(LATER)];
    const run = { trigger: 'schedule', dry_run: false, agent_id: null, input: {}, phase: null, failure: null };
    expect(await one('run', stored['upkeep'] ?? '')).toEqual({
      ...run,
      id: stored['upkeep'],
      kind: 'upkeep',
      state: 'completed',
      report: { lessons: 7 },
      started_at: at,
      finished_at: later,
      undone_at: later,
    });
    expect(await one('run', stored['died'] ?? '')).toMatchObject({ state: 'running', report: null, finished_at: null });
    expect(await one('run', stored['failed'] ?? '')).toMatchObject({
      kind: 'consolidation',
      agent_id: AGENT,
      input: { project: null, sessions: 4 },
      phase: 'gather',
      state: 'failed',
      failure: 'no space left',
      report: null,
      finished_at: later,
    });
    const removal = await one('run', stored['retention'] ?? '');
    expect(removal).toMatchObject({ kind: 'retention', state: 'failed', report: COUNTS, finished_at: later });
    expect(removal?.['input']).toEqual({ reportsBefore: expect.any(String), deliveriesBefore: null });
    expect(isAt(Object(removal?.['input']).reportsBefore)).toBe(isAt(AT));
  });
});

describe('while both versions run', () => {
  it('a run of the one before is one of the present one, from its start to its undoing', async () => {
    const id = await consolidation();
    expect(await one('run', id)).toMatchObject({ kind: 'consolidation', state: 'running', phase: null });
    await query(`UPDATE "consolidation_run" SET "phase" = 'prune' WHERE "id" = $1`, [id]);
    expect(await one('run', id)).toMatchObject({ phase: 'prune', report: null });
    await query(
      `UPDATE "consolidation_run" SET "state" = 'completed', "finished_at" = $2, "report" = '{"skipped": 1}' WHERE "id" = $1`,
      [id, LATER],
    );
    await query(`UPDATE "consolidation_run" SET "undone_at" = $2 WHERE "id" = $1`, [id, LATER]);
    expect(await one('run', id)).toMatchObject({
      state: 'completed',
      report: { skipped: 1 },
      undone_at: new Date(LATER),
    });
    const removal = await retention();
    await query(`UPDATE "retention_run" SET "reports" = "reports" + 200 WHERE "id" = $1`, [removal]);
    expect(await one('run', removal)).toMatchObject({ report: { reports: 200, cited: 0 } });
  });

  it.each([
    ['upkeep', 'upkeep_run', {}, { skipped: 1 }, { report: { skipped: 1 } }],
    [
      ...(['consolidation', 'consolidation_run', { project: null, sessions: 9 }, { skipped: 1 }] as const),
      { state: 'failed', sessions: 9, report: { skipped: 1 } },
    ],
    [
      ...(['retention', 'retention_run', { reportsBefore: AT, deliveriesBefore: null }, COUNTS] as const),
      { state: 'interrupted', reports_before: new Date(AT), deliveries_before: null, ...COUNTS },
    ],
  ] as const)('a run of the present one is one of the one before: %s', async (kind, table, input, report, row) => {
    const base = { kind, agent_id: AGENT, dry_run: false, input, state: 'running', report };
    const id = await insert('run', base);
    expect(await one(table, id)).toMatchObject({ trigger: 'schedule', started_at: new Date(AT), finished_at: null });
    await query(`UPDATE "run" SET "state" = 'failed', "failure" = 'it died', "finished_at" = $2 WHERE "id" = $1`, [
      ...[id, LATER],
    ]);
    expect(await one(table, id)).toMatchObject({ ...row, finished_at: new Date(LATER) });
    expect(await query(`SELECT count(*)::int AS "n" FROM "run" WHERE "id" = $1`, [id])).toEqual([{ n: 1 }]);
  });
});
