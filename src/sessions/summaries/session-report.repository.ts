import { Injectable } from '@nestjs/common';
import { ExecutionReport } from '../../capture/report/execution-report.schema.js';
import { readRows } from '../../platform/database/damaged-rows.js';
import type { Tx } from '../../platform/database/database.js';

/** Executions of one session that a summary reads, the newest. */
const MOST_OF_SESSION = 10;

/** A report that arrived, of a session of an agent. */
export interface ArrivedReport {
  readonly id: string;
  readonly agentId: string;
  readonly session: string;
  readonly receivedAt: Date;
}

/** After which report a page starts. */
export type ReportCursor = Pick<ArrivedReport, 'id' | 'receivedAt'>;

export interface SessionReport {
  readonly id: string;
  readonly receivedAt: Date;
  /** Redacted, as it is stored. */
  readonly report: ExecutionReport;
}

/** A summary by rules that a model may replace. */
export interface SummaryQuestion {
  readonly agentId: string;
  readonly session: string;
  readonly contentSha256: string;
  /** Names the question in the ledger of calls. */
  readonly pattern: string;
}

/** When the last report of a session arrived. */
export interface ReportedBetween {
  readonly since: Date;
  readonly until: Date;
}

/** Reads the executions that sessions reported. Sub-agents have no session of their own. */
@Injectable()
export class SessionReportRepository {
  /** The reports after the cursor, oldest first. */
  arrivedAfter(tx: Tx, after: ReportCursor, limit: number): Promise<ArrivedReport[]> {
    return tx.$queryRaw<ArrivedReport[]>`
      SELECT e."id"::text AS "id", e."agent_id"::text AS "agentId", e."session_id" AS "session",
        e."received_at" AS "receivedAt"
      FROM "execution" e
      WHERE (e."received_at", e."id") > (${after.receivedAt}, ${after.id}::uuid)
        AND e."session_id" IS NOT NULL AND e."parent_execution_id" IS NULL
      ORDER BY e."received_at", e."id" LIMIT ${limit}`;
  }

  /** The executions of a session, the last one to finish first. */
  async ofSession(tx: Tx, agentId: string, session: string): Promise<SessionReport[]> {
    const rows = await tx.$queryRaw<{ id: string; receivedAt: Date; report: unknown }[]>`
      SELECT e."id"::text AS "id", e."received_at" AS "receivedAt", e."report"
      FROM "execution" e
      WHERE e."agent_id" = ${agentId}::uuid AND e."session_id" = ${session} AND e."parent_execution_id" IS NULL
      ORDER BY e."finished_at" DESC, e."received_at" DESC, e."id" DESC LIMIT ${MOST_OF_SESSION}`;
    return readRows('execution', rows, ({ report, ...row }) => ({ ...row, report: ExecutionReport.parse(report) }));
  }

  /**
   * The session that has been quiet for longest. A call that was answered, that is under way, or whose process died is
   * not made again; one that got no answer is.
   */
  async nextQuestion(tx: Tx, { since, until }: ReportedBetween): Promise<SummaryQuestion | undefined> {
    const [row] = await tx.$queryRaw<SummaryQuestion[]>`
      SELECT e."agent_id"::text AS "agentId", e."session_id" AS "session", e."content_sha256" AS "contentSha256",
        left(e."content_sha256", 16) AS "pattern"
      FROM "agent_session" s
      JOIN "memory" e ON e."agent_id" = s."agent_id" AND e."session_id" = s."session_id"
      WHERE s."reported_at" > ${since} AND s."reported_at" <= ${until} AND s."execution_id" IS NOT NULL
        AND e."kind" = 'session-summary' AND e."written_by" = 'rules' AND e."scope" = 'project' AND e."superseded_at" IS NULL
        AND NOT EXISTS (SELECT 1 FROM "proposer_call" c
          WHERE c."purpose" = 'summary' AND c."agent_id" = e."agent_id" AND c."pattern" = left(e."content_sha256", 16)
            AND c."outcome" IS DISTINCT FROM 'unavailable')
      ORDER BY s."reported_at", s."session_id" LIMIT 1`;
    return row;
  }
}
