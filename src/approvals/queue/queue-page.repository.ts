import { Injectable } from '@nestjs/common';
import type { ReviewScopePart } from '../../journal/actor.js';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';
import { searchCondition } from '../proposals/proposal-words.repository.js';
import { MAX_COUNTED, type ProposalQuery } from '../proposals/proposals.schema.js';

/** A reviewer, to select proposals within the review scope and without the reviewer's vote on the current revision. */
export interface QueueReviewer {
  readonly id: string;
  readonly reviewScope: readonly ReviewScopePart[] | null;
}

export interface QueuePage {
  readonly ids: readonly string[];
  readonly total: number;
  /** The position to request the next page with; null on the last page. */
  readonly next: string | null;
}

/** The sort key of a proposal in the queue. */
interface QueueKey {
  readonly urgent: boolean;
  readonly verdict: 'confirmed' | 'unchecked' | 'observed';
  readonly impact: number;
  readonly id: string;
}

/** Pages of the queue as ids in order. */
@Injectable()
export class QueuePageRepository {
  /** A page, ordered by urgency, verdict, impact and id. The first page and the count take one query. */
  async page(tx: Tx, query: ProposalQuery, mine?: QueueReviewer): Promise<QueuePage> {
    const filter = conditionsOf(query, mine);
    if (query.after === undefined) {
      const keys = await this.keys(tx, filter, MAX_COUNTED);
      return { ...pageOf(keys, query.limit), total: keys.length };
    }
    const keys = await this.keys(tx, Prisma.sql`${filter} AND ${afterKey(query.after)}`, query.limit + 1);
    return { ...pageOf(keys, query.limit), total: await this.count(tx, filter) };
  }

  /** The number of proposals that match the query, at most `MAX_COUNTED`. */
  countMatching(tx: Tx, query: ProposalQuery): Promise<number> {
    return this.count(tx, conditionsOf(query));
  }

  private keys(tx: Tx, filter: Prisma.Sql, limit: number): Promise<QueueKey[]> {
    return tx.$queryRaw`
      SELECT i."urgent", i."verdict"::text AS "verdict", i."impact", i."id"::text AS "id" FROM "proposal" i WHERE ${filter}
      ORDER BY i."urgent" DESC, i."verdict" DESC, i."impact" DESC, i."id" LIMIT ${limit}`;
  }

  private async count(tx: Tx, filter: Prisma.Sql): Promise<number> {
    const [row] = await tx.$queryRaw<{ count: bigint }[]>`
      SELECT count(*) AS "count" FROM (SELECT 1 FROM "proposal" i WHERE ${filter} LIMIT ${MAX_COUNTED}) counted`;
    return Number(row?.count ?? 0);
  }
}

function pageOf(keys: readonly QueueKey[], limit: number): Pick<QueuePage, 'ids' | 'next'> {
  const page = keys.slice(0, limit);
  const last = keys.length > limit ? page.at(-1) : undefined;
  const next = last ? [Number(last.urgent), last.verdict, last.impact, last.id].join('.') : null;
  return { ids: page.map(({ id }) => id), next };
}

/**
 * The condition for proposals after a position. A position is the sort key that the last proposal had, because new
 * evidence can move that proposal meanwhile. For the id of a proposal, the position is its current sort key.
 */
function afterKey(after: string): Prisma.Sql {
  const [urgent, verdict, impact, id] = after.split('.');
  const position =
    impact === undefined
      ? Prisma.sql`SELECT "urgent", "verdict", "impact", "id" FROM "proposal" WHERE "id" = ${after}::uuid`
      : Prisma.sql`SELECT ${urgent === '1'}::boolean, ${verdict}::"CheckVerdict", ${impact}::bigint, ${id}::uuid`;
  return Prisma.sql`EXISTS (
    SELECT 1 FROM (${position}) c("urgent", "verdict", "impact", "id")
     WHERE i."urgent" < c."urgent" OR (i."urgent" = c."urgent" AND (i."verdict" < c."verdict" OR (i."verdict" = c."verdict"
       AND (i."impact" < c."impact" OR (i."impact" = c."impact" AND i."id" > c."id"))))))`;
}

function conditionsOf(query: ProposalQuery, mine?: QueueReviewer): Prisma.Sql {
  const { state, kind, risk, verdict, skill, minAgents, since, cluster, q } = query;
  const all = [
    Prisma.sql`i."state" = ${state}::"ProposalState"`,
    ...(kind ? [Prisma.sql`i."kind" = ${kind}::"ProposalKind"`] : []),
    ...(risk ? [Prisma.sql`i."risk" = ${risk}::"ProposalRisk"`] : []),
    ...(verdict ? [Prisma.sql`i."verdict" = ${verdict}::"CheckVerdict"`] : []),
    ...(skill ? [Prisma.sql`i."skill_name" = ${skill}`] : []),
    ...(minAgents === undefined ? [] : [Prisma.sql`(i."evidence" ->> 'agents')::int >= ${minAgents}`]),
    ...(since ? [Prisma.sql`i."created_at" >= ${new Date(since)}`] : []),
    ...(cluster ? [Prisma.sql`i."cluster" = ${cluster}::uuid`] : []),
    ...(q === undefined ? [] : [searchCondition(q)]),
    ...(mine ? [pendingFor(mine)] : []),
  ];
  return Prisma.join(all, ' AND ');
}

function pendingFor({ id, reviewScope }: QueueReviewer): Prisma.Sql {
  const within =
    reviewScope === null
      ? Prisma.sql`true`
      : Prisma.sql`review_scope_covers(${JSON.stringify(reviewScope)}::jsonb, i."audience")`;
  return Prisma.sql`${within} AND NOT EXISTS (
    SELECT 1 FROM "proposal_decision" d WHERE d."proposal_id" = i."id" AND d."revision" = i."revision"
      AND d."artifact_sha256" = i."artifact_sha256" AND d."principal_id" = ${id}::uuid)`;
}
