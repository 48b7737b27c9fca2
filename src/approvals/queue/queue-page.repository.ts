import { Injectable } from '@nestjs/common';
import type { Part } from '../../journal/actor.js';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import { type ApprovalQuery, MAX_COUNTED } from '../proposals/approvals.schema.js';
import { holds } from '../proposals/item-words.repository.js';

/** For whom something waits: what lies within the remit and has no vote of theirs on this revision. */
export interface Decider {
  readonly id: string;
  readonly remit: readonly Part[] | null;
}

export interface QueuePage {
  readonly ids: readonly string[];
  readonly total: number;
  /** The place that the page behind it is asked for with; null at the end. */
  readonly next: string | null;
}

/** Where an item stands in the order of the queue. */
interface Place {
  readonly urgent: boolean;
  readonly impact: number;
  readonly id: string;
}

/** The order of the queue, by ids alone: what is on a page is read behind it. */
@Injectable()
export class QueuePageRepository {
  /** A page, best first: urgent requests, expected impact, then id. The first page and the count are one question. */
  async page(tx: Tx, query: ApprovalQuery, mine?: Decider): Promise<QueuePage> {
    const fits = conditionsOf(query, mine);
    if (query.after === undefined) {
      const places = await this.places(tx, fits, MAX_COUNTED);
      return { ...pageOf(places, query.limit), total: places.length };
    }
    const places = await this.places(tx, Prisma.sql`${fits} AND ${behind(query.after)}`, query.limit + 1);
    return { ...pageOf(places, query.limit), total: await this.count(tx, fits) };
  }

  /** How many items of a state there are, to `MAX_COUNTED`. */
  countOf(tx: Tx, query: ApprovalQuery): Promise<number> {
    return this.count(tx, conditionsOf(query));
  }

  private places(tx: Tx, fits: Prisma.Sql, limit: number): Promise<Place[]> {
    return tx.$queryRaw`
      SELECT i."urgent", i."impact", i."id"::text AS "id" FROM "approval_item" i WHERE ${fits}
      ORDER BY i."urgent" DESC, i."impact" DESC, i."id" LIMIT ${limit}`;
  }

  private async count(tx: Tx, fits: Prisma.Sql): Promise<number> {
    const [row] = await tx.$queryRaw<{ count: bigint }[]>`
      SELECT count(*) AS "count" FROM (SELECT 1 FROM "approval_item" i WHERE ${fits} LIMIT ${MAX_COUNTED}) counted`;
    return Number(row?.count ?? 0);
  }
}

function pageOf(places: readonly Place[], limit: number): Pick<QueuePage, 'ids' | 'next'> {
  const page = places.slice(0, limit);
  const last = places.length > limit ? page.at(-1) : undefined;
  return { ids: page.map(({ id }) => id), next: last ? `${Number(last.urgent)}.${last.impact}.${last.id}` : null };
}

/**
 * Behind a place in the order of the queue: new evidence moves items, and a page must not go on from where its last one
 * is by now. Behind an item that somebody has before them: from where that one is.
 */
function behind(after: string): Prisma.Sql {
  const [urgent, impact, id] = after.split('.');
  const place =
    impact === undefined
      ? Prisma.sql`SELECT "urgent", "impact", "id" FROM "approval_item" WHERE "id" = ${after}::uuid`
      : Prisma.sql`SELECT ${urgent === '1'}::boolean, ${impact}::bigint, ${id}::uuid`;
  return Prisma.sql`EXISTS (
    SELECT 1 FROM (${place}) c("urgent", "impact", "id")
     WHERE i."urgent" < c."urgent" OR (i."urgent" = c."urgent"
       AND (i."impact" < c."impact" OR (i."impact" = c."impact" AND i."id" > c."id"))))`;
}

function conditionsOf(query: ApprovalQuery, mine?: Decider): Prisma.Sql {
  const { state, kind, risk, skill, minAgents, since, cluster, q } = query;
  const all = [
    Prisma.sql`i."state" = ${state}::"ApprovalState"`,
    ...(kind ? [Prisma.sql`i."kind" = ${kind}::"ApprovalKind"`] : []),
    ...(risk ? [Prisma.sql`i."risk" = ${risk}::"ApprovalRisk"`] : []),
    ...(skill ? [Prisma.sql`i."skill_name" = ${skill}`] : []),
    ...(minAgents === undefined ? [] : [Prisma.sql`i."agents" >= ${minAgents}`]),
    ...(since ? [Prisma.sql`i."created_at" >= ${new Date(since)}`] : []),
    ...(cluster ? [Prisma.sql`i."cluster" = ${cluster}::uuid`] : []),
    ...(q === undefined ? [] : [holds(q)]),
    ...(mine ? [waitsFor(mine)] : []),
  ];
  return Prisma.join(all, ' AND ');
}

function waitsFor({ id, remit }: Decider): Prisma.Sql {
  const within =
    remit === null ? Prisma.sql`true` : Prisma.sql`remit_covers(${JSON.stringify(remit)}::jsonb, i."audience")`;
  return Prisma.sql`${within} AND NOT EXISTS (
    SELECT 1 FROM "approval_decision" d WHERE d."item_id" = i."id" AND d."revision" = i."revision"
      AND d."artifact_sha256" = i."artifact_sha256" AND d."principal_id" = ${id}::uuid)`;
}
