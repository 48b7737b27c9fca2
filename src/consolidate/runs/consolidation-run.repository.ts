import { Injectable } from '@nestjs/common';
import { idRange } from '../../platform/base/id-prefix.js';
import { readRow, readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';
import {
  ConsolidationPhase,
  type ConsolidationQuery,
  ConsolidationReport,
  type ConsolidationRun,
} from './consolidation-run.schema.js';

export interface StoredRun extends Omit<ConsolidationRun, 'startedAt' | 'finishedAt' | 'undoUntil' | 'undoneAt'> {
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly undoneAt: Date | null;
}

export type NewRun = Pick<StoredRun, 'id' | 'agentId' | 'project' | 'trigger' | 'dryRun' | 'sessions' | 'startedAt'>;

/** An agent with live lessons or entries. */
export interface MemoryHolder {
  readonly id: string;
  readonly name: string;
}

interface StoredPause {
  readonly id: string;
  readonly agentId: string | null;
  readonly agent: string | null;
  readonly createdAt: Date;
}

type Row = Awaited<ReturnType<Tx['consolidationRun']['findUniqueOrThrow']>>;

const toRun = (row: Row): Omit<StoredRun, 'agent'> => ({
  id: row.id,
  agentId: row.agentId,
  project: row.project,
  dryRun: row.dryRun,
  sessions: row.sessions,
  trigger: row.trigger === 'schedule' ? 'schedule' : 'request',
  state: row.state === 'completed' || row.state === 'failed' ? row.state : 'running',
  phase: row.phase === null ? null : ConsolidationPhase.parse(row.phase),
  startedAt: row.startedAt,
  finishedAt: row.finishedAt,
  failure: row.failure,
  undoneAt: row.undoneAt,
  report: row.report === null ? null : ConsolidationReport.parse(row.report),
});

@Injectable()
export class ConsolidationRunRepository {
  /** Agents with live lessons or entries of a session memory, by id. */
  holders(tx: Tx): Promise<MemoryHolder[]> {
    return tx.$queryRaw<MemoryHolder[]>`
      SELECT p."id"::text AS "id", p."name" FROM "principal" p
       WHERE p."kind" = 'agent' AND EXISTS (SELECT 1 FROM "memory" m WHERE m."agent_id" = p."id"
         AND m."scope" IN ('agent', 'project') AND m."superseded_at" IS NULL)
       ORDER BY p."id"`;
  }

  async agent(tx: Tx, id: string): Promise<MemoryHolder | undefined> {
    const found = await tx.principal.findUnique({ where: { id }, select: { id: true, name: true, kind: true } });
    return found?.kind === 'agent' ? { id: found.id, name: found.name } : undefined;
  }

  /** When the last run of the agent began that completed and changed its memory, or could have. */
  async lastCompleted(tx: Tx, agentId: string): Promise<Date | undefined> {
    const last = await tx.consolidationRun.findFirst({
      where: { agentId, project: null, state: 'completed', dryRun: false },
      orderBy: { startedAt: 'desc' },
      select: { startedAt: true },
    });
    return last?.startedAt;
  }

  /**
   * The sessions of an agent that were reported since, and those that its session memory knows; an execution without a
   * session counts as one.
   */
  async sessionsSince(tx: Tx, agentId: string, since: Date | undefined): Promise<number> {
    const [row] = await tx.$queryRaw<{ n: number }[]>`
      SELECT count(*)::int AS "n" FROM (
        SELECT coalesce("session_id", "id"::text) FROM "execution"
         WHERE "agent_id" = ${agentId}::uuid AND "received_at" > ${since ?? new Date(0)}
        UNION SELECT "session_id" FROM "agent_session"
         WHERE "agent_id" = ${agentId}::uuid AND "started_at" > ${since ?? new Date(0)}) s`;
    return row?.n ?? 0;
  }

  async start(tx: Tx, run: NewRun): Promise<void> {
    await tx.consolidationRun.createMany({ data: [{ ...run, state: 'running', phase: 'orient' }] });
  }

  async setPhase(tx: Tx, id: string, phase: ConsolidationPhase): Promise<void> {
    await tx.consolidationRun.updateMany({ where: { id }, data: { phase } });
  }

  async complete(tx: Tx, id: string, report: ConsolidationReport, finishedAt: Date): Promise<void> {
    await tx.consolidationRun.updateMany({
      where: { id, state: 'running' },
      data: { state: 'completed', report: { ...report }, finishedAt },
    });
  }

  /** A run, or those of an agent whose process ended; the caller holds its lease. Returns false if none is in progress. */
  async fail(
    tx: Tx,
    which: { readonly id: string } | { readonly agentId: string },
    failure: string,
    finishedAt: Date,
  ): Promise<boolean> {
    const { count } = await tx.consolidationRun.updateMany({
      where: { ...which, state: 'running' },
      data: { state: 'failed', failure, finishedAt },
    });
    return count > 0;
  }

  /** Compare-and-set: returns false if it was undone before. */
  async setUndone(tx: Tx, id: string, undoneAt: Date): Promise<boolean> {
    const { count } = await tx.consolidationRun.updateMany({ where: { id, undoneAt: null }, data: { undoneAt } });
    return count === 1;
  }

  async find(tx: Tx, id: string): Promise<StoredRun | undefined> {
    const row = await tx.consolidationRun.findUnique({ where: { id } });
    const run = readRow('consolidation_run', row, toRun);
    return run && (await this.named(tx, [run]))[0];
  }

  /** The latest runs, newest first. */
  async list(tx: Tx, { id, agent, limit }: ConsolidationQuery): Promise<StoredRun[]> {
    const rows = await tx.consolidationRun.findMany({
      where: { ...(id ? { id: idRange(id) } : {}), ...(agent ? { agentId: agent } : {}) },
      orderBy: [{ startedAt: 'desc' }, { id: 'desc' }],
      take: limit,
    });
    return this.named(tx, readRows('consolidation_run', rows, toRun));
  }

  async pauses(tx: Tx): Promise<StoredPause[]> {
    return tx.$queryRaw<StoredPause[]>`
      SELECT c."id"::text AS "id", c."agent_id"::text AS "agentId", p."name" AS "agent", c."created_at" AS "createdAt"
        FROM "consolidation_pause" c LEFT JOIN "principal" p ON p."id" = c."agent_id" ORDER BY c."created_at", c."id"`;
  }

  /** Returns false if the same is paused already. */
  async insertPause(tx: Tx, pause: Omit<StoredPause, 'agent'>): Promise<boolean> {
    const inserted = await tx.$executeRaw`
      INSERT INTO "consolidation_pause" ("id", "agent_id", "created_at")
        VALUES (${pause.id}::uuid, ${pause.agentId}::uuid, ${pause.createdAt}) ON CONFLICT DO NOTHING`;
    return inserted === 1;
  }

  /** Returns the pause that ended; undefined if there is none. */
  async deletePause(tx: Tx, id: string): Promise<{ agentId: string | null } | undefined> {
    const [row] = await tx.$queryRaw<{ agentId: string | null }[]>`
      DELETE FROM "consolidation_pause" WHERE "id" = ${id}::uuid RETURNING "agent_id"::text AS "agentId"`;
    return row;
  }

  private async named(tx: Tx, runs: readonly Omit<StoredRun, 'agent'>[]): Promise<StoredRun[]> {
    const ids = [...new Set(runs.flatMap(({ agentId }) => agentId ?? []))];
    const agents = await tx.principal.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
    const names = new Map(agents.map(({ id, name }) => [id, name]));
    return runs.map((run) => ({ ...run, agent: run.agentId === null ? null : (names.get(run.agentId) ?? null) }));
  }
}
