import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { insertRows } from '../../platform/database/rows.js';
import type { Statements } from '../../platform/database/statements.js';
import type { Decision, Item, Verdict } from '../proposals/approval-item.js';

export interface NewDecision {
  readonly id: string;
  readonly item: Item;
  readonly principalId: string;
  readonly verdict: Verdict;
  readonly reason?: string;
  readonly at: Date;
}

/** What people said about items. Rows are only ever added. */
@Injectable()
export class VoteRepository {
  async add(tx: Statements, ...decisions: readonly NewDecision[]): Promise<void> {
    const rows = decisions.map(({ id, item, principalId, verdict, reason, at }) => ({
      id,
      itemId: item.id,
      revision: item.revision,
      artifactSha256: item.artifactSha256,
      principalId,
      verdict,
      reason: reason ?? null,
      decidedAt: at,
    }));
    await insertRows(tx, 'approval_decision', rows);
  }

  async list(tx: Tx, itemId: string): Promise<Decision[]> {
    const rows = await tx.approvalDecision.findMany({
      where: { itemId },
      include: { principal: true },
      orderBy: { decidedAt: 'asc' },
    });
    return rows.map((row) => ({
      by: row.principal.name,
      verdict: row.verdict,
      reason: row.reason,
      revision: row.revision,
      artifactSha256: row.artifactSha256,
      decidedAt: row.decidedAt,
    }));
  }

  /** Who approved the revision that stands now. While it waits, only active reviewers count, as for the database. */
  async approvers(tx: Statements, items: readonly Pick<Item, 'id'>[]): Promise<Map<string, string[]>> {
    const voters = new Map<string, string[]>();
    const ids = items.map(({ id }) => id);
    const rows = await tx.$queryRaw<{ item: string; person: string }[]>`
      SELECT i."id"::text AS "item", p."id"::text AS "person"
      FROM "approval_item" i
      JOIN "approval_decision" d ON d."item_id" = i."id" AND d."revision" = i."revision"
       AND d."artifact_sha256" = i."artifact_sha256" AND d."verdict" = 'approved'
      JOIN "principal" p ON p."id" = d."principal_id"
      WHERE i."id" = ANY (${ids}::uuid[]) AND d."item_id" = ANY (${ids}::uuid[])
        AND (i."state" <> 'pending' OR (p."kind" = 'person' AND p."is_reviewer" AND p."disabled_at" IS NULL
          AND (p."remit" IS NULL OR remit_covers(p."remit", i."audience"))))`;
    for (const { item, person } of rows) voters.set(item, [...(voters.get(item) ?? []), person]);
    return voters;
  }

  /** Whether a person edited the item or voted for it. */
  async isTouchedByReviewer(tx: Statements, item: Pick<Item, 'id' | 'editorId'>): Promise<boolean> {
    return item.editorId !== null || (await this.approvers(tx, [item])).size > 0;
  }

  /** The halves of an override of these bytes that were given after that moment, by people who are reviewers now. */
  async overrides(tx: Tx, item: Item, after: Date): Promise<{ personId: string; reason: string | null }[]> {
    const rows = await tx.approvalDecision.findMany({
      where: {
        ...{ itemId: item.id, revision: item.revision, artifactSha256: item.artifactSha256, verdict: 'override' },
        decidedAt: { gt: after },
        principal: { kind: 'person', isReviewer: true, disabledAt: null },
      },
      orderBy: { decidedAt: 'desc' },
    });
    return rows.map(({ principalId, reason }) => ({ personId: principalId, reason }));
  }

  /** How many people could vote on each of the items. */
  async reviewers(tx: Statements, itemIds: readonly string[]): Promise<Map<string, number>> {
    if (itemIds.length === 0) return new Map();
    const rows = await tx.$queryRaw<{ item: string; count: bigint }[]>`
      SELECT i."id"::text AS "item", count(*) AS "count"
      FROM "approval_item" i JOIN "principal" p ON remit_covers(p."remit", i."audience")
      WHERE i."id" = ANY (${[...itemIds]}::uuid[]) AND p."kind" = 'person' AND p."is_reviewer"
        AND p."disabled_at" IS NULL
      GROUP BY i."id"`;
    return new Map(rows.map(({ item, count }) => [item, Number(count)]));
  }

  async nameOf(tx: Tx, principalId: string): Promise<string | null> {
    return (await tx.principal.findUnique({ where: { id: principalId } }))?.name ?? null;
  }
}
