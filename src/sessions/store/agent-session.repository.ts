import { Injectable } from '@nestjs/common';
import { optional } from '../../platform/base/optional.js';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import type { Sanitized } from '../../untrusted/redaction/redact-deep.js';

/** A session of an agent. Times are those of the session, bounded by the server's clock. */
export interface AgentSessionRow {
  readonly agentId: string;
  readonly session: string;
  readonly project: string | null;
  readonly about: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly executionId: string | null;
}

export interface SessionEnd {
  readonly endedAt: Date;
  readonly turns: number | null;
  readonly costUsd: number | null;
}

/** What the reports of a session say. */
export interface SessionReported {
  readonly reportedAt: Date;
  readonly about: Sanitized<string>;
}

/** Sessions that have entries, none of them after `quietSince`, and no summary. */
export const UNSUMMARISED_SESSIONS = (quietSince: Date): Prisma.Sql => Prisma.sql`
  SELECT count(*)::int AS "length", min(n."last") AS "oldest" FROM (
    SELECT max(e."updated_at") AS "last" FROM "agent_session" s
      JOIN "memory" e ON e."scope" = 'project' AND e."agent_id" = s."agent_id" AND e."session_id" = s."session_id"
     WHERE s."summary_state" = 'open' AND e."superseded_at" IS NULL GROUP BY s."agent_id", s."session_id") n
   WHERE n."last" <= ${quietSince}`;

@Injectable()
export class AgentSessionRepository {
  /** Creates the session. A known one keeps its start; it gets the project if it has none. */
  async ensure(
    tx: Tx,
    { agentId, session, project, startedAt }: Pick<AgentSessionRow, 'agentId' | 'session' | 'project' | 'startedAt'>,
  ): Promise<void> {
    await tx.$executeRaw`
      INSERT INTO "agent_session" ("agent_id", "session_id", "project", "started_at")
      VALUES (${agentId}::uuid, ${session}, ${project}, ${startedAt})
      ON CONFLICT ("agent_id", "session_id")
        DO UPDATE SET "project" = coalesce("agent_session"."project", EXCLUDED."project")
        WHERE "agent_session"."project" IS NULL AND EXCLUDED."project" IS NOT NULL`;
  }

  async find(tx: Tx, agentId: string, session: string) {
    const row = await tx.agentSession.findUnique({ where: { agentId_sessionId: { agentId, sessionId: session } } });
    return row ?? undefined;
  }

  /** Ends a session. Its summary is none of a report, until `markSummarised` says so. */
  async markEnded(tx: Tx, agentId: string, session: string, { endedAt, turns, costUsd }: SessionEnd): Promise<void> {
    await tx.agentSession.updateMany({
      where: { agentId, sessionId: session },
      data: {
        endedAt,
        executionId: null,
        ...(turns === null ? {} : { turns }),
        ...(costUsd === null ? {} : { costUsd }),
      },
    });
  }

  /** `executionId`: the execution that the summary was written from. */
  async markSummarised(tx: Tx, agentId: string, session: string, executionId?: string): Promise<void> {
    await tx.agentSession.updateMany({
      where: { agentId, sessionId: session },
      data: { summaryState: 'written', ...optional('executionId', executionId) },
    });
  }

  async markReported(tx: Tx, agentId: string, session: string, reported: SessionReported): Promise<void> {
    await tx.agentSession.updateMany({ where: { agentId, sessionId: session }, data: { ...reported } });
  }

  async markOpen(tx: Tx, agentId: string, session: string): Promise<void> {
    await tx.agentSession.updateMany({
      where: { agentId, sessionId: session, summaryState: 'written' },
      data: { summaryState: 'open' },
    });
  }

  /** Sessions of one agent without a summary, oldest first. `quietSince`: those without a new entry since then. */
  async open(tx: Tx, agentId: string | null, quietSince: Date | null, limit: number): Promise<AgentSessionRow[]> {
    return tx.$queryRaw<AgentSessionRow[]>`
      SELECT s."agent_id"::text AS "agentId", s."session_id" AS "session", s."project", s."about",
        s."started_at" AS "startedAt", s."ended_at" AS "endedAt",
        s."execution_id"::text AS "executionId"
      FROM "agent_session" s
      WHERE s."summary_state" = 'open' AND (${agentId}::uuid IS NULL OR s."agent_id" = ${agentId}::uuid)
        AND EXISTS (SELECT 1 FROM "memory" e
          WHERE e."scope" = 'project' AND e."agent_id" = s."agent_id" AND e."session_id" = s."session_id" AND e."superseded_at" IS NULL)
        AND (${quietSince}::timestamptz IS NULL OR NOT EXISTS (SELECT 1 FROM "memory" e
          WHERE e."scope" = 'project' AND e."agent_id" = s."agent_id" AND e."session_id" = s."session_id" AND e."updated_at" > ${quietSince}::timestamptz))
      ORDER BY s."started_at", s."session_id" LIMIT ${limit}`;
  }

  /** What sessions of these agents were about, by agent and session. */
  async about(tx: Tx, sessions: readonly string[]): Promise<Map<string, string>> {
    const rows = await tx.agentSession.findMany({
      where: { sessionId: { in: [...sessions] }, about: { not: null } },
      select: { agentId: true, sessionId: true, about: true },
    });
    return new Map(rows.map(({ agentId, sessionId, about }) => [`${agentId} ${sessionId}`, about ?? '']));
  }
}
