import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { DeliveredPair } from './delivered-pairs.js';

/** Pairs that are read, newest first: more make a training slower and hardly better. */
const MOST = 20_000;

@Injectable()
export class PairsRepository {
  /**
   * No table holds the text of a query. The nearest to it is the redacted title and description of the task that the agent
   * reported from the session. Only org memory counts, which every reader may see, and only a verified success.
   */
  async delivered(tx: Tx): Promise<DeliveredPair[]> {
    return tx.$queryRaw<DeliveredPair[]>`
      SELECT m."id"::text AS "memoryId", e."agent_id"::text AS "agentId",
             e."report"->>'taskTitle' AS "title", e."report"->>'taskDescription' AS "description"
        FROM "memory_retrieval" r
        JOIN "memory" m ON m."id" = r."memory_id" AND m."scope" = 'org' AND m."superseded_at" IS NULL
        JOIN "execution" e ON e."agent_id" = r."agent_id" AND e."session_id" = r."session_id"
       WHERE e."status" = 'completed' AND e."report"->'verification'->>'outcome' = 'succeeded'
         AND e."finished_at" >= r."at"
       ORDER BY e."finished_at" DESC, e."id", m."id" LIMIT ${MOST}`;
  }
}
