import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';

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

/** Reads which summaries by rules no model was asked about. */
@Injectable()
export class SummaryQuestionRepository {
  /**
   * The session that has been quiet for longest. A call that was answered, that is under way, or whose process died is
   * not made again; one that got no answer is.
   */
  async next(tx: Tx, { since, until }: ReportedBetween): Promise<SummaryQuestion | undefined> {
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
