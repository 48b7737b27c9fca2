import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { type Run, Runs } from '../platform/background/runs.js';
import { count } from '../platform/base/count.schema.js';
import type { Tx } from '../platform/database/database.js';
import { ConsolidationReport } from './consolidation-run.schema.js';

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

const Input = z.object({ project: z.string().nullable(), sessions: count });
/** The runs of all agents. */
export const RUNS = new Runs('consolidation', Input, ConsolidationReport);
export type StoredRun = Run<z.infer<typeof Input>, ConsolidationReport>;

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
    return (await RUNS.newest(tx, { agentId, state: 'completed', dryRun: false }))?.startedAt;
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

  /** The names of agents, by id. */
  async names(tx: Tx, ids: readonly (string | null)[]): Promise<Map<string, string>> {
    const known = [...new Set(ids)].filter((id) => id !== null);
    const agents = await tx.principal.findMany({ where: { id: { in: known } }, select: { id: true, name: true } });
    return new Map(agents.map(({ id, name }) => [id, name]));
  }
}
