import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { WrittenProposals } from './writer-records.js';

/** Counts proposals by who wrote them. */
@Injectable()
export class WriterRecordRepository {
  /** Of the proposals since `from`; without requests to retire, and rejected ones that were submitted again. */
  since(tx: Tx, from: Date): Promise<WrittenProposals[]> {
    return tx.$queryRaw`
      SELECT CASE WHEN i."edit" IS NOT NULL OR i."kind" = 'amend' THEN 'external'
          ELSE COALESCE(i."evidence" #>> '{writer,by}', 'rules') END AS "writer",
        i."state"::text AS "state",
        (i."editor_id" IS NOT NULL OR cardinality(i."earlier_editor_ids") > 0) AS "edited",
        CASE WHEN i."state" = 'rejected' THEN COALESCE(left(d."reason", 60), '') ELSE '' END AS "reason",
        count(DISTINCT i."id")::int AS "n"
      FROM "proposal" i
      LEFT JOIN "proposal_decision" d ON d."proposal_id" = i."id" AND d."verdict" = 'rejected'
      WHERE i."created_at" >= ${from} AND i."kind" <> 'retire'
        AND NOT (i."state" = 'rejected' AND EXISTS (SELECT FROM "proposal" r WHERE r."reopened_from_id" = i."id"))
      GROUP BY 1, 2, 3, 4`;
  }
}
