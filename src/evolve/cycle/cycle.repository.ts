import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../platform/base/durations.js';
import { readRow, readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import { StoredFamily } from './candidates.schema.js';
import type { CycleDuty } from './cycle-due.js';
import { type Cycle, CycleReport } from './cycles.schema.js';

type Row = Omit<Awaited<ReturnType<Tx['evolverCycle']['findUniqueOrThrow']>>, 'families'>;

/** The families are large, and read only by themselves. */
const omit = { families: true } as const;

function toCycle(row: Row): Cycle {
  return {
    id: row.id,
    trigger: row.trigger === 'schedule' ? 'schedule' : 'request',
    dryRun: row.dryRun,
    state: row.state,
    startedAt: row.startedAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
    report: row.report === null ? null : CycleReport.parse(row.report),
    error: row.error,
  };
}

const KEEP_LISTS_MS = 30 * DAY_MS;
const WEEK_MS = 7 * DAY_MS;
/** What a report lists; `totals` keeps how many of each there were. */
const NO_LISTS = {
  proposals: [],
  unsolved: [],
  overcome: [],
  notProposed: [],
  onlySkipped: [],
  tooFew: [],
  candidateList: [],
} satisfies Partial<CycleReport>;

@Injectable()
export class CycleRepository {
  async start(tx: Tx, cycle: { id: string; trigger: string; dryRun: boolean; startedAt: Date }): Promise<void> {
    await tx.evolverCycle.create({ data: { ...cycle, state: 'running' } });
  }

  /** Stores the families of this cycle in the place of those of earlier ones. */
  async complete(
    tx: Tx,
    id: string,
    { report, families, at }: { report: CycleReport; families: readonly StoredFamily[]; at: Date },
  ): Promise<Cycle> {
    await tx.$executeRaw`UPDATE "evolver_cycle" SET "families" = NULL WHERE "families" IS NOT NULL`;
    await this.shortenOld(tx, at);
    return toCycle(
      await tx.evolverCycle.update({
        where: { id },
        data: { state: 'completed', report: { ...report }, families: [...families], finishedAt: at },
        omit,
      }),
    );
  }

  /** Cycles run by themselves after every report: of old ones that proposed nothing, only the counts are kept. */
  private async shortenOld(tx: Tx, now: Date): Promise<void> {
    const before = new Date(now.getTime() - KEEP_LISTS_MS);
    // Older ones were shortened before: each cycle reads those of a week, and not all that there ever were.
    const after = new Date(before.getTime() - WEEK_MS);
    const lists = JSON.stringify(NO_LISTS);
    await tx.$executeRaw`
      UPDATE "evolver_cycle" SET "report" = "report" || ${lists}::jsonb
      WHERE "trigger" = 'schedule' AND "state" = 'completed' AND "started_at" < ${before} AND "started_at" > ${after}
        AND "report" ->> 'emitted' = '0' AND "report" || ${lists}::jsonb <> "report"`;
  }

  async fail(tx: Tx, id: string, error: string, at: Date): Promise<void> {
    await tx.evolverCycle.update({ where: { id }, data: { state: 'failed', error, finishedAt: at } });
  }

  /** Fails every cycle that runs, except `id`. Returns their ids. */
  async failOthers(tx: Tx, id: string, error: string, at: Date): Promise<string[]> {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      UPDATE "evolver_cycle" SET "state" = 'failed', "error" = ${error}, "finished_at" = ${at}
      WHERE "state" = 'running' AND "id" <> ${id}::uuid RETURNING "id"`;
    return rows.map((row) => row.id);
  }

  async find(tx: Tx, id: string): Promise<Cycle | undefined> {
    const row = await tx.evolverCycle.findUnique({ where: { id }, omit });
    return readRow('evolver_cycle', row, toCycle);
  }

  /** The newest cycle with a report; undefined before the first one. */
  async findNewestCompleted(tx: Tx): Promise<Cycle | undefined> {
    const row = await tx.evolverCycle.findFirst({
      where: { state: 'completed' },
      orderBy: [{ startedAt: 'desc' }, { id: 'desc' }],
      omit,
    });
    return readRow('evolver_cycle', row, toCycle);
  }

  /** The families of a cycle; empty if a later cycle has replaced them. */
  async findFamilies(tx: Tx, id: string): Promise<StoredFamily[]> {
    const row = await tx.evolverCycle.findUnique({ where: { id }, select: { id: true, families: true } });
    return readRow('evolver_cycle', row, ({ families }) => StoredFamily.array().parse(families ?? [])) ?? [];
  }

  /** Whether a scheduled cycle runs. */
  async runsOnSchedule(tx: Tx): Promise<boolean> {
    return (await tx.evolverCycle.count({ where: { state: 'running', trigger: 'schedule' } })) > 0;
  }

  /** What decides whether a scheduled cycle starts. */
  async duty(tx: Tx): Promise<Omit<CycleDuty, 'isTimed'>> {
    const [row] = await tx.$queryRaw<
      (Omit<CycleDuty, 'last' | 'isTimed'> & { startedAt: Date | null; finishedAt: Date | null })[]
    >`
      SELECT EXISTS (
               SELECT 1 FROM "principal" WHERE "kind" = 'person' AND "is_reviewer" AND "disabled_at" IS NULL
             ) AS "hasReviewer",
             (SELECT max("received_at") FROM "execution") AS "newest",
             EXISTS (SELECT 1 FROM "execution" WHERE "capture_state" = 'pending')
               OR EXISTS (SELECT 1 FROM "analysis_payload" WHERE "state" = 'pending') AS "isReading",
             last."started_at" AS "startedAt", last."finished_at" AS "finishedAt"
      FROM (VALUES (1)) one LEFT JOIN LATERAL (
        SELECT "started_at", "finished_at" FROM "evolver_cycle" WHERE NOT "dry_run" ORDER BY "started_at" DESC LIMIT 1
      ) last ON true`;
    const {
      startedAt = null,
      finishedAt = null,
      ...duty
    } = row ?? { hasReviewer: false, newest: null, isReading: false };
    return { ...duty, last: startedAt === null ? null : { startedAt, finishedAt } };
  }

  count(tx: Tx): Promise<number> {
    return tx.evolverCycle.count();
  }

  /** Newest first, from the one after `after` on; nothing if there is no such cycle. `next` continues the list. */
  async page(
    tx: Tx,
    { limit, after }: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<{ readonly cycles: Cycle[]; readonly next: string | null }> {
    const rows = await tx.evolverCycle.findMany({
      orderBy: [{ startedAt: 'desc' }, { id: 'desc' }],
      take: limit + 1,
      omit,
      ...(after === undefined ? {} : { cursor: { id: after }, skip: 1 }),
    });
    const page = rows.slice(0, limit);
    return {
      cycles: readRows('evolver_cycle', page, toCycle),
      next: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
    };
  }
}
