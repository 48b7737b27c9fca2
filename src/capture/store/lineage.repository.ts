import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import { copiedCalls, type KeyedExecution } from '../report/call-lineage.js';
import { ONE_SESSION_PRODUCTS } from '../report/session-twin.js';

const formatOf = (row: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`regexp_replace(split_part(${row}."execution_id", ':', 1), '-(hooks|stream|otel)$', '')`;
const [L, E] = [Prisma.sql`l`, Prisma.sql`e`];

/** `l` and `e` are of one agent, or of one product of one person, who may have reported it under other names. */
export const SAME_SOURCE = Prisma.sql`(l."agent_id" = e."agent_id" OR (
  (l."reporter_id" = e."reporter_id" OR l."owner" = e."owner")
  AND ${formatOf(L)} = ${formatOf(E)} AND ${formatOf(E)} = ANY(${[...ONE_SESSION_PRODUCTS]}::text[])))`;

/**
 * The report `l` supersedes `e`: both are of one run in one session, and `l` ended later. A session assembled from
 * fragments can grow in its middle; the ids of its reports then differ only in the digest at their end. The hooks of a
 * session, its transcript and its stream need not begin at the same time; other reporters may have several runs in one.
 */
export const SUPERSEDES = Prisma.sql`(l."session_id" = e."session_id" AND ${SAME_SOURCE}
  AND (l."started_at" = e."started_at"
    OR (split_part(l."execution_id", ':', 1) <> split_part(e."execution_id", ':', 1) AND ${formatOf(L)} = ${formatOf(E)}))
  AND (l."finished_at" > e."finished_at"
    OR (l."finished_at" = e."finished_at" AND l."received_at" > e."received_at"
      AND substring(l."execution_id" FROM '^(.+):[0-9a-f]{8}$') = substring(e."execution_id" FROM '^(.+):[0-9a-f]{8}$'))))`;

/** Every call of the execution counts in another session. */
export const isCopy = (row: Prisma.Sql): Prisma.Sql => Prisma.sql`(cardinality(${row}."copied_calls") > 0
  AND cardinality(${row}."copied_calls") = jsonb_array_length(${row}."report"->'toolCalls'))`;

/** Executions whose relations are asked for in one query. */
const AT_ONCE = 10;

interface Related extends KeyedExecution {
  readonly of: string;
  readonly keys: readonly string[] | null;
  readonly otherId: string;
  readonly otherExecutionId: string;
  readonly otherFinishedAt: Date;
  readonly otherKeys: readonly string[];
}

/** What is known of the copies of an execution's calls. */
export interface Lineage {
  /** The places of its calls that count in another session. */
  readonly copied: readonly number[];
  /** The executions of other sessions that have some of its calls. */
  readonly related: readonly string[];
}

/** Finds which calls of an execution count in another session: of the same agent, reporter or owner. */
@Injectable()
export class LineageRepository {
  /** By the ids of those that share calls with another session. In parts, because each pair is read with its keys. */
  async find(tx: Tx, ids: readonly string[]): Promise<Map<string, Lineage>> {
    const found = new Map<string, Lineage>();
    for (let from = 0; from < ids.length; from += AT_ONCE)
      for (const [id, lineage] of await this.findSome(tx, ids.slice(from, from + AT_ONCE))) found.set(id, lineage);
    return found;
  }

  private async findSome(tx: Tx, ids: readonly string[]): Promise<Map<string, Lineage>> {
    const rows = await tx.$queryRaw<Related[]>`
      SELECT o."id"::text AS "of", o."execution_id" AS "executionId", o."finished_at" AS "finishedAt",
        ARRAY(SELECT jsonb_array_elements_text(o."report"->'callKeys')) AS "callKeys", e."id"::text AS "otherId",
        e."execution_id" AS "otherExecutionId", e."finished_at" AS "otherFinishedAt", e."call_keys" AS "otherKeys"
      FROM "execution" o JOIN "execution" e ON e."call_keys" && o."call_keys" AND e."id" <> o."id"
        AND (e."agent_id" = o."agent_id" OR e."reporter_id" = o."reporter_id" OR e."owner" = o."owner")
        AND (e."session_id" IS DISTINCT FROM o."session_id" OR e."session_id" IS NULL)
      WHERE o."id" = ANY(${[...ids]}::uuid[]) AND o."call_keys" <> '{}'
        AND NOT EXISTS (SELECT 1 FROM "execution" l WHERE l."id" <> e."id" AND ${SUPERSEDES})
      ORDER BY o."id", e."id"`;
    const byId = new Map<string, Related[]>();
    for (const row of rows) byId.set(row.of, [...(byId.get(row.of) ?? []), row]);
    return new Map(
      [...byId].map(([id, [own, ...rest]]) => {
        const all = own === undefined ? [] : [own, ...rest];
        const others = all.map(({ otherExecutionId, otherFinishedAt, otherKeys }) => ({
          executionId: otherExecutionId,
          finishedAt: otherFinishedAt,
          callKeys: otherKeys,
        }));
        const copied = own === undefined ? [] : copiedCalls(own, others);
        return [id, { copied, related: all.map(({ otherId }) => otherId) }];
      }),
    );
  }

  /** Lets those of the captured executions be captured again of whose calls others count now. Returns their number. */
  async recapture(tx: Tx, ids: readonly string[], now: Date): Promise<number> {
    if (ids.length === 0) return 0;
    const found = await this.find(tx, ids);
    const rows = ids.map((id) => ({ id, copied: found.get(id)?.copied ?? [] }));
    return tx.$executeRaw`
      UPDATE "execution" e SET "capture_state" = 'pending', "recaptured_at" = ${now}::timestamptz
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r("id" uuid, "copied" int[])
      WHERE e."id" = r."id" AND e."capture_state" <> 'pending' AND e."copied_calls" <> r."copied"`;
  }
}
