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
}
