import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { insertRows, type SqlClient } from '../../platform/database/sql-client.js';
import type { Proposal, ProposalDecision, Verdict } from '../proposals/proposal.js';

interface NewDecision {
  readonly id: string;
  readonly proposal: Proposal;
  readonly principalId: string;
  readonly verdict: Verdict;
  readonly reason?: string;
  /** How many people have to approve: computed when the vote is cast, never read from the proposal alone. */
  readonly votesNeeded: number;
  readonly at: Date;
}

/** The votes and decisions on proposals. Rows are only added, never changed. */
@Injectable()
export class VoteRepository {
  async add(tx: SqlClient, ...decisions: readonly NewDecision[]): Promise<void> {
    const rows = decisions.map(({ id, proposal, principalId, verdict, reason, votesNeeded, at }) => ({
      id,
      proposalId: proposal.id,
      revision: proposal.revision,
      artifactSha256: proposal.artifactSha256,
      principalId,
      verdict,
      reason: reason ?? null,
      votesNeeded,
      decidedAt: at,
    }));
    await insertRows(tx, 'proposal_decision', rows);
  }

  async listDecisions(tx: Tx, proposalId: string): Promise<ProposalDecision[]> {
    const rows = await tx.proposalDecision.findMany({
      where: { proposalId: proposalId },
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

  /**
   * The ids of the approvers of each current revision. Pending proposals count only active reviewers within scope, as
   * the database does.
   */
  async approvers(tx: SqlClient, proposals: readonly Pick<Proposal, 'id'>[]): Promise<Map<string, string[]>> {
    const voters = new Map<string, string[]>();
    const ids = proposals.map(({ id }) => id);
    const rows = await tx.$queryRaw<{ proposal: string; person: string }[]>`
      SELECT i."id"::text AS "proposal", p."id"::text AS "person"
      FROM "proposal" i
      JOIN "proposal_decision" d ON d."proposal_id" = i."id" AND d."revision" = i."revision"
       AND d."artifact_sha256" = i."artifact_sha256" AND d."verdict" = 'approved'
      JOIN "principal" p ON p."id" = d."principal_id"
      WHERE i."id" = ANY (${ids}::uuid[]) AND d."proposal_id" = ANY (${ids}::uuid[])
        AND (i."state" <> 'pending' OR (p."kind" = 'person' AND p."is_reviewer" AND p."disabled_at" IS NULL
          AND (p."review_scope" IS NULL OR review_scope_covers(p."review_scope", i."audience"))))`;
    for (const { proposal, person } of rows) voters.set(proposal, [...(voters.get(proposal) ?? []), person]);
    return voters;
  }

  /**
   * The facts of an installation that count for a vote: how many agents receive the skill (counted up to `most`), and
   * the largest number of votes that an earlier vote on the same revision asked for.
   */
  async standings(
    tx: SqlClient,
    ids: readonly string[],
    most: number,
  ): Promise<Map<string, { readonly reach: number; readonly asked: number }>> {
    const rows = await tx.$queryRaw<{ id: string; reach: number; asked: number }[]>`
      SELECT i."id"::text AS "id", COALESCE(max(d."votes_needed"), 1)::int AS "asked",
        (SELECT count(*) FROM (SELECT 1 FROM "principal" WHERE "kind" = 'agent' AND "disabled_at" IS NULL
                               LIMIT ${most}) a)::int AS "reach"
      FROM "proposal" i
      LEFT JOIN "proposal_decision" d ON d."proposal_id" = i."id" AND d."revision" = i."revision"
       AND d."artifact_sha256" = i."artifact_sha256" AND d."verdict" = 'approved'
      WHERE i."id" = ANY (${[...ids]}::uuid[]) GROUP BY i."id"`;
    return new Map(rows.map(({ id, ...standing }) => [id, standing]));
  }

  /** Whether a person edited the proposal or voted for it. */
  async isTouchedByReviewer(tx: SqlClient, proposal: Pick<Proposal, 'id' | 'editorId'>): Promise<boolean> {
    return proposal.editorId !== null || (await this.approvers(tx, [proposal])).size > 0;
  }

  /** The override approvals of these bytes since a time, by people who are active reviewers now. */
  async overrideHalves(
    tx: Tx,
    proposal: Proposal,
    after: Date,
  ): Promise<{ personId: string; reason: string | null }[]> {
    const rows = await tx.proposalDecision.findMany({
      where: {
        proposalId: proposal.id,
        revision: proposal.revision,
        artifactSha256: proposal.artifactSha256,
        verdict: 'override',
        decidedAt: { gt: after },
        principal: { kind: 'person', isReviewer: true, disabledAt: null },
      },
      orderBy: { decidedAt: 'desc' },
    });
    return rows.map(({ principalId, reason }) => ({ personId: principalId, reason }));
  }

  /** The number of people who can vote on each proposal. */
  async countReviewers(tx: SqlClient, proposalIds: readonly string[]): Promise<Map<string, number>> {
    if (proposalIds.length === 0) return new Map();
    const rows = await tx.$queryRaw<{ proposal: string; count: bigint }[]>`
      SELECT i."id"::text AS "proposal", count(*) AS "count"
      FROM "proposal" i JOIN "principal" p ON review_scope_covers(p."review_scope", i."audience")
      WHERE i."id" = ANY (${[...proposalIds]}::uuid[]) AND p."kind" = 'person' AND p."is_reviewer"
        AND p."disabled_at" IS NULL
      GROUP BY i."id"`;
    return new Map(rows.map(({ proposal, count }) => [proposal, Number(count)]));
  }

  async nameOf(tx: Tx, principalId: string): Promise<string | null> {
    return (await tx.principal.findUnique({ where: { id: principalId } }))?.name ?? null;
  }
}
