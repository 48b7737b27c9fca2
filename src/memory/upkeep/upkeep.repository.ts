import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { RetentionCandidate } from '../lessons/retention-candidate.js';
import type { AgentMembership } from './propagation.strategy.js';

/** Private lessons as the upkeep reads and ends them, and its runs. */
@Injectable()
export class UpkeepRepository {
  /** The agents that may receive copies, by id. */
  async agents(tx: Tx): Promise<(AgentMembership & { readonly name: string })[]> {
    return tx.principal.findMany({
      where: { kind: 'agent', disabledAt: null },
      select: { id: true, name: true, role: true, department: true },
      orderBy: { id: 'asc' },
    });
  }

  async membership(tx: Tx, agentId: string): Promise<AgentMembership | null> {
    return tx.principal.findUnique({ where: { id: agentId }, select: { id: true, role: true, department: true } });
  }

  /** Agents with live lessons, disabled ones included. */
  async holders(tx: Tx): Promise<{ id: string; name: string }[]> {
    return tx.$queryRaw<{ id: string; name: string }[]>`
      SELECT p."id"::text AS "id", p."name" FROM "principal" p
      WHERE EXISTS (SELECT 1 FROM "memory" m WHERE m."agent_id" = p."id" AND m."scope" = 'agent' AND m."superseded_at" IS NULL)
      ORDER BY 1`;
  }

  /** The number of live lessons by agent id. */
  async storeSizes(tx: Tx): Promise<Map<string, number>> {
    const rows = await tx.memory.groupBy({
      by: ['agentId'],
      where: { scope: 'agent', supersededAt: null },
      _count: true,
    });
    return new Map(rows.flatMap(({ agentId, _count }) => (agentId === null ? [] : [[agentId, _count] as const])));
  }

  /** When a lesson of an agent was last copied to another, by the agent's id. */
  async lastCopied(tx: Tx): Promise<Map<string, Date>> {
    const rows = await tx.$queryRaw<{ agentId: string; at: Date }[]>`
      SELECT s."agent_id"::text AS "agentId", max(c."created_at") AS "at"
        FROM "memory" c JOIN "memory" s ON s."id" = c."propagated_from_id"
       WHERE c."scope" = 'agent' AND s."agent_id" IS NOT NULL GROUP BY 1`;
    return new Map(rows.map(({ agentId, at }) => [agentId, at]));
  }

  async lessonsOf(tx: Tx, agentId: string): Promise<RetentionCandidate[]> {
    const rows = await tx.memory.findMany({
      where: { scope: 'agent', agentId, supersededAt: null },
      select: {
        id: true,
        pinnedAt: true,
        createdAt: true,
        relevanceCount: true,
        lastRetrievedAt: true,
        propagatedFromId: true,
      },
    });
    return rows.map(({ pinnedAt, propagatedFromId, ...row }) => ({
      ...row,
      scope: 'agent',
      pinned: pinnedAt !== null,
      isCopy: propagatedFromId !== null,
    }));
  }

  /**
   * Restores what a run ended, pinned, so that the next run does not end it again. A lesson stays ended if it was
   * replaced meanwhile: a copy whose source has ended, or a lesson whose session has a newer live one.
   */
  async restore(tx: Tx, run: string, at: Date): Promise<number> {
    const restored = (copies: boolean) => tx.$executeRaw`
      UPDATE "memory" m SET "superseded_at" = NULL, "end_reason" = NULL, "ended_by_run_id" = NULL, "pinned_at" = ${at}
      WHERE m."ended_by_run_id" = ${run}::uuid AND (m."propagated_from_id" IS NOT NULL) = ${copies}
        AND (m."propagated_from_id" IS NULL OR NOT EXISTS (
          SELECT 1 FROM "memory" s WHERE s."id" = m."propagated_from_id" AND s."superseded_at" IS NOT NULL
            AND s."ended_by_run_id" IS NULL))
        AND (m."session_id" IS NULL OR NOT EXISTS (
          SELECT 1 FROM "memory" l WHERE l."agent_id" = m."agent_id" AND l."session_id" = m."session_id"
            AND l."scope" = 'agent' AND l."superseded_at" IS NULL))`;
    return (await restored(false)) + (await restored(true));
  }
}
