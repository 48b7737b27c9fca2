import { Injectable } from '@nestjs/common';
import { NIL_UUID } from '../../platform/base/ids.js';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import { type CallOutcomes, copiedCalls, type KeyedExecution } from '../report/call-lineage.js';
import { ONE_SESSION_PRODUCTS } from '../report/session-twin.js';

const formatOf = (row: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`regexp_replace(split_part(${row}."execution_id", ':', 1), '-(hooks|stream|otel)$', '')`;
const [L, E, O, S] = [Prisma.sql`l`, Prisma.sql`e`, Prisma.sql`o`, Prisma.sql`s`];

/** Both are of one agent, or of one product of one person, who may have reported it under other names. */
const isOfOneSource = (a: Prisma.Sql, b: Prisma.Sql): Prisma.Sql => Prisma.sql`(${a}."agent_id" = ${b}."agent_id" OR (
  (${a}."reporter_id" = ${b}."reporter_id" OR ${a}."owner" = ${b}."owner")
  AND ${formatOf(a)} = ${formatOf(b)} AND ${formatOf(b)} = ANY(${[...ONE_SESSION_PRODUCTS]}::text[])))`;

/** When an execution began and ended by the clock that dated it, which says what it says in every state of a session. */
const startOf = (row: Prisma.Sql): Prisma.Sql => Prisma.sql`coalesce(${row}."stated_start", ${row}."started_at")`;
const endOf = (row: Prisma.Sql): Prisma.Sql => Prisma.sql`coalesce(${row}."stated_end", ${row}."finished_at")`;

/** The number of calls in its record; reports of earlier versions are counted. */
const callsOf = (row: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`coalesce(${row}."calls", jsonb_array_length(${row}."report"->'toolCalls'))`;

/**
 * The report `l` supersedes `e`: both are of one run in one session, and it says more. They are of one run if they began
 * together, or if one is the transcript and the other the hooks or the stream of one product, which need not begin at the
 * same time; other reporters may have several runs in one session. A session assembled from fragments can grow in its
 * middle; the ids of its reports then differ only in the digest at their end. One order for all pairs, so that no three
 * supersede each other in a circle.
 */
const supersedes = (l: Prisma.Sql, e: Prisma.Sql): Prisma.Sql => Prisma.sql`(${l}."session_id" = ${e}."session_id"
  AND ${l}."id" <> ${e}."id" AND ${isOfOneSource(l, e)} AND CASE WHEN ${startOf(l)} = ${startOf(e)}
    THEN ${endOf(l)} <> ${endOf(e)}
      OR substring(${l}."execution_id" FROM '^(.+):[0-9a-f]{8}$') = substring(${e}."execution_id" FROM '^(.+):[0-9a-f]{8}$')
    ELSE split_part(${l}."execution_id", ':', 1) <> split_part(${e}."execution_id", ':', 1)
      AND ${formatOf(l)} = ${formatOf(e)} END
  AND (${callsOf(l)}, ${endOf(l)}, ${l}."received_at", ${l}."id")
    > (${callsOf(e)}, ${endOf(e)}, ${e}."received_at", ${e}."id"))`;

/** `l` supersedes `e`. */
export const SUPERSEDES = supersedes(L, E);

/** Every call of the execution counts in another session. */
export const isCopy = (row: Prisma.Sql): Prisma.Sql => Prisma.sql`(cardinality(${row}."copied_calls") > 0
  AND cardinality(${row}."copied_calls") = jsonb_array_length(${row}."report"->'toolCalls'))`;

/** `e` and `o` are of different sessions of one agent, reporter or owner. */
const OTHER_SESSION = Prisma.sql`(e."id" <> o."id"
  AND (e."agent_id" = o."agent_id" OR e."reporter_id" = o."reporter_id" OR e."owner" = o."owner")
  AND (e."session_id" IS DISTINCT FROM o."session_id" OR e."session_id" IS NULL))`;

/** No report supersedes `e`. */
export const IS_LATEST = Prisma.sql`NOT EXISTS (SELECT 1 FROM "execution" s WHERE ${supersedes(S, E)})`;

/** Processes that capture related sessions at once would both count their calls. */
const LOCK = 5_218_330_417n;
/** Pairs of executions that are read at once, each with the keys of its calls. */
const PAIRS_AT_ONCE = 100;
/** Executions whose own calls are. */
const COMPARED_AT_ONCE = 20;

interface Claimed {
  readonly of: string;
  readonly id: string;
  readonly executionId: string;
  readonly finishedAt: Date;
  readonly callKeys: readonly string[];
  readonly outcomes: CallOutcomes;
}

/** Which executions without a result of capture are known to hold a call: those of one step of capture, or all. */
type AlsoPending = readonly string[] | 'all';

/** Finds which calls of an execution count in another session: of the same agent, reporter or owner. */
@Injectable()
export class LineageRepository {
  /**
   * By the ids of those that share calls with another session: the places of the calls that count there. Reads who counts
   * a call and not who holds it, so that the hundredth copy of a session costs what the second one does.
   */
  async find(tx: Tx, ids: readonly string[], pending: AlsoPending): Promise<Map<string, number[]>> {
    if (ids.length === 0) return new Map();
    const own = new Map((await this.findOwn(tx, ids)).map((one) => [one.id, one]));
    const found = new Map<string, Set<number>>();
    for (let after: readonly [string, string] = [NIL_UUID, NIL_UUID]; ; ) {
      const claims = await this.findClaims(tx, [...own.keys()], after, pending);
      for (const { of, ...other } of claims) {
        const one = own.get(of);
        const places = found.get(of) ?? new Set();
        for (const place of one === undefined ? [] : copiedCalls(one, [other])) places.add(place);
        found.set(of, places);
      }
      const last = claims.at(-1);
      if (last === undefined || claims.length < PAIRS_AT_ONCE) break;
      after = [last.of, last.id];
    }
    return new Map([...found].map(([id, places]) => [id, [...places].sort((a, b) => a - b)]));
  }

  private findOwn(tx: Tx, ids: readonly string[]): Promise<(KeyedExecution & { readonly id: string })[]> {
    return tx.$queryRaw`
      SELECT o."id"::text AS "id", o."execution_id" AS "executionId", ${endOf(O)} AS "finishedAt",
        ARRAY(SELECT jsonb_array_elements_text(o."report"->'callKeys')) AS "callKeys", o."call_outcomes" AS "outcomes"
      FROM "execution" o WHERE o."id" = ANY(${[...ids]}::uuid[]) AND o."call_keys" <> '{}'`;
  }

  /** The executions that count a call of one of these, in pages, in the order of both ids. */
  private findClaims(
    tx: Tx,
    ids: readonly string[],
    [of, id]: readonly [string, string],
    pending: AlsoPending,
  ): Promise<Claimed[]> {
    const isAsked = pending === 'all' ? Prisma.sql`true` : Prisma.sql`e."id" = ANY(${[...pending]}::uuid[])`;
    return tx.$queryRaw`
      SELECT o."id"::text AS "of", e."id"::text AS "id", e."execution_id" AS "executionId",
        ${endOf(E)} AS "finishedAt", e."call_outcomes" AS "outcomes",
        coalesce(e."counted_keys", e."call_keys") AS "callKeys"
      FROM "execution" o JOIN "execution" e ON (e."counted_keys" && o."call_keys"
          OR (e."counted_keys" IS NULL AND e."call_keys" && o."call_keys"
            AND (e."capture_state" <> 'pending' OR ${isAsked})))
        AND ${OTHER_SESSION}
      WHERE o."id" = ANY(${[...ids]}::uuid[]) AND (o."id", e."id") > (${of}::uuid, ${id}::uuid)
        AND ${IS_LATEST}
      ORDER BY o."id", e."id" LIMIT ${PAIRS_AT_ONCE}`;
  }

  /** Until the end of this transaction, no other process stores what it captured: it sees then what counts here. */
  async lock(tx: Tx): Promise<void> {
    await tx.$queryRaw`SELECT pg_advisory_xact_lock(${LOCK}::bigint)::text`;
  }

  /**
   * Lets those executions be captured again of whose calls others count since these were captured: one of both where two
   * count the same call, and those that repeat calls of an earlier state of a session. Returns their ids.
   */
  async recapture(tx: Tx, captured: readonly string[], now: Date): Promise<string[]> {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT e."id"::text AS "id" FROM "execution" o
        JOIN "execution" e ON (e."counted_keys" && o."counted_keys"
          OR (e."counted_keys" IS NULL AND e."capture_state" <> 'pending' AND e."call_keys" && o."counted_keys"))
        AND ${OTHER_SESSION}
      WHERE o."id" = ANY(${[...captured]}::uuid[]) AND o."counted_keys" <> '{}' AND ${IS_LATEST}
      UNION
      SELECT e."id"::text AS "id" FROM "execution" l
        JOIN "execution" o ON o."counted_keys" <> '{}' AND ${supersedes(L, O)}
        JOIN "execution" e ON e."call_keys" && o."counted_keys" AND ${OTHER_SESSION}
      WHERE l."id" = ANY(${[...captured]}::uuid[]) AND ${IS_LATEST}`;
    const ids = [...new Set([...captured, ...rows.map(({ id }) => id)])];
    await this.releaseSuperseded(tx, captured);
    const again: string[] = [];
    for (let from = 0; from < ids.length; from += COMPARED_AT_ONCE) {
      const some = ids.slice(from, from + COMPARED_AT_ONCE);
      const copied = await this.find(tx, some, []);
      const counting = some.map((id) => ({ id, copied: copied.get(id) ?? [] }));
      const changed = await tx.$queryRaw<{ id: string }[]>`
        UPDATE "execution" e SET "capture_state" = 'pending', "recaptured_at" = ${now}::timestamptz
        FROM jsonb_to_recordset(${JSON.stringify(counting)}::jsonb) AS r("id" uuid, "copied" int[])
        WHERE e."id" = r."id" AND e."capture_state" <> 'pending' AND e."copied_calls" <> r."copied"
        RETURNING e."id"::text AS "id"`;
      again.push(...changed.map(({ id }) => id));
    }
    return again;
  }

  /** In an earlier state of a session no call counts. */
  private releaseSuperseded(tx: Tx, captured: readonly string[]): Promise<number> {
    return tx.$executeRaw`
      UPDATE "execution" e SET "counted_keys" = '{}' FROM "execution" l
      WHERE (e."id" = ANY(${[...captured]}::uuid[]) OR l."id" = ANY(${[...captured]}::uuid[]))
        AND e."counted_keys" <> '{}' AND ${SUPERSEDES}`;
  }
}
