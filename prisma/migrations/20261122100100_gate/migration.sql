-- The gate in force, as the database alone enforces it, whatever the application does: only people decide, on exactly
-- the bytes that they saw, and only what they approved becomes org memory or is published. CHECK constraints and unique
-- indexes of the same purpose stand beside their tables (schema); the rules for background work alone are in roles.
--
-- Order: who decides, votes, items, org memory, the outbox, rows that never change, and two rules beside the gate.
-- A rule that covers all rows of a statement is asked once per statement, over the transition table: a statement that
-- breaks it in one row fails as a whole.

-- Who decides. ---------------------------------------------------------------------------------------------------

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

-- Votes count people, and people sign in by their address: a second principal with the same address would give one
-- person two votes.
CREATE FUNCTION principal_has_own_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Of two registrations at once, the second one sees the first.
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

-- A person signs in and has no long-lived token; an agent or a service has nothing else.
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

-- True if a part of the review scope covers every place of the audience. No review scope covers the whole organisation; an audience
-- without a place is everybody. Not in SQL: PostgreSQL plans such a function in every statement that calls it, which
-- took longer than the rest of the triggers.
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

-- A decision is an active reviewer's, on the bytes that a pending item holds now, within the reviewer's review scope. An
-- override does without the review scope, and says why.
CREATE FUNCTION proposal_decisions_are_human() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong text;
BEGIN
  SELECT rule."broken" INTO wrong
    FROM cast_now d
    LEFT JOIN "principal" p ON p."id" = d."principal_id" AND p."kind" = 'person' AND p."is_reviewer"
      AND p."disabled_at" IS NULL
    LEFT JOIN "proposal" i ON i."id" = d."proposal_id" AND i."revision" = d."revision"
      AND i."artifact_sha256" = d."artifact_sha256" AND i."state" = 'pending' AND i."expires_at" > d."decided_at"
    CROSS JOIN LATERAL (SELECT CASE
        WHEN p."id" IS NULL THEN 'only an active person with the reviewer role decides'
        WHEN i."id" IS NULL THEN 'a decision names the bytes of a pending item''s current revision'
        WHEN d."verdict" = 'override' THEN
          CASE WHEN COALESCE(d."reason", '') = '' THEN 'an override says why' END
        WHEN p."review_scope" IS NOT NULL AND NOT review_scope_covers(p."review_scope", i."audience") THEN
          'the item lies outside this reviewer''s review scope'
      END) rule("broken")
   WHERE rule."broken" IS NOT NULL LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'gate: %', wrong USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER proposal_decisions_are_human AFTER INSERT ON "proposal_decision"
  REFERENCING NEW TABLE AS cast_now FOR EACH STATEMENT EXECUTE FUNCTION proposal_decisions_are_human();

-- The halves of overrides of exactly these bytes, by people who are active reviewers now.
CREATE FUNCTION proposal_overrides(item uuid, of_revision int, bytes text)
  RETURNS TABLE ("principal_id" uuid, "decided_at" timestamptz) LANGUAGE sql STABLE AS $$
  SELECT d."principal_id", d."decided_at"
    FROM "proposal_decision" d JOIN "principal" p ON p."id" = d."principal_id"
   WHERE d."proposal_id" = item AND d."revision" = of_revision AND d."artifact_sha256" = bytes
     AND d."verdict" = 'override' AND p."kind" = 'person' AND p."is_reviewer" AND p."disabled_at" IS NULL
$$;

-- Items: what people vote on. ------------------------------------------------------------------------------------

CREATE FUNCTION proposal_starts_pending() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'gate: an approval item starts pending' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER proposal_starts_pending BEFORE INSERT ON "proposal"
  FOR EACH ROW WHEN (NEW."state" <> 'pending') EXECUTE FUNCTION proposal_starts_pending();

-- A decided item is frozen.
CREATE FUNCTION proposal_decided_is_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'gate: approval item % is decided and cannot change', OLD."id" USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER proposal_decided_is_frozen BEFORE UPDATE ON "proposal"
  FOR EACH ROW WHEN (OLD."state" <> 'pending') EXECUTE FUNCTION proposal_decided_is_frozen();

-- What people vote on changes only as a new revision. The function lists what may change without one, so that people
-- vote on a future column by default.
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
-- Asked only where a statement writes one of these columns. A new column has to be added here: a spec of the gate goes
-- through the columns that the table has.
CREATE TRIGGER proposal_needs_new_revision BEFORE UPDATE OF
    "id", "kind", "revision", "fingerprint", "fingerprints", "action_fingerprint", "applicability", "skill_name",
    "version", "title", "proposed_skill", "artifact", "artifact_sha256", "evidence", "findings", "risk",
    "confidence", "impact", "urgent", "request", "agents", "audience", "supersedes_id", "edit", "editor_id",
    "earlier_editor_ids", "source_owner_id", "votes_needed", "reopened_from_id", "cluster", "cycle_id", "created_at"
  ON "proposal" FOR EACH ROW WHEN (NEW."revision" <= OLD."revision") EXECUTE FUNCTION proposal_needs_new_revision();

-- A change by hand has no known author: one reviewer alone might be approving their own words.
CREATE FUNCTION proposal_unknown_author_needs_two() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'gate: nobody knows who wrote approval item %, so that it takes two people', NEW."id"
    USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER proposal_unknown_author_needs_two BEFORE INSERT OR UPDATE OF "revision" ON "proposal"
  FOR EACH ROW WHEN (NEW."kind" = 'amend' AND NEW."edit" IS NOT NULL AND NEW."votes_needed" < 2)
  EXECUTE FUNCTION proposal_unknown_author_needs_two();

-- Items: how one is decided. -------------------------------------------------------------------------------------

-- An item is rejected by one vote on the bytes that it holds, and approved by enough people's votes on them, one of
-- whom did not write this revision, or by two halves of an override within an hour.
CREATE FUNCTION proposals_move_by_decision() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  item record;
BEGIN
  -- Background work refreshes and withdraws, and may not even ask who decided.
  IF NOT EXISTS (SELECT 1 FROM moved WHERE "state" IN ('rejected', 'approved')) THEN
    RETURN NULL;
  END IF;
  SELECT i."id" INTO item FROM moved i
   WHERE i."state" = 'rejected' AND NOT EXISTS (
     SELECT 1 FROM "proposal_decision" d WHERE d."proposal_id" = i."id" AND d."revision" = i."revision"
       AND d."artifact_sha256" = i."artifact_sha256" AND d."verdict" = 'rejected') LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'gate: approval item % has no such decision by a person', item."id" USING ERRCODE = 'check_violation';
  END IF;
  -- A vote counts while its person is an active reviewer of such items, and once, however often it was cast.
  SELECT i."id", i."votes_needed", votes."given" INTO item
    FROM moved i
    CROSS JOIN LATERAL (
      SELECT count(DISTINCT p."id") AS "given", COALESCE(bool_or(p."id" IS DISTINCT FROM i."editor_id"), false) AS "by_others"
        FROM "proposal_decision" d JOIN "principal" p ON p."id" = d."principal_id"
       WHERE d."proposal_id" = i."id" AND d."revision" = i."revision" AND d."artifact_sha256" = i."artifact_sha256"
         AND d."verdict" = 'approved' AND p."kind" = 'person' AND p."is_reviewer" AND p."disabled_at" IS NULL
         AND (p."review_scope" IS NULL OR review_scope_covers(p."review_scope", i."audience"))) votes
   WHERE i."state" = 'approved' AND NOT (votes."given" > 0 AND votes."given" >= i."votes_needed" AND votes."by_others")
     -- Two people's override does without the review scope and the number of votes. Two people are four eyes.
     AND NOT EXISTS (
       SELECT 1 FROM proposal_overrides(i."id", i."revision", i."artifact_sha256") one
         JOIN proposal_overrides(i."id", i."revision", i."artifact_sha256") other
           ON other."principal_id" <> one."principal_id"
          AND other."decided_at" >= one."decided_at" AND other."decided_at" < one."decided_at" + interval '1 hour')
   LIMIT 1;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  IF item."given" = 0 THEN
    RAISE EXCEPTION 'gate: approval item % has no such decision by a person', item."id" USING ERRCODE = 'check_violation';
  END IF;
  IF item."given" < item."votes_needed" THEN
    RAISE EXCEPTION 'gate: approval item % has % of % votes', item."id", item."given", item."votes_needed"
      USING ERRCODE = 'check_violation';
  END IF;
  RAISE EXCEPTION 'gate: whoever edited approval item % is not its only approver', item."id"
    USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER proposals_move_by_decision AFTER UPDATE ON "proposal"
  REFERENCING NEW TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION proposals_move_by_decision();

-- Four eyes over revisions: the author of an earlier one is not the only approver of what another person reworded, or a
-- second hand would free the words of the first. Two people are four eyes, by votes or by an override.
CREATE FUNCTION proposal_earlier_editor_not_sole_approver() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  given int;
  by_others boolean;
BEGIN
  SELECT count(DISTINCT v."id"), COALESCE(bool_or(v."id" <> ALL (NEW."earlier_editor_ids")), false)
    INTO given, by_others
    FROM (
      SELECT p."id" FROM "proposal_decision" d JOIN "principal" p ON p."id" = d."principal_id"
       WHERE d."proposal_id" = NEW."id" AND d."revision" = NEW."revision" AND d."artifact_sha256" = NEW."artifact_sha256"
         AND d."verdict" = 'approved' AND p."kind" = 'person' AND p."is_reviewer" AND p."disabled_at" IS NULL
         AND review_scope_covers(p."review_scope", NEW."audience")
      UNION ALL
      SELECT o."principal_id" FROM proposal_overrides(NEW."id", NEW."revision", NEW."artifact_sha256") o) v("id");
  IF given > 1 OR by_others THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'gate: whoever wrote an earlier revision of approval item % is not its only approver', NEW."id"
    USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER proposal_earlier_editor_not_sole_approver BEFORE UPDATE OF "state" ON "proposal"
  FOR EACH ROW WHEN (NEW."state" = 'approved' AND cardinality(NEW."earlier_editor_ids") > 0)
  EXECUTE FUNCTION proposal_earlier_editor_not_sole_approver();

-- Four eyes for evidence: the person who owns every agent that a proposal was learned from is not its only approver.
-- The row names that person as of the revision. An override is two people, and so includes another one.
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
  RAISE EXCEPTION 'gate: whoever owns the agents that approval item % was learned from is not its only approver', NEW."id"
    USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER proposal_source_owner_not_sole_approver BEFORE UPDATE OF "state" ON "proposal"
  FOR EACH ROW WHEN (NEW."state" = 'approved' AND NEW."source_owner_id" IS NOT NULL)
  EXECUTE FUNCTION proposal_source_owner_not_sole_approver();

-- Org memory. ----------------------------------------------------------------------------------------------------

-- A new entry: only with an approved item whose bytes a person approved. A retirement names the bytes that go, and its
-- approval brings nothing in.
CREATE FUNCTION memory_org_was_approved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM admitted WHERE "scope" = 'org') THEN
    RETURN NULL;
  END IF;
  IF EXISTS (
    SELECT 1 FROM admitted m WHERE m."scope" = 'org' AND NOT EXISTS (
      SELECT 1 FROM "proposal" i JOIN "proposal_decision" d ON d."proposal_id" = i."id"
        JOIN "principal" p ON p."id" = d."principal_id"
       WHERE i."id" = m."proposal_id" AND i."state" = 'approved' AND i."artifact_sha256" = m."content_sha256"
         AND d."verdict" IN ('approved', 'override') AND d."artifact_sha256" = m."content_sha256" AND p."kind" = 'person'
         -- What agents will be told is what the approved item says, under the name that it was approved for.
         AND i."skill_name" = m."skill_name" AND i."version" = m."version"
         AND i."proposed_skill" ->> 'discovery' = m."discovery" AND i."proposed_skill" ->> 'condition' = m."condition"
         AND i."proposed_skill" ->> 'action' = m."action" AND i."proposed_skill" ->> 'rationale' = m."rationale"
         AND i."proposed_skill" -> 'steps' = m."steps" AND i."proposed_skill" -> 'tags' = to_jsonb(m."tags"))) THEN
    RAISE EXCEPTION 'gate: org memory needs a person''s approval of exactly these bytes' USING ERRCODE = 'check_violation';
  END IF;
  IF EXISTS (
    SELECT 1 FROM admitted m JOIN "proposal" i ON i."id" = m."proposal_id"
     WHERE m."scope" = 'org' AND i."kind" = 'retire') THEN
    RAISE EXCEPTION 'gate: a retirement admits nothing' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER memory_org_was_approved AFTER INSERT ON "memory"
  REFERENCING NEW TABLE AS admitted FOR EACH STATEMENT EXECUTE FUNCTION memory_org_was_approved();

-- An entry that is there: frozen, but for its use and its end. Neither does a private lesson become org memory by an
-- update, except with the same approval.
CREATE FUNCTION memory_org_is_approved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE life CONSTANT text[] := ARRAY['superseded_by_id', 'superseded_at', 'application_count', 'last_applied_at',
                                      'relevance_count', 'last_retrieved_at'];
BEGIN
  -- Lists what may change, so that a future column is frozen by default.
  IF OLD."scope" = 'org' AND (
       (to_jsonb(NEW) - life) IS DISTINCT FROM (to_jsonb(OLD) - life)
       OR (OLD."superseded_at" IS NOT NULL AND NEW."superseded_at" IS NULL)) THEN
    RAISE EXCEPTION 'gate: an approved skill never changes in place' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."scope" = 'org' AND NOT EXISTS (
    SELECT 1 FROM "proposal" i JOIN "proposal_decision" d ON d."proposal_id" = i."id"
      JOIN "principal" p ON p."id" = d."principal_id"
     WHERE i."id" = NEW."proposal_id" AND i."state" = 'approved' AND i."artifact_sha256" = NEW."content_sha256"
       AND d."verdict" IN ('approved', 'override') AND d."artifact_sha256" = NEW."content_sha256" AND p."kind" = 'person'
       -- What agents will be told is what the approved item says, under the name that it was approved for.
       AND i."skill_name" = NEW."skill_name" AND i."version" = NEW."version"
       AND i."proposed_skill" @> jsonb_build_object('discovery', NEW."discovery", 'condition', NEW."condition",
             'action', NEW."action", 'rationale', NEW."rationale")
       AND i."proposed_skill" -> 'steps' = NEW."steps" AND i."proposed_skill" -> 'tags' = to_jsonb(NEW."tags")) THEN
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
    RAISE EXCEPTION 'gate: a skill that has ended does not come back in place' USING ERRCODE = 'check_violation';
  END IF;
  IF OLD."scope" = 'org' AND OLD."superseded_at" IS NULL AND NEW."superseded_at" IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM "proposal" i JOIN "proposal_decision" d ON d."proposal_id" = i."id"
     WHERE i."supersedes_id" = OLD."id" AND i."state" = 'approved' AND d."verdict" IN ('approved', 'override')) THEN
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

-- The outbox. ----------------------------------------------------------------------------------------------------

-- A new publication: the approved bytes or, where a person rejected a change by hand, the bytes of the live skill that
-- it had changed (`restore`). A retirement takes away and everything else publishes. A folder goes in the same commit
-- only as the item renames it.
CREATE FUNCTION publications_are_approved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong text;
BEGIN
  SELECT rule."broken" INTO wrong
    FROM added n
    LEFT JOIN "proposal" i ON i."id" = n."proposal_id" AND i."skill_name" = n."skill_name"
      AND i."state"::text = CASE n."kind" WHEN 'restore' THEN 'rejected' ELSE 'approved' END
    LEFT JOIN "memory" m ON m."id" = i."supersedes_id"
    CROSS JOIN LATERAL (SELECT CASE
        WHEN i."id" IS NULL
          -- The author of the commit is who decided.
          OR NOT EXISTS (
            SELECT 1 FROM "proposal_decision" d JOIN "principal" p ON p."id" = d."principal_id"
             WHERE d."proposal_id" = i."id" AND d."artifact_sha256" = i."artifact_sha256"
               AND CASE n."kind" WHEN 'restore' THEN d."verdict" = 'rejected' ELSE d."verdict" IN ('approved', 'override') END
               AND p."name" = n."author_name" AND p."email" = n."author_email")
          OR NOT CASE n."kind" WHEN 'restore' THEN
              i."edit" IS NOT NULL AND m."id" IS NOT NULL AND m."scope" = 'org' AND m."skill_name" = n."skill_name"
                AND m."version" = n."version" AND m."content_sha256" = n."artifact_sha256" AND m."superseded_at" IS NULL
            ELSE i."artifact_sha256" = n."artifact_sha256" AND i."version" = n."version" END
          THEN 'only approved bytes are published'
        WHEN n."kind" <> 'restore' AND (i."kind" = 'retire') <> (n."kind" = 'retire')
          THEN 'an approval publishes, and a retirement takes away'
        WHEN n."renamed_from" IS DISTINCT FROM
            CASE WHEN i."kind" = 'amend' AND i."state" = 'approved' AND m."skill_name" <> i."skill_name" THEN m."skill_name" END
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

-- The same two rules of one row, for every update: the publisher writes down its progress, and nothing else changes. They
-- do not look at the author and at the live skill again: a person who is renamed, or a skill that is replaced later, does
-- not hold the publisher up.
CREATE FUNCTION publication_is_approved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE life CONSTANT text[] := ARRAY['state', 'attempts', 'last_error', 'commit', 'published_at'];
DECLARE wanted CONSTANT text := CASE WHEN NEW."kind" = 'restore' THEN 'rejected' ELSE 'approved' END;
BEGIN
  IF (to_jsonb(NEW) - life) IS DISTINCT FROM (to_jsonb(OLD) - life) THEN
    RAISE EXCEPTION 'gate: a publication never changes its bytes' USING ERRCODE = 'check_violation';
  END IF;
  IF NOT EXISTS (
    SELECT 1 FROM "proposal" i JOIN "proposal_decision" d ON d."proposal_id" = i."id"
     WHERE i."id" = NEW."proposal_id" AND i."state"::text = wanted
       AND (d."verdict"::text = wanted OR wanted = 'approved' AND d."verdict" = 'override')
       AND i."skill_name" = NEW."skill_name" AND d."artifact_sha256" = i."artifact_sha256"
       AND CASE WHEN NEW."kind" = 'restore' THEN i."edit" IS NOT NULL AND EXISTS (
             SELECT 1 FROM "memory" m WHERE m."id" = i."supersedes_id" AND m."scope" = 'org'
               AND m."skill_name" = NEW."skill_name" AND m."version" = NEW."version"
               AND m."content_sha256" = NEW."artifact_sha256")
           ELSE i."artifact_sha256" = NEW."artifact_sha256" AND i."version" = NEW."version" END) THEN
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
    SELECT m."skill_name" FROM "proposal" i JOIN "memory" m ON m."id" = i."supersedes_id"
     WHERE i."id" = NEW."proposal_id" AND i."kind" = 'amend' AND i."state" = 'approved'
       AND m."skill_name" <> i."skill_name") THEN
    RAISE EXCEPTION 'gate: a skill is renamed only as it was approved' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER publication_does_what_was_approved BEFORE UPDATE ON "publication"
  FOR EACH ROW EXECUTE FUNCTION publication_does_what_was_approved();

-- Rows that never change, and rows that never go. ----------------------------------------------------------------

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
-- What was signed stays as it was signed.
CREATE TRIGGER journal_checkpoint_append_only BEFORE UPDATE OR DELETE ON "journal_checkpoint"
  FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER journal_checkpoint_no_truncate BEFORE TRUNCATE ON "journal_checkpoint"
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
-- The sources of a memory are written once: no later word makes it the conclusion of something else, or of nothing.
CREATE TRIGGER memory_source_append_only BEFORE UPDATE OR DELETE ON "memory_source"
  FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER memory_source_no_truncate BEFORE TRUNCATE ON "memory_source"
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
-- What spoke for a memory or against it stays as it was said.
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

-- Beside the gate. -----------------------------------------------------------------------------------------------

-- What a call used is written once, when it is settled. What the call was made for never changes, and a row is never
-- deleted: the budgets count over these rows.
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

-- Notes which memories changed, by the id of the transaction: numbers given out while it runs would become visible out
-- of order, and a reader would miss one that commits late. A reader goes on from the oldest transaction that was still
-- running.
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

-- Row by row for updates, since counting a use changes nothing that is searched.
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
