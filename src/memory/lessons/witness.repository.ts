import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { SqlClient } from '../../platform/database/sql-client.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { Provenance } from '../store/lesson.schema.js';
import type { FailureWitnesses, LessonKeys, SessionExecution, Witness } from './witness.js';

/** A live lesson of a session, and in how many executions of other sessions it was seen. */
export interface SessionLesson {
  readonly id: string;
  readonly elsewhere: number;
}

/** A live lesson with the same keys as a new one. */
export interface SameLesson {
  readonly id: string;
  readonly proposer: string;
  readonly awaitingProposer: boolean;
  readonly pinned: boolean;
  readonly provenance: Provenance;
}

@Injectable()
export class WitnessRepository {
  /** The oldest live lesson with these keys, `except` left out. */
  async findSame(
    tx: Tx,
    agentId: string,
    { failureKey, remedyKey }: LessonKeys,
    except?: string,
  ): Promise<SameLesson | undefined> {
    const isLive = { scope: 'agent' as const, agentId, supersededAt: null, propagatedFromId: null };
    const row = await tx.memory.findFirst({
      where: { ...isLive, failureKey, remedyKey, ...(except ? { id: { not: except } } : {}) },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      select: { id: true, proposer: true, awaitingProposer: true, pinnedAt: true, provenance: true },
    });
    return row ? { ...row, pinned: row.pinnedAt !== null } : undefined;
  }

  /** The live lessons that another execution of the session showed. */
  findOfSession(tx: Tx, { agentId, sessionId, executionId }: SessionExecution): Promise<SessionLesson[]> {
    return tx.$queryRaw`
      SELECT m."id"::text AS "id", ${elsewhere(sessionId)} FROM "memory" m
       WHERE m."scope" = 'agent' AND m."agent_id" = ${agentId}::uuid AND m."superseded_at" IS NULL
         AND EXISTS (SELECT 1 FROM "memory_witness" w
                      WHERE w."memory_id" = m."id" AND w."session_id" = ${sessionId}
                        AND w."execution_id" <> ${executionId}::uuid)
       ORDER BY m."id"`;
  }

  /** Those that say that nothing overcame a failure, if the session showed it only before this execution. */
  findUnresolvedBefore(tx: Tx, { agentId, sessionId, executionId }: SessionExecution): Promise<SessionLesson[]> {
    return tx.$queryRaw`
      SELECT m."id"::text AS "id", ${elsewhere(sessionId)} FROM "memory" m
       WHERE m."scope" = 'agent' AND m."agent_id" = ${agentId}::uuid AND m."superseded_at" IS NULL
         AND m."pinned_at" IS NULL AND m."failure_key" IS NOT NULL AND m."remedy_key" IS NULL
         AND (SELECT max(e."finished_at") FROM "memory_witness" w JOIN "execution" e ON e."id" = w."execution_id"
               WHERE w."memory_id" = m."id" AND w."session_id" = ${sessionId})
             < (SELECT "finished_at" FROM "execution" WHERE "id" = ${executionId}::uuid)
       ORDER BY m."id"`;
  }

  /** Adds the witness. False if the lesson has it. */
  async add(tx: Tx, memoryId: string, { executionId, sessionId }: Witness, at: Date): Promise<boolean> {
    const data = [{ memoryId, executionId, sessionId, at }];
    const { count } = await tx.memoryWitness.createMany({ data, skipDuplicates: true });
    await this.recount(tx, [memoryId]);
    return count === 1;
  }

  /** A later report of the session shows something else. */
  async removeSession(tx: Tx, memoryId: string, sessionId: string): Promise<void> {
    await tx.memoryWitness.deleteMany({ where: { memoryId, sessionId } });
    await this.recount(tx, [memoryId]);
  }

  /** Gives the witnesses of ended lessons to the one that replaces them, for a run or for good. */
  async move(tx: Tx, from: readonly string[], to: string, run: string | null = null): Promise<void> {
    if (from.length === 0) return;
    await tx.$executeRaw`
      INSERT INTO "memory_witness" ("memory_id", "execution_id", "session_id", "at", "added_by_run_id")
        SELECT ${to}::uuid, w."execution_id", max(w."session_id"), max(w."at"), ${run}::uuid FROM "memory_witness" w
         WHERE w."memory_id" = ANY (${[...from]}::uuid[]) GROUP BY w."execution_id"
        ON CONFLICT DO NOTHING`;
    await this.recount(tx, [to]);
  }

  /**
   * Counts the distinct agents that hold a live lesson of their own about one of these failures. A copy from another
   * agent is no witness.
   */
  async countAgents(
    client: SqlClient,
    failureKeys: readonly string[],
    remedyKeys: readonly string[],
  ): Promise<FailureWitnesses> {
    const [row] = await client.$queryRaw<FailureWitnesses[]>`
      SELECT count(DISTINCT "agent_id")::int AS "agents",
             count(DISTINCT "agent_id") FILTER (WHERE "remedy_key" = ANY (${[...remedyKeys]}::text[]))::int AS "withRemedy"
        FROM "memory"
       WHERE "failure_key" = ANY (${[...failureKeys]}::text[]) AND "scope" = 'agent' AND "superseded_at" IS NULL
         AND "propagated_from_id" IS NULL`;
    return row ?? { agents: 0, withRemedy: 0 };
  }

  async recount(tx: Tx, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await tx.$executeRaw`
      UPDATE "memory" m SET "witness_count" = greatest(1, w."n"), "last_witnessed_at" = w."last"
        FROM (SELECT i AS "id", count(x."execution_id")::int AS "n", max(x."at") AS "last"
                FROM unnest(${[...ids]}::uuid[]) i LEFT JOIN "memory_witness" x ON x."memory_id" = i GROUP BY i) w
       WHERE m."id" = w."id"`;
  }
}

const elsewhere = (sessionId: string) => Prisma.sql`
  (SELECT count(*)::int FROM "memory_witness" o
    WHERE o."memory_id" = m."id" AND o."session_id" IS DISTINCT FROM ${sessionId}) AS "elsewhere"`;
