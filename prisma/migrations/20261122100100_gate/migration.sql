-- The human-approval gate as the database enforces it, independently of the application: only people decide, on exactly
-- the bytes that they saw, and only approved content becomes org memory or is published. CHECK constraints and unique
-- indexes for the same purpose are beside their tables (schema); the rules for background work alone are in roles.
--
-- Order: people, votes, proposals, org memory, private memory, the outbox, append-only rows, and two rules beside the
-- gate. A rule that covers all rows of a statement is evaluated once per statement, over the transition table: a
-- statement that violates it in one row fails as a whole.

-- People. --------------------------------------------------------------------------------------------------------

-- A principal's kind never changes: an agent cannot become a person.
CREATE FUNCTION principal_kind_is_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."kind" <> OLD."kind" OR NEW."id" <> OLD."id" THEN
    RAISE EXCEPTION 'gate: the kind of a principal never changes' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER principal_kind_is_fixed BEFORE UPDATE ON "principal"
  FOR EACH ROW EXECUTE FUNCTION principal_kind_is_fixed();

-- Votes count people, and people sign in by their address. A second person with the same address would give one human
-- two votes.
CREATE FUNCTION principal_has_own_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Serialises registrations, so that the second of two concurrent ones sees the first.
  PERFORM pg_advisory_xact_lock(hashtextextended('principal_has_own_address', 0));
  IF EXISTS (SELECT 1 FROM "principal" WHERE "kind" = 'person' AND "disabled_at" IS NULL AND "id" <> NEW."id"
               AND lower("email") = lower(NEW."email")) THEN
    RAISE EXCEPTION 'gate: another person has this address' USING ERRCODE = 'unique_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER principal_has_own_address BEFORE INSERT OR UPDATE OF "email", "disabled_at" ON "principal"
  FOR EACH ROW WHEN (NEW."kind" = 'person' AND NEW."disabled_at" IS NULL AND NEW."email" IS NOT NULL)
  EXECUTE FUNCTION principal_has_own_address();

-- A person signs in and has no long-lived token; an agent or a service has only such tokens.
CREATE FUNCTION credential_belongs_to_kind() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE owner_kind "PrincipalKind";
BEGIN
  SELECT "kind" INTO owner_kind FROM "principal" WHERE "id" = NEW."principal_id";
  IF NEW."kind" <> 'token' AND owner_kind <> 'person' THEN
    RAISE EXCEPTION 'gate: a % credential belongs to a person', NEW."kind" USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."kind" = 'token' AND owner_kind = 'person' THEN
    RAISE EXCEPTION 'gate: a person has no long-lived token' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER credential_belongs_to_kind BEFORE INSERT OR UPDATE ON "credential"
  FOR EACH ROW EXECUTE FUNCTION credential_belongs_to_kind();

-- Returns true if a part of the review scope covers every group of the audience. No review scope (NULL) covers the
-- whole organisation; an empty audience means everybody. Not LANGUAGE sql: PostgreSQL plans such a function in every
-- statement that calls it, which took longer than all other triggers together.
CREATE FUNCTION review_scope_covers(review_scope jsonb, audience jsonb) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN review_scope IS NULL OR (jsonb_array_length(audience) > 0 AND NOT EXISTS (
    SELECT 1 FROM jsonb_array_elements(audience) place WHERE NOT EXISTS (
      SELECT 1 FROM jsonb_array_elements(review_scope) part
       WHERE (part ->> 'department' IS NOT NULL OR part ->> 'role' IS NOT NULL)
         AND (part ->> 'department' IS NULL OR part ->> 'department' = place ->> 'department')
         AND (part ->> 'role' IS NULL OR part ->> 'role' = place ->> 'role'))));
END $$;

-- Votes. ---------------------------------------------------------------------------------------------------------

-- A decision is made by an active reviewer, on the bytes of a pending proposal's current revision, within the
-- reviewer's scope. An override ignores the scope and states a reason.
CREATE FUNCTION proposal_decisions_are_human() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong text;
BEGIN
  SELECT rule."broken" INTO wrong
    FROM cast_now d
    LEFT JOIN "principal" p ON p."id" = d."principal_id" AND p."kind" = 'person' AND p."is_reviewer"
      AND p."disabled_at" IS NULL
    LEFT JOIN "proposal" prop ON prop."id" = d."proposal_id" AND prop."revision" = d."revision"
      AND prop."artifact_sha256" = d."artifact_sha256" AND prop."state" = 'pending' AND prop."expires_at" > d."decided_at"
    CROSS JOIN LATERAL (SELECT CASE
        WHEN p."id" IS NULL THEN 'only an active person with the reviewer role decides'
        WHEN prop."id" IS NULL THEN 'a decision names the bytes of a pending proposal''s current revision'
        WHEN d."verdict" = 'override' THEN
          CASE WHEN COALESCE(d."reason", '') = '' THEN 'an override states a reason' END
        WHEN p."review_scope" IS NOT NULL AND NOT review_scope_covers(p."review_scope", prop."audience") THEN
          'the proposal lies outside this reviewer''s review scope'
      END) rule("broken")
   WHERE rule."broken" IS NOT NULL LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'gate: %', wrong USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER proposal_decisions_are_human AFTER INSERT ON "proposal_decision"
  REFERENCING NEW TABLE AS cast_now FOR EACH STATEMENT EXECUTE FUNCTION proposal_decisions_are_human();

-- Returns the overrides of exactly these bytes by people who are active reviewers now.
CREATE FUNCTION proposal_overrides(of_proposal uuid, of_revision int, bytes text)
  RETURNS TABLE ("principal_id" uuid, "decided_at" timestamptz) LANGUAGE sql STABLE AS $$
  SELECT d."principal_id", d."decided_at"
    FROM "proposal_decision" d JOIN "principal" p ON p."id" = d."principal_id"
   WHERE d."proposal_id" = of_proposal AND d."revision" = of_revision AND d."artifact_sha256" = bytes
     AND d."verdict" = 'override' AND p."kind" = 'person' AND p."is_reviewer" AND p."disabled_at" IS NULL
$$;

-- Proposals: content. --------------------------------------------------------------------------------------------

CREATE FUNCTION proposal_starts_pending() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'gate: a proposal starts pending' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER proposal_starts_pending BEFORE INSERT ON "proposal"
  FOR EACH ROW WHEN (NEW."state" <> 'pending') EXECUTE FUNCTION proposal_starts_pending();

-- A decided proposal is frozen. PostgreSQL fires triggers in the order of their names, so this one runs before
-- proposal_needs_new_revision, and its error names the actual reason.
CREATE FUNCTION proposal_decided_is_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'gate: proposal % is decided and cannot change', OLD."id" USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER proposal_decided_is_frozen BEFORE UPDATE ON "proposal"
  FOR EACH ROW WHEN (OLD."state" <> 'pending') EXECUTE FUNCTION proposal_decided_is_frozen();

-- The content that people vote on changes only as a new revision. The function lists the columns that may change
-- without one, so that a future column counts as content by default.
CREATE FUNCTION proposal_needs_new_revision() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  unchanged "proposal" := OLD;
BEGIN
  unchanged."state" := NEW."state";
  unchanged."updated_at" := NEW."updated_at";
  unchanged."decided_at" := NEW."decided_at";
  unchanged."expires_at" := NEW."expires_at";
  IF NEW IS DISTINCT FROM unchanged THEN
    RAISE EXCEPTION 'gate: what people vote on changes only as a new revision' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
-- Fires only if a statement writes one of these columns. Add new columns here: a spec of the gate tests every column
-- that the table has.
CREATE TRIGGER proposal_needs_new_revision BEFORE UPDATE OF
    "id", "kind", "revision", "fingerprint", "fingerprints", "action_fingerprint", "applicability", "skill_name",
    "version", "title", "proposed_skill", "artifact", "artifact_sha256", "evidence", "findings", "risk",
    "confidence", "impact", "urgent", "request", "agents", "audience", "supersedes_id", "edit", "editor_id",
    "earlier_editor_ids", "source_owner_id", "votes_needed", "reopened_from_id", "cluster", "cycle_id", "created_at",
    "verdict"
  ON "proposal" FOR EACH ROW WHEN (NEW."revision" <= OLD."revision") EXECUTE FUNCTION proposal_needs_new_revision();

-- An external edit has no known author: a single reviewer might approve their own words.
CREATE FUNCTION proposal_unknown_author_needs_two() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'gate: the author of proposal % is unknown, so that two people must approve it', NEW."id"
    USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER proposal_unknown_author_needs_two BEFORE INSERT OR UPDATE OF "revision" ON "proposal"
  FOR EACH ROW WHEN (NEW."kind" = 'amend' AND NEW."edit" IS NOT NULL AND NEW."votes_needed" < 2)
  EXECUTE FUNCTION proposal_unknown_author_needs_two();

-- Proposals: decisions. ------------------------------------------------------------------------------------------

-- A proposal is rejected by one vote on its current bytes. It is approved by enough people's votes on them, at least
-- one of whom did not write this revision, or by two people's overrides within an hour.
CREATE FUNCTION proposals_move_by_decision() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  refused record;
BEGIN
  -- Refreshes and withdrawals need no decision, so skip the queries for them.
  IF NOT EXISTS (SELECT 1 FROM moved WHERE "state" IN ('rejected', 'approved')) THEN
    RETURN NULL;
  END IF;
  SELECT prop."id" INTO refused FROM moved prop
   WHERE prop."state" = 'rejected' AND NOT EXISTS (
     SELECT 1 FROM "proposal_decision" d WHERE d."proposal_id" = prop."id" AND d."revision" = prop."revision"
       AND d."artifact_sha256" = prop."artifact_sha256" AND d."verdict" = 'rejected') LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'gate: proposal % has no such decision by a person', refused."id" USING ERRCODE = 'check_violation';
  END IF;
  -- A vote counts while its person is an active reviewer with a matching scope, and once, however often it was cast.
  -- The number of votes is the largest that the proposal or one of its votes states: background work cannot lower it.
  SELECT prop."id", votes."votes_needed", votes."vote_count" INTO refused
    FROM moved prop
    CROSS JOIN LATERAL (
      SELECT count(DISTINCT p."id") AS "vote_count",
             GREATEST(prop."votes_needed", max(d."votes_needed")) AS "votes_needed",
             COALESCE(bool_or(p."id" IS DISTINCT FROM prop."editor_id"), false) AS "by_others"
        FROM "proposal_decision" d JOIN "principal" p ON p."id" = d."principal_id"
       WHERE d."proposal_id" = prop."id" AND d."revision" = prop."revision" AND d."artifact_sha256" = prop."artifact_sha256"
         AND d."verdict" = 'approved' AND p."kind" = 'person' AND p."is_reviewer" AND p."disabled_at" IS NULL
         AND (p."review_scope" IS NULL OR review_scope_covers(p."review_scope", prop."audience"))) votes
   WHERE prop."state" = 'approved' AND NOT (votes."vote_count" > 0 AND votes."vote_count" >= votes."votes_needed" AND votes."by_others")
     -- The overrides of two people replace the scope and the number of votes: two people satisfy the four-eyes rule.
     AND NOT EXISTS (
       SELECT 1 FROM proposal_overrides(prop."id", prop."revision", prop."artifact_sha256") one
         JOIN proposal_overrides(prop."id", prop."revision", prop."artifact_sha256") other
           ON other."principal_id" <> one."principal_id"
          AND other."decided_at" >= one."decided_at" AND other."decided_at" < one."decided_at" + interval '1 hour')
   LIMIT 1;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  IF refused."vote_count" = 0 THEN
    RAISE EXCEPTION 'gate: proposal % has no such decision by a person', refused."id" USING ERRCODE = 'check_violation';
  END IF;
  IF refused."vote_count" < refused."votes_needed" THEN
    RAISE EXCEPTION 'gate: proposal % has % of % votes', refused."id", refused."vote_count", refused."votes_needed"
      USING ERRCODE = 'check_violation';
  END IF;
  RAISE EXCEPTION 'gate: the editor of proposal % must not be its only approver', refused."id"
    USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER proposals_move_by_decision AFTER UPDATE ON "proposal"
  REFERENCING NEW TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION proposals_move_by_decision();

-- Four eyes over revisions: the author of an earlier revision is not the only approver of a revision by another person.
-- Otherwise a rewording by a second person would let the first approve their own words. Two people satisfy the rule, by
-- votes or by overrides.
CREATE FUNCTION proposal_earlier_editor_not_sole_approver() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  vote_count int;
  by_others boolean;
BEGIN
  SELECT count(DISTINCT v."id"), COALESCE(bool_or(v."id" <> ALL (NEW."earlier_editor_ids")), false)
    INTO vote_count, by_others
    FROM (
      SELECT p."id" FROM "proposal_decision" d JOIN "principal" p ON p."id" = d."principal_id"
       WHERE d."proposal_id" = NEW."id" AND d."revision" = NEW."revision" AND d."artifact_sha256" = NEW."artifact_sha256"
         AND d."verdict" = 'approved' AND p."kind" = 'person' AND p."is_reviewer" AND p."disabled_at" IS NULL
         AND review_scope_covers(p."review_scope", NEW."audience")
      UNION ALL
      SELECT o."principal_id" FROM proposal_overrides(NEW."id", NEW."revision", NEW."artifact_sha256") o) v("id");
  IF vote_count > 1 OR by_others THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'gate: the author of an earlier revision of proposal % must not be its only approver', NEW."id"
    USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER proposal_earlier_editor_not_sole_approver BEFORE UPDATE OF "state" ON "proposal"
  FOR EACH ROW WHEN (NEW."state" = 'approved' AND cardinality(NEW."earlier_editor_ids") > 0)
  EXECUTE FUNCTION proposal_earlier_editor_not_sole_approver();

-- Four eyes for evidence: the person who owns every agent that a proposal was learned from is not its only approver.
-- The row names that person as of the revision. Overrides are by two people and so include another one.
CREATE FUNCTION proposal_source_owner_not_sole_approver() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT 1 FROM "proposal_decision" d JOIN "principal" p ON p."id" = d."principal_id"
     WHERE d."proposal_id" = NEW."id" AND d."revision" = NEW."revision" AND d."artifact_sha256" = NEW."artifact_sha256"
       AND d."verdict" = 'approved' AND p."id" <> NEW."source_owner_id"
       AND p."kind" = 'person' AND p."is_reviewer" AND p."disabled_at" IS NULL AND review_scope_covers(p."review_scope", NEW."audience"))
    OR EXISTS (
    SELECT 1 FROM proposal_overrides(NEW."id", NEW."revision", NEW."artifact_sha256") o
     WHERE o."principal_id" <> NEW."source_owner_id") THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'gate: the owner of the source agents of proposal % must not be its only approver', NEW."id"
    USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER proposal_source_owner_not_sole_approver BEFORE UPDATE OF "state" ON "proposal"
  FOR EACH ROW WHEN (NEW."state" = 'approved' AND NEW."source_owner_id" IS NOT NULL)
  EXECUTE FUNCTION proposal_source_owner_not_sole_approver();

-- Org memory. ----------------------------------------------------------------------------------------------------

-- The parts of a lesson that a proposed skill holds beside its texts and steps.
CREATE FUNCTION lesson_parts(proposed_skill jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(jsonb_object_agg(p."key", p."value"), '{}') FROM jsonb_each(proposed_skill) p
   WHERE p."key" IN ('cause', 'environment', 'example', 'binding')
$$;

-- A new entry requires an approved proposal whose bytes a person approved. A retirement names the bytes to remove, and
-- its approval admits nothing.
CREATE FUNCTION memory_org_was_approved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM admitted WHERE "scope" = 'org') THEN
    RETURN NULL;
  END IF;
  IF EXISTS (
    SELECT 1 FROM admitted m WHERE m."scope" = 'org' AND NOT EXISTS (
      SELECT 1 FROM "proposal" prop JOIN "proposal_decision" d ON d."proposal_id" = prop."id"
        JOIN "principal" p ON p."id" = d."principal_id"
       WHERE prop."id" = m."proposal_id" AND prop."state" = 'approved' AND prop."artifact_sha256" = m."content_sha256"
         AND d."verdict" IN ('approved', 'override') AND d."artifact_sha256" = m."content_sha256" AND p."kind" = 'person'
         -- The content that agents will receive is the content of the approved proposal, under the approved name.
         AND prop."skill_name" = m."skill_name" AND prop."version" = m."version"
         AND prop."proposed_skill" ->> 'discovery' = m."discovery" AND prop."proposed_skill" ->> 'condition' = m."condition"
         AND prop."proposed_skill" ->> 'action' = m."action" AND prop."proposed_skill" ->> 'rationale' = m."rationale"
         AND lesson_parts(prop."proposed_skill") = coalesce(m."parts", '{}')
         AND prop."proposed_skill" -> 'steps' = m."steps" AND prop."proposed_skill" -> 'tags' = to_jsonb(m."tags"))) THEN
    RAISE EXCEPTION 'gate: org memory needs a person''s approval of exactly these bytes' USING ERRCODE = 'check_violation';
  END IF;
  IF EXISTS (
    SELECT 1 FROM admitted m JOIN "proposal" prop ON prop."id" = m."proposal_id"
     WHERE m."scope" = 'org' AND prop."kind" = 'retire') THEN
    RAISE EXCEPTION 'gate: a retirement admits nothing' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER memory_org_was_approved AFTER INSERT ON "memory"
  REFERENCING NEW TABLE AS admitted FOR EACH STATEMENT EXECUTE FUNCTION memory_org_was_approved();

-- An existing entry is frozen, except for its use and its end. An update cannot turn a private lesson into org memory
-- without the same approval.
CREATE FUNCTION memory_org_is_approved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE mutable_columns CONSTANT text[] := ARRAY['superseded_by_id', 'superseded_at', 'application_count', 'last_applied_at',
                                      'relevance_count', 'last_retrieved_at'];
BEGIN
  -- Lists the columns that may change, so that a future column is frozen by default.
  IF OLD."scope" = 'org' AND (
       (to_jsonb(NEW) - mutable_columns) IS DISTINCT FROM (to_jsonb(OLD) - mutable_columns)
       OR (OLD."superseded_at" IS NOT NULL AND NEW."superseded_at" IS NULL)) THEN
    RAISE EXCEPTION 'gate: an approved skill never changes in place' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."scope" = 'org' AND NOT EXISTS (
    SELECT 1 FROM "proposal" prop JOIN "proposal_decision" d ON d."proposal_id" = prop."id"
      JOIN "principal" p ON p."id" = d."principal_id"
     WHERE prop."id" = NEW."proposal_id" AND prop."state" = 'approved' AND prop."artifact_sha256" = NEW."content_sha256"
       AND d."verdict" IN ('approved', 'override') AND d."artifact_sha256" = NEW."content_sha256" AND p."kind" = 'person'
       -- The content that agents will receive is the content of the approved proposal, under the approved name.
       AND prop."skill_name" = NEW."skill_name" AND prop."version" = NEW."version"
       AND prop."proposed_skill" @> jsonb_build_object('discovery', NEW."discovery", 'condition', NEW."condition",
             'action', NEW."action", 'rationale', NEW."rationale")
       AND lesson_parts(prop."proposed_skill") = coalesce(NEW."parts", '{}')
       AND prop."proposed_skill" -> 'steps' = NEW."steps" AND prop."proposed_skill" -> 'tags' = to_jsonb(NEW."tags")) THEN
    RAISE EXCEPTION 'gate: org memory needs a person''s approval of exactly these bytes' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER memory_org_is_approved BEFORE UPDATE ON "memory"
  FOR EACH ROW WHEN (OLD."scope" = 'org' OR NEW."scope" = 'org') EXECUTE FUNCTION memory_org_is_approved();

CREATE FUNCTION memory_org_not_by_retirement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."scope" = 'org'
     AND EXISTS (SELECT 1 FROM "proposal" WHERE "id" = NEW."proposal_id" AND "kind" = 'retire') THEN
    RAISE EXCEPTION 'gate: a retirement admits nothing' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER memory_org_not_by_retirement BEFORE UPDATE ON "memory"
  FOR EACH ROW WHEN (NEW."scope" = 'org') EXECUTE FUNCTION memory_org_not_by_retirement();

-- A live skill ends only by a person's decision that names it: to replace it or to retire it.
CREATE FUNCTION memory_org_ends_by_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."scope" = 'org' AND OLD."superseded_at" IS NOT NULL AND NEW."superseded_at" IS DISTINCT FROM OLD."superseded_at" THEN
    RAISE EXCEPTION 'gate: an ended skill cannot be restored in place' USING ERRCODE = 'check_violation';
  END IF;
  IF OLD."scope" = 'org' AND OLD."superseded_at" IS NULL AND NEW."superseded_at" IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM "proposal" prop JOIN "proposal_decision" d ON d."proposal_id" = prop."id"
     WHERE prop."supersedes_id" = OLD."id" AND prop."state" = 'approved' AND d."verdict" IN ('approved', 'override')) THEN
    RAISE EXCEPTION 'gate: a skill is replaced or retired only by a person''s decision' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER memory_org_ends_by_decision BEFORE UPDATE ON "memory"
  FOR EACH ROW EXECUTE FUNCTION memory_org_ends_by_decision();

-- Org memory is superseded or retired, never deleted.
CREATE FUNCTION memory_org_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."scope" = 'org' THEN
    RAISE EXCEPTION 'gate: org memory is superseded, never deleted' USING ERRCODE = 'check_violation';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER memory_org_is_kept BEFORE DELETE ON "memory" FOR EACH ROW EXECUTE FUNCTION memory_org_is_kept();

-- Private memory. ------------------------------------------------------------------------------------------------

-- Who reported an execution never changes. Otherwise an agent that moves to another owner would confirm the lessons of
-- its former owner.
CREATE FUNCTION execution_reporter_is_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'gate: who reported an execution never changes' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER execution_reporter_is_fixed BEFORE UPDATE OF "agent_id", "owner", "reporter_id", "credential_id"
  ON "execution" FOR EACH ROW
  WHEN ((NEW."agent_id", NEW."owner", NEW."reporter_id", NEW."credential_id")
    IS DISTINCT FROM (OLD."agent_id", OLD."owner", OLD."reporter_id", OLD."credential_id"))
  EXECUTE FUNCTION execution_reporter_is_fixed();

-- Evidence names a source that exists: an active reviewer, an approved proposal, or an execution as it was reported.
CREATE FUNCTION memory_evidence_has_source() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."kind" = 'person' AND NOT EXISTS (
       SELECT 1 FROM "principal" p WHERE p."id"::text = NEW."source" AND p."kind" = 'person' AND p."is_reviewer"
          AND p."disabled_at" IS NULL) THEN
    RAISE EXCEPTION 'gate: only an active person with the reviewer role vouches for a memory' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."kind" = 'primary_source' AND NOT EXISTS (
       SELECT 1 FROM "proposal" prop WHERE prop."id"::text = NEW."source" AND prop."state" = 'approved') THEN
    RAISE EXCEPTION 'gate: a primary source is an approved proposal' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."kind" = 'tool_result' AND NOT EXISTS (
       SELECT 1 FROM "execution" e WHERE e."id" = NEW."execution_id" AND e."agent_id" = NEW."agent_id"
          AND e."reporter_id" = NEW."reporter_id" AND e."owner" IS NOT DISTINCT FROM NEW."owner") THEN
    RAISE EXCEPTION 'gate: a tool result names its execution and who reported it' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER memory_evidence_has_source BEFORE INSERT ON "memory_evidence"
  FOR EACH ROW EXECUTE FUNCTION memory_evidence_has_source();

-- Returns the same key for all spellings of an owner: a person goes by name and by address, and letters match in either
-- case. The parameter has the name of no column, which would hide it.
CREATE FUNCTION owner_key(spelled text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT COALESCE(
    (SELECT p."id"::text FROM "principal" p
      WHERE p."kind" = 'person' AND lower(spelled) IN (lower(p."name"), lower(p."email"))
      ORDER BY p."created_at", p."id" LIMIT 1),
    lower(spelled))
$$;

-- Returns what supports a private memory. `owners` and `credentials` count the reports in which its remedy worked,
-- together with the report that taught it. All reports of one reporter count as one credential, however often its token
-- was rotated. A report of an agent without a stated owner counts for neither.
CREATE FUNCTION memory_support(of_memory uuid)
  RETURNS TABLE ("by_person" boolean, "by_approval" boolean, "by_model" boolean, "owners" bigint, "credentials" bigint)
  LANGUAGE sql STABLE AS $$
  WITH latest AS (
    SELECT DISTINCT ON (v."kind", CASE WHEN v."kind" = 'tool_result' THEN v."source" END) v.*
      FROM "memory_evidence" v WHERE v."memory_id" = of_memory
     ORDER BY v."kind", CASE WHEN v."kind" = 'tool_result' THEN v."source" END, v."at" DESC, v."id" DESC),
  reported AS (
    SELECT owner_key(l."owner") AS "owner", l."reporter_id" FROM latest l
     WHERE l."kind" = 'tool_result' AND l."stance" = 'supports' AND l."whole" AND l."owner" IS NOT NULL
    UNION ALL
    SELECT owner_key(e."owner"), e."reporter_id" FROM "memory" m
      JOIN "execution" e ON e."id" = m."source_execution_id" AND e."agent_id" = m."agent_id"
     WHERE m."id" = of_memory AND e."owner" IS NOT NULL)
  SELECT EXISTS (SELECT 1 FROM latest WHERE "kind" = 'person' AND "stance" = 'supports'),
         EXISTS (SELECT 1 FROM latest WHERE "kind" = 'primary_source' AND "stance" = 'supports' AND "whole"),
         EXISTS (SELECT 1 FROM latest WHERE "kind" = 'second_model' AND "stance" = 'supports' AND "whole"),
         (SELECT count(DISTINCT "owner") FROM reported),
         (SELECT count(DISTINCT "reporter_id") FROM reported)
$$;

-- A private memory becomes verified only by evidence: a person, a skill that a person approved, a second model, or
-- reports of at least two owners with two credentials. No memory is written as verified, except for a copy.
CREATE FUNCTION memory_verified_by_evidence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND EXISTS (
    SELECT 1 FROM memory_support(NEW."id") s
     WHERE s."by_person" OR s."by_approval" OR s."by_model" OR (s."owners" >= 2 AND s."credentials" >= 2)) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'gate: a private memory is verified by a person, or by evidence of two owners and two credentials'
    USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER memory_verified_when_written BEFORE INSERT ON "memory"
  FOR EACH ROW WHEN (NEW."scope" <> 'org' AND NEW."provenance" = 'verified' AND NEW."propagated_from_id" IS NULL)
  EXECUTE FUNCTION memory_verified_by_evidence();
CREATE TRIGGER memory_verified_by_evidence BEFORE UPDATE OF "provenance", "scope", "propagated_from_id" ON "memory"
  FOR EACH ROW WHEN (NEW."scope" <> 'org' AND NEW."provenance" = 'verified' AND NEW."propagated_from_id" IS NULL
    AND (OLD."provenance" <> 'verified' OR OLD."propagated_from_id" IS NOT NULL))
  EXECUTE FUNCTION memory_verified_by_evidence();

-- A copy is worth no more than its source. The lock makes a concurrent change of the source wait, which then changes
-- this copy as well.
CREATE FUNCTION memory_copy_ranks_below_source() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  original record;
BEGIN
  SELECT "provenance", "confidence" INTO original FROM "memory" WHERE "id" = NEW."propagated_from_id" FOR SHARE;
  IF (NEW."provenance" = 'verified' AND original."provenance" IS DISTINCT FROM 'verified')
     OR NEW."confidence" > original."confidence" THEN
    RAISE EXCEPTION 'gate: a copy is worth no more than its source' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER memory_copy_ranks_below_source BEFORE INSERT OR UPDATE OF "provenance", "confidence", "propagated_from_id"
  ON "memory" FOR EACH ROW WHEN (NEW."scope" <> 'org' AND NEW."propagated_from_id" IS NOT NULL)
  EXECUTE FUNCTION memory_copy_ranks_below_source();

-- At the commit, no copy stands above a source that was demoted, not even an ended copy: an upkeep run can be undone.
CREATE FUNCTION memory_copies_follow_source() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM "memory" c JOIN "memory" s ON s."id" = c."propagated_from_id"
              WHERE s."id" = NEW."id" AND s."provenance" <> 'verified' AND c."provenance" = 'verified') THEN
    RAISE EXCEPTION 'gate: a copy is worth no more than its source' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER memory_copies_follow_source AFTER UPDATE OF "provenance" ON "memory"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD."provenance" = 'verified' AND NEW."provenance" <> 'verified')
  EXECUTE FUNCTION memory_copies_follow_source();

-- The outbox. ----------------------------------------------------------------------------------------------------

-- A new publication contains the approved bytes or, if a person rejected an external edit, the bytes of the live skill
-- that it had changed (`restore`). A retirement deletes and everything else publishes. A folder is deleted in the same
-- commit only as the proposal renames it.
CREATE FUNCTION publications_are_approved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong text;
BEGIN
  SELECT rule."broken" INTO wrong
    FROM added n
    LEFT JOIN "proposal" prop ON prop."id" = n."proposal_id" AND prop."skill_name" = n."skill_name"
      AND prop."state"::text = CASE n."kind" WHEN 'restore' THEN 'rejected' ELSE 'approved' END
    LEFT JOIN "memory" m ON m."id" = prop."supersedes_id"
    CROSS JOIN LATERAL (SELECT CASE
        WHEN prop."id" IS NULL
          -- The author of the commit is the person who decided.
          OR NOT EXISTS (
            SELECT 1 FROM "proposal_decision" d JOIN "principal" p ON p."id" = d."principal_id"
             WHERE d."proposal_id" = prop."id" AND d."artifact_sha256" = prop."artifact_sha256"
               AND CASE n."kind" WHEN 'restore' THEN d."verdict" = 'rejected' ELSE d."verdict" IN ('approved', 'override') END
               AND p."name" = n."author_name" AND p."email" = n."author_email")
          OR NOT CASE n."kind" WHEN 'restore' THEN
              prop."edit" IS NOT NULL AND m."id" IS NOT NULL AND m."scope" = 'org' AND m."skill_name" = n."skill_name"
                AND m."version" = n."version" AND m."content_sha256" = n."artifact_sha256" AND m."superseded_at" IS NULL
            ELSE prop."artifact_sha256" = n."artifact_sha256" AND prop."version" = n."version" END
          THEN 'only approved bytes are published'
        WHEN n."kind" <> 'restore' AND (prop."kind" = 'retire') <> (n."kind" = 'retire')
          THEN 'an approval publishes, and a retirement takes away'
        WHEN n."renamed_from" IS DISTINCT FROM
            CASE WHEN prop."kind" IN ('amend', 'supersede') AND prop."state" = 'approved' AND m."skill_name" <> prop."skill_name"
              THEN m."skill_name" END
          THEN 'a skill is renamed only as it was approved'
      END) rule("broken")
   WHERE rule."broken" IS NOT NULL LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'gate: %', wrong USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER publications_are_approved AFTER INSERT ON "publication"
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION publications_are_approved();

-- Checks each update of a publication: the publisher records its progress and changes nothing else. This does not check
-- the author and the live skill again, so that a later renamed person or replaced skill does not block the publisher.
CREATE FUNCTION publication_is_approved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE mutable_columns CONSTANT text[] := ARRAY['state', 'attempts', 'last_error', 'commit', 'published_at'];
DECLARE wanted CONSTANT text := CASE WHEN NEW."kind" = 'restore' THEN 'rejected' ELSE 'approved' END;
BEGIN
  IF (to_jsonb(NEW) - mutable_columns) IS DISTINCT FROM (to_jsonb(OLD) - mutable_columns) THEN
    RAISE EXCEPTION 'gate: a publication never changes its bytes' USING ERRCODE = 'check_violation';
  END IF;
  IF NOT EXISTS (
    SELECT 1 FROM "proposal" prop JOIN "proposal_decision" d ON d."proposal_id" = prop."id"
     WHERE prop."id" = NEW."proposal_id" AND prop."state"::text = wanted
       AND (d."verdict"::text = wanted OR wanted = 'approved' AND d."verdict" = 'override')
       AND prop."skill_name" = NEW."skill_name" AND d."artifact_sha256" = prop."artifact_sha256"
       AND CASE WHEN NEW."kind" = 'restore' THEN prop."edit" IS NOT NULL AND EXISTS (
             SELECT 1 FROM "memory" m WHERE m."id" = prop."supersedes_id" AND m."scope" = 'org'
               AND m."skill_name" = NEW."skill_name" AND m."version" = NEW."version"
               AND m."content_sha256" = NEW."artifact_sha256")
           ELSE prop."artifact_sha256" = NEW."artifact_sha256" AND prop."version" = NEW."version" END) THEN
    RAISE EXCEPTION 'gate: only approved bytes are published' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER publication_is_approved BEFORE UPDATE ON "publication"
  FOR EACH ROW EXECUTE FUNCTION publication_is_approved();

CREATE FUNCTION publication_does_what_was_approved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."kind" <> 'restore' AND EXISTS (SELECT 1 FROM "proposal"
             WHERE "id" = NEW."proposal_id" AND ("kind" = 'retire') <> (NEW."kind" = 'retire')) THEN
    RAISE EXCEPTION 'gate: an approval publishes, and a retirement takes away' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."renamed_from" IS DISTINCT FROM (
    SELECT m."skill_name" FROM "proposal" prop JOIN "memory" m ON m."id" = prop."supersedes_id"
     WHERE prop."id" = NEW."proposal_id" AND prop."kind" IN ('amend', 'supersede') AND prop."state" = 'approved'
       AND m."skill_name" <> prop."skill_name") THEN
    RAISE EXCEPTION 'gate: a skill is renamed only as it was approved' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER publication_does_what_was_approved BEFORE UPDATE ON "publication"
  FOR EACH ROW EXECUTE FUNCTION publication_does_what_was_approved();

-- Rows that never change or are never deleted. ----------------------------------------------------------------

CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'gate: % is append-only', TG_TABLE_NAME USING ERRCODE = 'check_violation';
END $$;

CREATE TRIGGER proposal_decision_append_only BEFORE UPDATE OR DELETE ON "proposal_decision"
  FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER proposal_decision_no_truncate BEFORE TRUNCATE ON "proposal_decision"
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER proposal_contradiction_append_only BEFORE UPDATE OR DELETE ON "proposal_contradiction"
  FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER proposal_contradiction_no_truncate BEFORE TRUNCATE ON "proposal_contradiction"
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER journal_entry_append_only BEFORE UPDATE OR DELETE ON "journal_entry"
  FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER journal_entry_no_truncate BEFORE TRUNCATE ON "journal_entry"
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
-- The head moves only forward, to the last of the entries that follow it. Otherwise background work could move it
-- back, or to a place without an entry, and no append would succeed any more. The row is checked after the statement,
-- which adds the entries and moves the head.
CREATE FUNCTION journal_head_follows_entries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  follows boolean;
BEGIN
  SELECT count(*) = NEW."seq" - OLD."seq" AND bool_and(e."previous_hash" = e."expected")
         AND max(e."hash") FILTER (WHERE e."seq" = NEW."seq") = NEW."hash" INTO follows
    FROM (SELECT "seq", "hash", "previous_hash", lag("hash", 1, OLD."hash") OVER (ORDER BY "seq") AS "expected"
            FROM "journal_entry" WHERE "seq" > OLD."seq" AND "seq" <= NEW."seq") e;
  IF NEW."id" <> OLD."id" OR follows IS NOT TRUE THEN
    RAISE EXCEPTION 'gate: the journal continues with the next entry only' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER journal_head_follows_entries AFTER UPDATE ON "journal_head"
  FOR EACH ROW EXECUTE FUNCTION journal_head_follows_entries();

-- An entry is added together with the head: one beyond it would block the entry that gets its number.
CREATE FUNCTION journal_entries_are_reached() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM appended a
              WHERE a."seq" < 1 OR a."seq" > (SELECT h."seq" FROM "journal_head" h WHERE h."id" = 1)) THEN
    RAISE EXCEPTION 'gate: the journal continues with the next entry only' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER journal_entries_are_reached AFTER INSERT ON "journal_entry"
  REFERENCING NEW TABLE AS appended FOR EACH STATEMENT EXECUTE FUNCTION journal_entries_are_reached();
CREATE TRIGGER journal_head_no_delete BEFORE DELETE ON "journal_head"
  FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER journal_head_no_truncate BEFORE TRUNCATE ON "journal_head"
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
-- A signed head never changes.
CREATE TRIGGER journal_checkpoint_append_only BEFORE UPDATE OR DELETE ON "journal_checkpoint"
  FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER journal_checkpoint_no_truncate BEFORE TRUNCATE ON "journal_checkpoint"
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
-- The sources of a memory are written once: no later write changes what it was concluded from.
CREATE TRIGGER memory_source_append_only BEFORE UPDATE OR DELETE ON "memory_source"
  FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER memory_source_no_truncate BEFORE TRUNCATE ON "memory_source"
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
-- Evidence for or against a memory never changes.
CREATE TRIGGER memory_evidence_append_only BEFORE UPDATE OR DELETE ON "memory_evidence"
  FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER memory_evidence_no_truncate BEFORE TRUNCATE ON "memory_evidence"
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

CREATE TRIGGER proposal_no_delete BEFORE DELETE ON "proposal"
  FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER proposal_no_truncate BEFORE TRUNCATE ON "proposal"
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER publication_no_delete BEFORE DELETE ON "publication"
  FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER publication_no_truncate BEFORE TRUNCATE ON "publication"
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER memory_no_truncate BEFORE TRUNCATE ON "memory"
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- Rules beside the gate. ----------------------------------------------------------------------------------------

-- The usage of a call is written once, when it is settled. Its purpose never changes, and a row is never deleted: the
-- budgets are computed over these rows.
CREATE FUNCTION proposer_call_settles_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR OLD."settled_at" IS NOT NULL
     OR (NEW."id", NEW."payload_id", NEW."execution_id", NEW."agent_id", NEW."proposer", NEW."model", NEW."reserved_at",
         NEW."purpose", NEW."cycle_id", NEW."pattern")
        IS DISTINCT FROM (OLD."id", OLD."payload_id", OLD."execution_id", OLD."agent_id", OLD."proposer", OLD."model",
         OLD."reserved_at", OLD."purpose", OLD."cycle_id", OLD."pattern") THEN
    RAISE EXCEPTION 'proposer_call: a call is settled once and kept' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER proposer_call_settles_once BEFORE UPDATE OR DELETE ON "proposer_call"
  FOR EACH ROW EXECUTE FUNCTION proposer_call_settles_once();

-- Records changed memories by transaction id. Sequence numbers assigned during a transaction would become visible out
-- of order, and a reader would miss one that commits late. A reader continues from the oldest transaction that was
-- still running.
CREATE FUNCTION note_memory_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "memory_change" ("transaction", "memory_id")
    SELECT pg_current_xact_id()::text::bigint, m."id" FROM changed m ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER memory_inserted AFTER INSERT ON "memory"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_memory_changes();
CREATE TRIGGER memory_deleted AFTER DELETE ON "memory"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_memory_changes();

-- Per row for updates, because counting a use changes nothing that is searched.
CREATE FUNCTION note_memory_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "memory_change" ("transaction", "memory_id")
    VALUES (pg_current_xact_id()::text::bigint, NEW."id") ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER memory_updated AFTER UPDATE ON "memory" FOR EACH ROW
  WHEN ((to_jsonb(NEW) - '{application_count,last_applied_at,relevance_count,last_retrieved_at}'::text[])
    IS DISTINCT FROM (to_jsonb(OLD) - '{application_count,last_applied_at,relevance_count,last_retrieved_at}'::text[]))
  EXECUTE FUNCTION note_memory_change();
