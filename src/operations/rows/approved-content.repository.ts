import type { SqlClient } from '../../platform/database/sql-client.js';

/** A row that no person's approval covers. */
export interface Unapproved {
  readonly kind: 'decision' | 'proposal' | 'org memory' | 'publication';
  readonly id: string;
  readonly reason: string;
}

/**
 * The rules of the gate over rows as they are, for rows that no trigger judged when they were written. The triggers
 * judge each step on the way; these queries judge its result. They do not ask whether a person is still a reviewer:
 * people leave after they have decided.
 */
export class ApprovedContent {
  constructor(private readonly sql: SqlClient) {}

  /** Returns up to a few rows that break a rule. */
  async unapproved(): Promise<Unapproved[]> {
    return [
      ...(await this.decisions()),
      ...(await this.proposals()),
      ...(await this.orgMemory()),
      ...(await this.publications()),
    ];
  }

  private decisions(): Promise<Unapproved[]> {
    return this.sql.$queryRaw`
      SELECT 'decision' AS "kind", d."id"::text AS "id", 'was not made by a person' AS "reason"
        FROM "proposal_decision" d JOIN "principal" p ON p."id" = d."principal_id" WHERE p."kind" <> 'person' LIMIT 3`;
  }

  /** A decided proposal has the decisions that decide it, on its bytes, and an approved one its entry in the journal. */
  private proposals(): Promise<Unapproved[]> {
    return this.sql.$queryRaw`
      SELECT 'proposal' AS "kind", prop."id"::text AS "id", rule."broken" AS "reason"
        FROM "proposal" prop
        CROSS JOIN LATERAL (
          SELECT count(DISTINCT d."principal_id") FILTER (WHERE d."verdict" = 'approved') AS "votes",
                 count(DISTINCT d."principal_id") FILTER (WHERE d."verdict" <> 'rejected') AS "people",
                 count(*) FILTER (WHERE d."verdict" = 'rejected') AS "rejections",
                 coalesce(bool_or(d."principal_id" IS DISTINCT FROM prop."editor_id"
                   AND d."principal_id" <> ALL (coalesce(prop."earlier_editor_ids", '{}'))
                   AND d."principal_id" IS DISTINCT FROM prop."source_owner_id")
                   FILTER (WHERE d."verdict" <> 'rejected'), false) AS "by_others"
            FROM "proposal_decision" d JOIN "principal" p ON p."id" = d."principal_id" AND p."kind" = 'person'
           WHERE d."proposal_id" = prop."id" AND d."revision" = prop."revision"
             AND d."artifact_sha256" = prop."artifact_sha256") cast_on
        CROSS JOIN LATERAL (
          SELECT EXISTS (
            SELECT 1 FROM "proposal_decision" one
              JOIN "proposal_decision" other ON other."proposal_id" = one."proposal_id" AND other."verdict" = 'override'
               AND other."revision" = one."revision" AND other."artifact_sha256" = one."artifact_sha256"
               AND other."principal_id" <> one."principal_id" AND other."decided_at" >= one."decided_at"
               AND other."decided_at" < one."decided_at" + interval '1 hour'
             WHERE one."proposal_id" = prop."id" AND one."revision" = prop."revision"
               AND one."artifact_sha256" = prop."artifact_sha256" AND one."verdict" = 'override') AS "overridden") o
        CROSS JOIN LATERAL (SELECT CASE
          WHEN prop."state" = 'rejected' THEN
            CASE WHEN cast_on."rejections" = 0 THEN 'has no such decision by a person' END
          WHEN NOT o."overridden" AND (cast_on."votes" = 0 OR cast_on."votes" < prop."votes_needed")
            THEN 'lacks votes of people on exactly its bytes'
          WHEN cast_on."people" < 2 AND NOT cast_on."by_others" THEN 'was approved by its author alone'
          WHEN NOT EXISTS (
            SELECT 1 FROM "journal_entry" j
             WHERE j."subject_type" = 'proposal' AND j."subject_id" = prop."id"::text
               AND j."action" IN ('proposal.approved', 'proposal.overridden') AND j."actor_kind" = 'reviewer'
               AND j."data"::jsonb ->> 'artifactSha256' = prop."artifact_sha256")
            THEN 'has no approval of exactly its bytes in the journal' END) rule("broken")
       WHERE prop."state" IN ('approved', 'rejected') AND rule."broken" IS NOT NULL LIMIT 3`;
  }

  /** The content that agents receive is that of an approved proposal, and it ended only by a decision that names it. */
  private orgMemory(): Promise<Unapproved[]> {
    return this.sql.$queryRaw`
      SELECT 'org memory' AS "kind", m."id"::text AS "id", rule."broken" AS "reason"
        FROM "memory" m
        CROSS JOIN LATERAL (SELECT CASE
          WHEN NOT EXISTS (
            SELECT 1 FROM "proposal" prop
             WHERE prop."id" = m."proposal_id" AND prop."state" = 'approved' AND prop."kind" <> 'retire'
               AND prop."artifact_sha256" = m."content_sha256"
               AND prop."skill_name" = m."skill_name" AND prop."version" = m."version"
               AND prop."proposed_skill" ->> 'discovery' = m."discovery" AND prop."proposed_skill" ->> 'condition' = m."condition"
               AND prop."proposed_skill" ->> 'action' = m."action" AND prop."proposed_skill" ->> 'rationale' = m."rationale"
               AND lesson_parts(prop."proposed_skill") = coalesce(m."parts", '{}')
               AND prop."proposed_skill" -> 'steps' = m."steps" AND prop."proposed_skill" -> 'tags' = to_jsonb(m."tags"))
            THEN 'has no approval of exactly its content'
          WHEN m."superseded_at" IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM "proposal" prop WHERE prop."supersedes_id" = m."id" AND prop."state" = 'approved')
            THEN 'ended without a decision that names it' END) rule("broken")
       WHERE m."scope" = 'org' AND rule."broken" IS NOT NULL LIMIT 3`;
  }

  /** What git gets is what was approved, and the journal entry that it names is that decision. */
  private publications(): Promise<Unapproved[]> {
    return this.sql.$queryRaw`
      SELECT 'publication' AS "kind", n."id"::text AS "id", rule."broken" AS "reason"
        FROM "publication" n
        LEFT JOIN "proposal" prop ON prop."id" = n."proposal_id" AND prop."skill_name" = n."skill_name"
          AND prop."state"::text = CASE n."kind" WHEN 'restore' THEN 'rejected' ELSE 'approved' END
        LEFT JOIN "memory" m ON m."id" = prop."supersedes_id"
        CROSS JOIN LATERAL (SELECT CASE
          WHEN prop."id" IS NULL OR NOT CASE n."kind"
            WHEN 'restore' THEN prop."edit" IS NOT NULL AND m."scope" = 'org' AND m."skill_name" = n."skill_name"
              AND m."version" = n."version" AND m."content_sha256" = n."artifact_sha256"
            ELSE prop."artifact_sha256" = n."artifact_sha256" AND prop."version" = n."version" END
            THEN 'has no approval of exactly its bytes'
          WHEN n."kind" <> 'restore' AND (prop."kind" = 'retire') <> (n."kind" = 'retire')
            THEN 'does something else than was approved'
          WHEN n."renamed_from" IS DISTINCT FROM
              CASE WHEN prop."kind" IN ('amend', 'supersede') AND prop."state" = 'approved' AND m."skill_name" <> prop."skill_name"
                THEN m."skill_name" END
            THEN 'renames a skill otherwise than was approved'
          WHEN NOT EXISTS (
            SELECT 1 FROM "journal_entry" j
             WHERE j."seq" = n."journal_seq" AND j."hash" = n."journal_hash" AND j."subject_id" = n."proposal_id"::text
               AND CASE n."kind" WHEN 'restore' THEN j."action" = 'proposal.rejected'
                     ELSE j."action" IN ('proposal.approved', 'proposal.overridden') END
               AND j."data"::jsonb ->> 'artifactSha256' = prop."artifact_sha256")
            THEN 'names no entry of the journal with this decision' END) rule("broken")
       WHERE rule."broken" IS NOT NULL LIMIT 3`;
  }
}
