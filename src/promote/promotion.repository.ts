import { Injectable } from '@nestjs/common';
import { NIL_UUID } from '../platform/base/ids.js';
import type { Tx } from '../platform/database/database.js';
import { Prisma } from '../platform/generated/prisma/client.js';
import { type PromotionListState, PromotionState, PromotionSummary, PromotionTrigger } from './promotion.schema.js';
import type { Witness } from './verdict.js';

/** Where a fingerprint has the key by which the row of an execution names its pattern, from 1. */
const KEY_AT = 'sha256:'.length + 1;
const KEY_CHARACTERS = 16;
/** An execution is captured seconds after it was received. */
const CAPTURED_WITHIN = '2 minutes';

/** A memory that is being checked, leased to one worker. */
export interface CheckLease {
  readonly memoryId: string;
  readonly trigger: PromotionTrigger;
  readonly attempts: number;
  readonly promotedBy: string | null;
  /** Fences this check: the conclusion of an expired lease is refused. */
  readonly token: string;
}

interface CheckOutcome {
  readonly state: PromotionState;
  readonly because: string;
  readonly promotedBy: string | null;
  readonly attempts: number;
  readonly dueAt: Date;
  readonly checkedAt: Date;
  readonly askedAt?: Date;
}

/** Memories to corroborate: private and live. A copy is represented by its original while that lives. */
const ELIGIBLE = Prisma.sql`m."superseded_at" IS NULL AND m."scope" NOT IN ('org', 'project') AND NOT m."awaiting_proposer"
  AND (m."provenance" <> 'verified' OR EXISTS (SELECT 1 FROM "memory_source" s WHERE s."memory_id" = m."id"))
  AND NOT EXISTS (SELECT 1 FROM "memory" o WHERE o."id" = m."propagated_from_id" AND o."superseded_at" IS NULL)`;

/** Memories whose check is due. */
export const DUE_CHECKS = (now: Date): Prisma.Sql => Prisma.sql`
  SELECT count(*)::int AS "length", min(p."due_at") AS "oldest" FROM "promotion" p
    JOIN "memory" m ON m."id" = p."memory_id" WHERE p."due_at" <= ${now} AND m."superseded_at" IS NULL`;

const SUMMARY = Prisma.sql`
  SELECT p."memory_id"::text AS "memory", m."scope"::text AS "scope", m."agent_id"::text AS "agentId", m."discovery",
         m."proposer", m."provenance"::text AS "provenance", p."state", p."because", p."trigger", p."attempts",
         m."relevance_count" AS "relevanceCount", m."witness_count" AS "witnessCount", p."queued_at" AS "queuedAt", p."checked_at" AS "checkedAt",
         p."due_at" AS "dueAt"
    FROM "promotion" p JOIN "memory" m ON m."id" = p."memory_id" AND m."superseded_at" IS NULL`;

/** `PromotionListState` says what waits for a person. A hook answers with a lesson about how something is done that worked. */
const WAITS_FOR_PERSON = Prisma.sql`
  m."scope" = 'agent' AND m."superseded_at" IS NULL AND m."provenance" <> 'verified' AND m."witness_count" > 1
    AND m."category" = 'PROCEDURAL' AND jsonb_typeof(m."parts" #> '{example,worked}') = 'object'
    AND p."because" NOT IN ('contradicted', 'conflicting_evidence')
    AND m."failure_key" NOT IN (
      SELECT unnest(i."fingerprints" || i."fingerprint") FROM "proposal" i
       WHERE i."state" = 'pending' OR (i."state" = 'approved' AND EXISTS (
         SELECT 1 FROM "memory" o WHERE o."proposal_id" = i."id" AND o."scope" = 'org' AND o."superseded_at" IS NULL)))`;

type SummaryRow = Omit<PromotionSummary, 'queuedAt' | 'checkedAt' | 'dueAt'> & {
  readonly queuedAt: Date;
  readonly checkedAt: Date | null;
  readonly dueAt: Date;
};

const toSummary = ({ queuedAt, checkedAt, dueAt, ...row }: SummaryRow): PromotionSummary =>
  PromotionSummary.parse({
    ...row,
    queuedAt: queuedAt.toISOString(),
    checkedAt: checkedAt?.toISOString() ?? null,
    dueAt: dueAt.toISOString(),
  });

/** The queue of memories that wait for corroboration. Use orders it, never what a memory claims. */
@Injectable()
export class PromotionRepository {
  /** Adds memories that were written since to the queue; returns how many. */
  enrol(tx: Tx, since: Date, now: Date, limit: number): Promise<number> {
    return tx.$executeRaw`
      INSERT INTO "promotion" ("memory_id", "state", "because", "trigger", "attempts", "queued_at", "due_at")
        SELECT m."id", 'queued', 'not_checked', 'schedule', 0, ${now}, ${now} FROM "memory" m
         WHERE m."created_at" >= ${since} AND ${ELIGIBLE}
           AND NOT EXISTS (SELECT 1 FROM "promotion" p WHERE p."memory_id" = m."id") LIMIT ${limit}
        ON CONFLICT DO NOTHING`;
  }

  /**
   * Makes these memories due, or the originals that they are copies of, unless they were checked after `checkedBefore`.
   * Returns how many.
   */
  scheduleCheck(
    tx: Tx,
    ids: readonly string[],
    trigger: PromotionTrigger,
    now: Date,
    checkedBefore: Date,
  ): Promise<number> {
    return tx.$executeRaw`
      INSERT INTO "promotion" AS p ("memory_id", "state", "because", "trigger", "attempts", "queued_at", "due_at")
        SELECT m."id", 'queued', 'not_checked', ${trigger}, 0, ${now}, ${now} FROM "memory" m
         WHERE m."id" IN (SELECT coalesce(o."id", c."id") FROM "memory" c
                            LEFT JOIN "memory" o ON o."id" = c."propagated_from_id" AND o."superseded_at" IS NULL
                           WHERE c."id" = ANY (${[...ids]}::uuid[])) AND ${ELIGIBLE}
        ON CONFLICT ("memory_id") DO UPDATE SET "due_at" = least(p."due_at", ${now}), "trigger" = ${trigger}, "attempts" = 0
         WHERE p."token" IS NULL AND (p."checked_at" IS NULL OR p."checked_at" < ${checkedBefore})`;
  }

  /**
   * Makes verified memories due that rest on a memory which is no longer verified or live. A copy rests on its original.
   * Returns how many.
   */
  scheduleUngrounded(tx: Tx, now: Date): Promise<number> {
    return tx.$executeRaw`
      UPDATE "promotion" p SET "due_at" = ${now}, "trigger" = 'ground'
       WHERE p."state" = 'verified' AND p."due_at" > ${now} AND EXISTS (
         SELECT 1 FROM (
             SELECT "source_id" FROM "memory_source" WHERE "memory_id" = p."memory_id"
             UNION ALL
             SELECT "propagated_from_id" FROM "memory"
              WHERE "id" = p."memory_id" AND "propagated_from_id" IS NOT NULL) s
           LEFT JOIN "memory" g ON g."id" = s."source_id"
          WHERE (
            (g."superseded_at" >= p."checked_at" AND g."ended_by_run_id" IS NULL)
            OR (p."promoted_by" <> 'person' AND (g."id" IS NULL OR g."provenance" <> 'verified'))))`;
  }

  /**
   * Makes unresolved memories due about whose failure something arrived since: an execution, or an approved skill. What was
   * received shortly before the last check may have been captured after it. Only of memories that rules wrote: of others,
   * neither shows more than a part. Each check in a row that resolved nothing doubles the pause, so that a failure which
   * comes all the time leaves the budget to others. Returns how many.
   */
  scheduleNewEvidence(tx: Tx, since: Date, now: Date): Promise<number> {
    return tx.$executeRaw`
      WITH "arrived" AS MATERIALIZED (
        SELECT a."key", max(a."at") AS "at" FROM (
            SELECT unnest(e."patterns") AS "key", e."received_at" AS "at" FROM "execution" e
             WHERE e."received_at" >= ${since}
            UNION ALL
            SELECT substr(unnest(i."fingerprints" || i."fingerprint"), ${KEY_AT}, ${KEY_CHARACTERS}), o."created_at"
              FROM "memory" o JOIN "proposal" i ON i."id" = o."proposal_id"
             WHERE o."created_at" >= ${since} AND o."scope" = 'org') a
         GROUP BY a."key")
      UPDATE "promotion" p SET "due_at" = ${now}, "trigger" = 'schedule'
        FROM "arrived" a JOIN "memory" m ON m."superseded_at" IS NULL AND m."proposer" LIKE 'rules/%'
             AND m."failure_key" >= 'sha256:' || a."key" AND m."failure_key" < 'sha256:' || a."key" || 'g'
       WHERE p."memory_id" = m."id" AND p."state" = 'unresolved' AND p."because" <> 'needs_person' AND p."token" IS NULL
         AND p."due_at" > ${now} AND a."at" > greatest(m."created_at", p."checked_at" - ${CAPTURED_WITHIN}::interval)
         AND p."checked_at" + least(power(2, least(p."attempts", 12)), 3600) * interval '1 second' <= ${now}`;
  }

  /** Returns the due memories: requests of people first, then the most retrieved, then the most confident. */
  async due(tx: Tx, now: Date, limit: number): Promise<string[]> {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT p."memory_id"::text AS "id" FROM "promotion" p JOIN "memory" m ON m."id" = p."memory_id"
       WHERE p."due_at" <= ${now} AND m."superseded_at" IS NULL
       ORDER BY (p."trigger" = 'person') DESC, m."relevance_count" DESC, m."confidence" DESC, p."due_at", p."memory_id"
       LIMIT ${limit}`;
    return rows.map(({ id }) => id);
  }

  /** Leases a check until `until`; returns undefined if another worker has it. */
  async takeLease(tx: Tx, memoryId: string, token: string, now: Date, until: Date): Promise<CheckLease | undefined> {
    const { count } = await tx.promotion.updateMany({
      where: { memoryId, dueAt: { lte: now } },
      data: { token, dueAt: until },
    });
    const row = count === 1 ? await tx.promotion.findUnique({ where: { memoryId } }) : null;
    if (row?.token !== token) return undefined;
    const { attempts, promotedBy } = row;
    return { memoryId, attempts, promotedBy, token, trigger: PromotionTrigger.parse(row.trigger) };
  }

  /** Compare-and-set: returns false if another worker took the lease meanwhile. */
  async conclude(tx: Tx, { memoryId, token }: CheckLease, outcome: CheckOutcome): Promise<boolean> {
    const { count } = await tx.promotion.updateMany({ where: { memoryId, token }, data: { ...outcome, token: null } });
    return count === 1;
  }

  /** Ends the lease; the check is due again at `dueAt`. */
  async release(tx: Tx, { memoryId, token }: CheckLease, dueAt: Date): Promise<void> {
    await tx.promotion.updateMany({ where: { memoryId, token }, data: { token: null, dueAt } });
  }

  /** Returns the number of memories about which the verifier was asked since. */
  verifierCalls(tx: Tx, since: Date): Promise<number> {
    return tx.promotion.count({ where: { askedAt: { gte: since } } });
  }

  async list(tx: Tx, { state, after, limit }: ListQuery): Promise<PromotionSummary[]> {
    if (state === 'waiting') return this.waiting(tx, after, limit);
    const rows = await tx.$queryRaw<SummaryRow[]>`
      ${SUMMARY} WHERE (${state ?? null}::text IS NULL OR p."state" = ${state ?? null})
         AND p."memory_id" > ${after ?? NIL_UUID}::uuid ORDER BY p."memory_id" LIMIT ${limit}`;
    return rows.map(toSummary);
  }

  /** Those whose failure came back most often first. */
  private async waiting(tx: Tx, after: string | undefined, limit: number): Promise<PromotionSummary[]> {
    const isBehind =
      after === undefined
        ? Prisma.empty
        : Prisma.sql`AND (m."witness_count", m."id") < (SELECT a."witness_count", a."id" FROM "memory" a WHERE a."id" = ${after}::uuid)`;
    const rows = await tx.$queryRaw<SummaryRow[]>`
      ${SUMMARY} WHERE ${WAITS_FOR_PERSON} ${isBehind} ORDER BY m."witness_count" DESC, m."id" DESC LIMIT ${limit}`;
    return rows.map(toSummary);
  }

  async countWaiting(tx: Tx): Promise<number> {
    const [row] = await tx.$queryRaw<{ n: number }[]>`
      SELECT count(*)::int AS "n" FROM "promotion" p JOIN "memory" m ON m."id" = p."memory_id" WHERE ${WAITS_FOR_PERSON}`;
    return row?.n ?? 0;
  }

  async find(tx: Tx, memoryId: string): Promise<PromotionSummary | undefined> {
    const [row] = await tx.$queryRaw<SummaryRow[]>`${SUMMARY} WHERE p."memory_id" = ${memoryId}::uuid`;
    return row ? toSummary(row) : undefined;
  }

  async counts(tx: Tx): Promise<Record<PromotionListState, number>> {
    const rows = await tx.$queryRaw<{ state: PromotionState; count: number }[]>`
      SELECT p."state", count(*)::int AS "count" FROM "promotion" p
        JOIN "memory" m ON m."id" = p."memory_id" AND m."superseded_at" IS NULL GROUP BY p."state"`;
    const counts = { queued: 0, unresolved: 0, verified: 0, waiting: await this.countWaiting(tx) };
    for (const { state, count } of rows) counts[PromotionState.parse(state)] = count;
    return counts;
  }

  /** Returns the live approved skills for this failure, with the actions that they propose. */
  async approvedRemedies(tx: Tx, fingerprint: string): Promise<{ proposalId: string; action: string }[]> {
    return tx.$queryRaw`
      SELECT i."id"::text AS "proposalId", i."action_fingerprint" AS "action"
        FROM "proposal" i JOIN "memory" m ON m."proposal_id" = i."id"
       WHERE m."scope" = 'org' AND m."superseded_at" IS NULL
         AND (i."fingerprint" = ${fingerprint} OR ${fingerprint} = ANY (i."fingerprints")) ORDER BY 1`;
  }

  /** Returns who reported these executions, by row id. */
  async witnesses(tx: Tx, executionIds: readonly string[]): Promise<Map<string, Witness>> {
    const rows = await tx.execution.findMany({
      where: { id: { in: [...executionIds] } },
      select: { id: true, owner: true, reporterId: true },
    });
    return new Map(rows.map(({ id, owner, reporterId }) => [id, { owner, reporterId }]));
  }

  /** Returns one key for all spellings of each owner: a person goes by name and by address. */
  async ownerKeys(tx: Tx, owners: readonly string[]): Promise<Map<string, string>> {
    const rows = await tx.$queryRaw<{ owner: string; key: string }[]>`
      SELECT o AS "owner", owner_key(o) AS "key" FROM unnest(${[...new Set(owners)]}::text[]) o`;
    return new Map(rows.map(({ owner, key }) => [owner, key]));
  }

  /** Returns who reported the execution that taught the memory, if its own agent ran it. */
  async taughtBy(tx: Tx, executionId: string, agentId: string): Promise<Witness | undefined> {
    const select = { owner: true, reporterId: true };
    return (await tx.execution.findFirst({ where: { id: executionId, agentId }, select })) ?? undefined;
  }

  /** Returns the models of the agent's last executions. */
  async modelsOf(tx: Tx, agentId: string): Promise<string[]> {
    const runs = await tx.execution.findMany({
      where: { agentId, model: { not: null } },
      select: { model: true },
      orderBy: [{ receivedAt: 'desc' }, { id: 'desc' }],
      take: 20,
    });
    return [...new Set(runs.flatMap(({ model }) => model ?? []))];
  }

  /** Makes a memory due because a person asked for it. */
  async scheduleForPerson(tx: Tx, memoryId: string, now: Date): Promise<void> {
    await tx.promotion.updateMany({ where: { memoryId, token: null }, data: { dueAt: now, trigger: 'person' } });
  }
}

interface ListQuery {
  readonly state: PromotionListState | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}
