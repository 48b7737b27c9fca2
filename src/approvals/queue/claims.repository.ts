import { Injectable } from '@nestjs/common';
import { NIL_UUID } from '../../platform/base/ids.js';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';

/** The claim of a proposal. File and evidence are left out, because there may be thousands. */
export interface ProposalClaim {
  readonly id: string;
  readonly supersedesId: string | null;
  readonly fingerprints: readonly string[];
  readonly actionFingerprint: string;
  readonly applicability: string;
  readonly condition: string;
  readonly action: string;
  readonly confidence: number;
  /** The number of executions in its evidence. */
  readonly executions: number;
}

/** A rejected pattern. */
export interface Rejection {
  readonly id: string;
  readonly fingerprints: readonly string[];
  readonly actionFingerprint: string;
  /** The number of distinct agents in the evidence at the rejection. */
  readonly agents: number;
  readonly reason: string;
  readonly decidedAt: Date;
}

/** Rows of a query. Between two queries the process can answer requests. */
const PAGE = 500;

/** Reads the claims of pending and approved proposals, and the rejections. */
@Injectable()
export class ClaimsRepository {
  /** The pending proposals of cycles, highest impact first. Retirements and amendments by people are not included. */
  pending(tx: Tx): Promise<ProposalClaim[]> {
    return this.claims(
      tx,
      Prisma.sql`"state" = 'pending' AND "kind" <> 'retire' AND ("kind" <> 'amend' OR "cycle_id" IS NOT NULL)`,
    );
  }

  /** The approved proposals, highest impact first. */
  approved(tx: Tx): Promise<ProposalClaim[]> {
    return this.claims(tx, Prisma.sql`"state" = 'approved'`);
  }

  /**
   * The rejections of one pattern or of all patterns, newest first. An approved retirement counts as a rejection of the
   * pattern; a rejected external edit does not.
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
