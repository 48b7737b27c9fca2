import type { Tx } from '../database/database.js';
import { Prisma } from '../generated/prisma/client.js';
import { roundRobin } from './round-robin.js';

/** A queue of rows that several agents fill. Needs an index on the agent and the age of the rows that are due. */
export interface SharedQueue {
  readonly table: Prisma.Sql;
  readonly due: Prisma.Sql;
  /** The column that orders the rows of an agent. */
  readonly age: Prisma.Sql;
}

export interface QueuedRow {
  readonly id: string;
  readonly agentId: string;
}

/** Before every agent: the id of which no random one is smaller. */
export const FIRST_TURN = '00000000-0000-0000-0000-000000000000';

/**
 * Up to `limit` rows of the queue, one of each agent in turn, from the agent after `last` on: an agent with a long queue
 * delays the next one by one row. The rows of an agent are in order of their age.
 */
export async function nextInTurn(tx: Tx, queue: SharedQueue, last: string, limit: number): Promise<QueuedRow[]> {
  const rows = await rowsAfter(tx, queue, last, limit);
  const agents = new Set(rows.map(({ agentId }) => agentId));
  if (agents.size < limit && last !== FIRST_TURN)
    rows.push(...(await rowsAfter(tx, queue, FIRST_TURN, limit)).filter(({ agentId }) => !agents.has(agentId)));
  return roundRobin(rows, ({ agentId }) => agentId).slice(0, limit);
}

/** Jumps from agent to agent in the index, so that the length of a queue costs nothing. */
function rowsAfter(tx: Tx, { table, due, age }: SharedQueue, last: string, limit: number): Promise<QueuedRow[]> {
  return tx.$queryRaw`
    WITH RECURSIVE turn AS (
      SELECT 0 AS "n", ${last}::uuid AS "agent"
      UNION ALL
      SELECT "n" + 1, (SELECT "agent_id" FROM ${table} WHERE ${due} AND "agent_id" > "agent" ORDER BY "agent_id" LIMIT 1)
      FROM turn WHERE "n" < ${limit} AND "agent" IS NOT NULL)
    SELECT q."id"::text AS "id", q."agent_id"::text AS "agentId" FROM turn
      CROSS JOIN LATERAL (SELECT "id", "agent_id", ${age} AS "age" FROM ${table}
        WHERE ${due} AND "agent_id" = "agent" ORDER BY ${age}, "id" LIMIT ${limit}) q
    WHERE "n" > 0 ORDER BY "n", q."age", q."id"`;
}
