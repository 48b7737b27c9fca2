import { Injectable } from '@nestjs/common';
import { NIL_UUID } from '../../platform/base/ids.js';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';

/** What an item claims, without its file and evidence: there may be thousands. */
export interface ProposalClaim {
  readonly id: string;
  readonly supersedesId: string | null;
  readonly fingerprints: readonly string[];
  readonly actionFingerprint: string;
  readonly applicability: string;
  readonly condition: string;
  readonly action: string;
  readonly confidence: number;
  /** Executions that speak for it. */
  readonly executions: number;
}

/** What a person said no to. */
export interface Rejection {
  readonly id: string;
  readonly fingerprints: readonly string[];
  readonly actionFingerprint: string;
  /** Distinct agents behind it when it was rejected. */
  readonly agents: number;
  readonly reason: string;
  readonly decidedAt: Date;
}

/** Read at once: others have their answer in between. */
const PAGE = 500;

/** What the queue knows of patterns: what waits, what was approved and what was rejected. */
@Injectable()
export class ClaimsRepository {
  /** The proposals of cycles that wait for a decision, best first; what people ask for a live skill is theirs. */
  pending(tx: Tx): Promise<ProposalClaim[]> {
    return this.claims(
      tx,
      Prisma.sql`"state" = 'pending' AND "kind" <> 'retire' AND ("kind" <> 'amend' OR "cycle_id" IS NOT NULL)`,
    );
  }

  /** What is approved, best first. */
  approved(tx: Tx): Promise<ProposalClaim[]> {
    return this.claims(tx, Prisma.sql`"state" = 'approved'`);
  }

  /**
   * What people said against one pattern, or against any, newest first: a skill that was retired was said no to, too; a
   * hand edit that was rejected says nothing about the pattern.
   */
  rejections(tx: Tx, fingerprint?: string): Promise<Rejection[]> {
    const pattern =
      fingerprint === undefined ? Prisma.empty : Prisma.sql`AND i."fingerprints" @> ARRAY[${fingerprint}]`;
    return tx.$queryRaw`
      SELECT i."id"::text AS "id", i."fingerprints", i."action_fingerprint" AS "actionFingerprint", i."agents",
        COALESCE(d."reason", i."request" ->> 'says', '') AS "reason", d."decided_at" AS "decidedAt"
      FROM "proposal_decision" d JOIN "proposal" i ON i."id" = d."proposal_id"
      WHERE ((d."verdict" = 'rejected' AND i."kind" NOT IN ('retire', 'amend'))
        OR (d."verdict" IN ('approved', 'override') AND i."kind" = 'retire' AND i."state" = 'approved')) ${pattern}
      ORDER BY d."decided_at" DESC`;
  }

  private async claims(tx: Tx, filter: Prisma.Sql): Promise<ProposalClaim[]> {
    const found: (ProposalClaim & { impact: number })[] = [];
    for (let after: string | undefined = NIL_UUID; after !== undefined; ) {
      const page: (ProposalClaim & { impact: number })[] = await tx.$queryRaw`
        SELECT "id"::text AS "id", "supersedes_id"::text AS "supersedesId", "fingerprints",
          "action_fingerprint" AS "actionFingerprint", "applicability", "confidence", "impact",
          "proposed_skill" ->> 'condition' AS "condition", "proposed_skill" ->> 'action' AS "action",
          ("evidence" ->> 'executions')::int AS "executions"
        FROM "proposal" WHERE ${filter} AND "id" > ${after}::uuid ORDER BY "id" LIMIT ${PAGE}`;
      found.push(...page);
      after = page.length === PAGE ? page.at(-1)?.id : undefined;
    }
    return found.sort((a, b) => b.impact - a.impact);
  }
}
