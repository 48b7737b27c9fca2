import { Injectable } from '@nestjs/common';
import { Binding } from '../../evidence/predicate/check.schema.js';
import { LearnedClaim } from '../../learning/patterns/pattern.schema.js';
import { NIL_UUID } from '../../platform/base/ids.js';
import type { Tx } from '../../platform/database/database.js';
import { Prisma } from '../../platform/generated/prisma/client.js';

/** Those who met a failure, by what counts as one party. */
export interface MetBy {
  /** On independent tasks. */
  readonly agents: number;
  readonly projects: number;
  readonly tasks: number;
}

/** The claim of a proposal. File and evidence are left out, because there may be thousands. */
export interface ProposalClaim extends MetBy {
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
  /** What the learning core found, if it did. */
  readonly learned?: LearnedClaim | undefined;
  /** Where it holds. */
  readonly binding?: Binding | undefined;
}

/** A rejected pattern. */
export interface Rejection extends MetBy {
  readonly id: string;
  readonly fingerprints: readonly string[];
  readonly actionFingerprint: string;
  readonly reason: string;
  readonly decidedAt: Date;
  /** What failed: the tool and its coarse action. */
  readonly tool: string;
  readonly failingAction: string;
  /** The proposal was submitted again. */
  readonly reopened: boolean;
}

/** A skill that a merge retired. */
export interface MergedSkill {
  readonly fingerprints: readonly string[];
  readonly actionFingerprint: string;
  /** The name of the skill that stayed. */
  readonly keptName: string;
}

/** An approved proposal of which a person wrote a part, as it is stored. */
export interface EditedRow {
  readonly proposalId: string;
  readonly fingerprints: readonly string[];
  readonly actionFingerprint: string;
  readonly texts: unknown;
  readonly authored: unknown;
}

/** The predicate of a proposal and its gate, as they are stored. */
export interface ClaimedPredicate {
  readonly proposalId: string;
  readonly predicate: unknown;
  readonly gate: unknown;
}

/** A proposal about a family. */
export interface FamilyProposal {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly kind: string;
  /** `rules`, or a provider with a model. */
  readonly writer: string;
  /** Why it was rejected. */
  readonly reason: string | null;
}

interface ClaimRow extends Omit<ProposalClaim, 'learned' | 'binding'> {
  readonly impact: number;
  readonly learned: unknown;
  readonly binding: unknown;
}

const MOST_OF_A_FAMILY = 20;

/** Edited lessons that new versions may follow. */
const MOST_EDITED = 1_000;

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
   * What merges retired while a skill says the same: its patterns and remedy, and the skill that stayed. It is no rejection,
   * because what was retired is still approved.
   */
  merged(tx: Tx): Promise<MergedSkill[]> {
    return tx.$queryRaw`
      SELECT "fingerprints", "action_fingerprint" AS "actionFingerprint", "request" #>> '{keep,skillName}' AS "keptName"
      FROM "proposal" WHERE "state" = 'approved' AND "kind" = 'retire' AND "request" ->> 'reason' = 'merge' ORDER BY "id"`;
  }

  /**
   * The rejections of all patterns, newest first. A retirement is none, and neither is a rejected external edit. Those of one
   * pattern are for a reviewer, who also reads why its skills were retired, merges apart.
   */
  rejections(tx: Tx, fingerprint?: string): Promise<Rejection[]> {
    const rejected = Prisma.sql`d."verdict" = 'rejected' AND i."kind" NOT IN ('retire', 'amend')`;
    const retired = Prisma.sql`d."verdict" IN ('approved', 'override') AND i."kind" = 'retire' AND i."state" = 'approved'
      AND COALESCE(i."request" ->> 'reason', '') <> 'merge'`;
    const filter =
      fingerprint === undefined
        ? rejected
        : Prisma.sql`i."fingerprints" @> ARRAY[${fingerprint}] AND ((${rejected}) OR (${retired}))`;
    return tx.$queryRaw`
      SELECT i."id"::text AS "id", i."fingerprints", i."action_fingerprint" AS "actionFingerprint", i."agents",
        COALESCE((i."evidence" ->> 'projects')::int, i."agents") AS "projects",
        COALESCE((i."evidence" ->> 'origins')::int, i."agents") AS "tasks",
        CASE WHEN i."kind" = 'retire' THEN 'Retired: ' ELSE '' END || COALESCE(d."reason", i."request" ->> 'says', '') AS "reason", d."decided_at" AS "decidedAt",
        COALESCE(i."evidence" #>> '{failing,tool}', '') AS "tool",
        COALESCE(i."evidence" #>> '{failing,action}', '') AS "failingAction",
        EXISTS (SELECT FROM "proposal" r WHERE r."reopened_from_id" = i."id") AS "reopened"
      FROM "proposal_decision" d JOIN "proposal" i ON i."id" = d."proposal_id"
      WHERE ${filter}
      ORDER BY d."decided_at" DESC`;
  }

  /** The newest proposals about a family, of whatever state, at most `MOST_OF_A_FAMILY`. */
  ofFamily(tx: Tx, fingerprint: string): Promise<FamilyProposal[]> {
    return tx.$queryRaw`
      SELECT i."id"::text AS "id", i."title", i."state"::text AS "state", i."kind"::text AS "kind",
        COALESCE(i."evidence" #>> '{writer,by}', 'rules') AS "writer",
        (SELECT d."reason" FROM "proposal_decision" d WHERE d."proposal_id" = i."id" AND d."verdict" = 'rejected'
          ORDER BY d."decided_at" DESC LIMIT 1) AS "reason"
      FROM "proposal" i WHERE i."fingerprints" @> ARRAY[${fingerprint}]
      ORDER BY i."created_at" DESC, i."id" LIMIT ${MOST_OF_A_FAMILY}`;
  }

  /** What approved proposals claim, by id. */
  async predicates(tx: Tx, ids: readonly string[]): Promise<ClaimedPredicate[]> {
    return tx.$queryRaw`
      SELECT "id"::text AS "proposalId", "proposed_skill" -> 'predicate' AS "predicate",
        "proposed_skill" -> 'gate' AS "gate"
      FROM "proposal" WHERE "id" = ANY (${[...ids]}::uuid[]) AND "proposed_skill" -> 'predicate' IS NOT NULL`;
  }

  /** The newest approved proposals of which a person wrote a part, at most `MOST_EDITED`. */
  edited(tx: Tx): Promise<EditedRow[]> {
    return tx.$queryRaw`
      SELECT "id"::text AS "proposalId", "fingerprints", "action_fingerprint" AS "actionFingerprint",
        "proposed_skill" AS "texts", "evidence" -> 'authored' AS "authored"
      FROM "proposal" WHERE "state" = 'approved' AND "kind" <> 'retire'
        AND jsonb_array_length(COALESCE("evidence" -> 'authored', '[]'::jsonb)) > 0
      ORDER BY "decided_at" DESC, "id" LIMIT ${MOST_EDITED}`;
  }

  private async claims(tx: Tx, filter: Prisma.Sql): Promise<ProposalClaim[]> {
    const found: (ProposalClaim & { impact: number })[] = [];
    for (let after: string | undefined = NIL_UUID; after !== undefined; ) {
      const page: ClaimRow[] = await tx.$queryRaw`
        SELECT "id"::text AS "id", "supersedes_id"::text AS "supersedesId", "fingerprints",
          "action_fingerprint" AS "actionFingerprint", "applicability", "confidence", "impact",
          GREATEST(p."agents", known."agents") AS "agents",
          GREATEST(COALESCE(("evidence" ->> 'projects')::int, p."agents"), known."projects") AS "projects",
          GREATEST(COALESCE(("evidence" ->> 'origins')::int, p."agents"), known."tasks") AS "tasks",
          "proposed_skill" ->> 'condition' AS "condition", "proposed_skill" ->> 'action' AS "action",
          ("evidence" ->> 'executions')::int AS "executions",
          "proposed_skill" #> '{predicate,learned}' AS "learned", "proposed_skill" -> 'binding' AS "binding"
        FROM "proposal" p LEFT JOIN LATERAL (
          SELECT max(c."agents") AS "agents", max(c."projects") AS "projects", max(c."tasks") AS "tasks"
          FROM "memory" m JOIN "live_check" c ON c."memory_id" = m."id" WHERE m."proposal_id" = p."id"
        ) known ON true
        WHERE ${filter} AND "id" > ${after}::uuid ORDER BY "id" LIMIT ${PAGE}`;
      // What cannot be read as a pattern is compared by its words.
      for (const row of page)
        found.push({
          ...row,
          learned: LearnedClaim.safeParse(row.learned).data,
          binding: Binding.safeParse(row.binding).data,
        });
      after = page.length === PAGE ? page.at(-1)?.id : undefined;
    }
    return found.sort((a, b) => b.impact - a.impact);
  }
}
