-- The gate asks once for a statement what it asked once for each row: the same rules, in the same words. A statement
-- that breaks one of them fails as a whole, whichever of its rows does.

-- Votes. ---------------------------------------------------------------------------------------------------------
DROP TRIGGER approval_decision_is_human ON "approval_decision";
DROP FUNCTION approval_decision_is_human();

CREATE FUNCTION approval_decisions_are_human() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong text;
BEGIN
  SELECT rule."broken" INTO wrong
    FROM cast_now d
    LEFT JOIN "principal" p ON p."id" = d."principal_id" AND p."kind" = 'PERSON' AND p."is_reviewer"
      AND p."disabled_at" IS NULL
    LEFT JOIN "approval_item" i ON i."id" = d."item_id" AND i."revision" = d."revision"
      AND i."artifact_sha256" = d."artifact_sha256" AND i."state" = 'PENDING' AND i."expires_at" > d."decided_at"
    CROSS JOIN LATERAL (SELECT CASE
        WHEN p."id" IS NULL THEN 'only an active person with the reviewer role decides'
        WHEN i."id" IS NULL THEN 'a decision names the bytes of a pending item''s current revision'
        WHEN d."verdict" = 'OVERRIDE' THEN
          CASE WHEN COALESCE(d."reason", '') = '' THEN 'an override says why' END
        WHEN p."remit" IS NOT NULL AND NOT remit_covers(p."remit", i."audience") THEN
          'the item lies outside this reviewer''s remit'
      END) rule("broken")
   WHERE rule."broken" IS NOT NULL LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'gate: %', wrong USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER approval_decisions_are_human AFTER INSERT ON "approval_decision"
  REFERENCING NEW TABLE AS cast_now FOR EACH STATEMENT EXECUTE FUNCTION approval_decisions_are_human();

-- Items. ---------------------------------------------------------------------------------------------------------
DROP TRIGGER approval_item_moves_by_decision ON "approval_item";
DROP FUNCTION approval_item_moves_by_decision();

CREATE FUNCTION approval_item_starts_pending() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'gate: an approval item starts pending' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER approval_item_starts_pending BEFORE INSERT ON "approval_item"
  FOR EACH ROW WHEN (NEW."state" <> 'PENDING') EXECUTE FUNCTION approval_item_starts_pending();

CREATE FUNCTION approval_item_is_decided() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'gate: approval item % is decided and cannot change', OLD."id" USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER approval_item_is_decided BEFORE UPDATE ON "approval_item"
  FOR EACH ROW WHEN (OLD."state" <> 'PENDING') EXECUTE FUNCTION approval_item_is_decided();

CREATE FUNCTION approval_item_is_revised() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  unchanged "approval_item" := OLD;
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
-- Asked where one of these is written at all. A spec of the gate goes through the columns that the table has.
CREATE TRIGGER approval_item_is_revised BEFORE UPDATE OF
    "id", "kind", "revision", "fingerprint", "fingerprints", "action_fingerprint", "setting", "skill_name",
    "version", "title", "proposal", "artifact", "artifact_sha256", "evidence", "findings", "risk",
    "confidence", "impact", "urgent", "request", "agents", "audience", "supersedes_id", "edit", "editor_id",
    "earlier_editor_ids", "source_owner_id", "votes_needed", "reopened_from_id", "cluster", "cycle_id", "created_at"
  ON "approval_item" FOR EACH ROW WHEN (NEW."revision" <= OLD."revision") EXECUTE FUNCTION approval_item_is_revised();

CREATE FUNCTION approval_items_move_by_decision() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  item record;
BEGIN
  -- Background work refreshes and withdraws, and may not even ask who decided.
  IF NOT EXISTS (SELECT 1 FROM moved WHERE "state" IN ('REJECTED', 'APPROVED')) THEN
    RETURN NULL;
  END IF;
  SELECT i."id" INTO item FROM moved i
   WHERE i."state" = 'REJECTED' AND NOT EXISTS (
     SELECT 1 FROM "approval_decision" d WHERE d."item_id" = i."id" AND d."revision" = i."revision"
       AND d."artifact_sha256" = i."artifact_sha256" AND d."verdict" = 'REJECTED') LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'gate: approval item % has no such decision by a person', item."id" USING ERRCODE = 'check_violation';
  END IF;
  -- A vote counts while its person is an active reviewer of such items, and once, however often it was cast.
  SELECT i."id", i."votes_needed", votes."given" INTO item
    FROM moved i
    CROSS JOIN LATERAL (
      SELECT count(DISTINCT p."id") AS "given", COALESCE(bool_or(p."id" IS DISTINCT FROM i."editor_id"), false) AS "by_others"
        FROM "approval_decision" d JOIN "principal" p ON p."id" = d."principal_id"
       WHERE d."item_id" = i."id" AND d."revision" = i."revision" AND d."artifact_sha256" = i."artifact_sha256"
         AND d."verdict" = 'APPROVED' AND p."kind" = 'PERSON' AND p."is_reviewer" AND p."disabled_at" IS NULL
         AND (p."remit" IS NULL OR remit_covers(p."remit", i."audience"))) votes
   WHERE i."state" = 'APPROVED' AND NOT (votes."given" > 0 AND votes."given" >= i."votes_needed" AND votes."by_others")
     -- Two people's override does without the remit and the number of votes. Two people are four eyes.
     AND NOT EXISTS (
       SELECT 1 FROM approval_overrides(i."id", i."revision", i."artifact_sha256") one
         JOIN approval_overrides(i."id", i."revision", i."artifact_sha256") other
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
CREATE TRIGGER approval_items_move_by_decision AFTER UPDATE ON "approval_item"
  REFERENCING NEW TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION approval_items_move_by_decision();

-- Org memory. ----------------------------------------------------------------------------------------------------
CREATE FUNCTION memory_org_was_approved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM admitted WHERE "scope" = 'ORG') THEN
    RETURN NULL;
  END IF;
  IF EXISTS (
    SELECT 1 FROM admitted m WHERE m."scope" = 'ORG' AND NOT EXISTS (
      SELECT 1 FROM "approval_item" i JOIN "approval_decision" d ON d."item_id" = i."id"
        JOIN "principal" p ON p."id" = d."principal_id"
       WHERE i."id" = m."approval_id" AND i."state" = 'APPROVED' AND i."artifact_sha256" = m."content_sha256"
         AND d."verdict" IN ('APPROVED', 'OVERRIDE') AND d."artifact_sha256" = m."content_sha256" AND p."kind" = 'PERSON'
         -- What agents will be told is what the approved item says, under the name that it was approved for.
         AND i."skill_name" = m."skill_name" AND i."version" = m."version"
         AND i."proposal" ->> 'discovery' = m."discovery" AND i."proposal" ->> 'condition' = m."condition"
         AND i."proposal" ->> 'action' = m."action" AND i."proposal" ->> 'rationale' = m."rationale"
         AND i."proposal" -> 'steps' = m."steps" AND i."proposal" -> 'tags' = to_jsonb(m."tags"))) THEN
    RAISE EXCEPTION 'gate: org memory needs a person''s approval of exactly these bytes' USING ERRCODE = 'check_violation';
  END IF;
  IF EXISTS (
    SELECT 1 FROM admitted m JOIN "approval_item" i ON i."id" = m."approval_id"
     WHERE m."scope" = 'ORG' AND i."kind" = 'RETIRE') THEN
    RAISE EXCEPTION 'gate: a retirement admits nothing' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER memory_org_was_approved AFTER INSERT ON "memory"
  REFERENCING NEW TABLE AS admitted FOR EACH STATEMENT EXECUTE FUNCTION memory_org_was_approved();

-- Of an entry that is there already, each for itself as before; a lesson of an agent is not asked.
DROP TRIGGER memory_org_is_approved ON "memory";
DROP TRIGGER memory_org_not_by_retirement ON "memory";
CREATE TRIGGER memory_org_is_approved BEFORE UPDATE ON "memory"
  FOR EACH ROW WHEN (OLD."scope" = 'ORG' OR NEW."scope" = 'ORG') EXECUTE FUNCTION memory_org_is_approved();
CREATE TRIGGER memory_org_not_by_retirement BEFORE UPDATE ON "memory"
  FOR EACH ROW WHEN (NEW."scope" = 'ORG') EXECUTE FUNCTION memory_org_not_by_retirement();

DROP TRIGGER memory_comes_or_goes ON "memory";
CREATE FUNCTION memory_changes_are_noted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "memory_change" ("transaction", "memory_id")
    SELECT pg_current_xact_id()::text::bigint, m."id" FROM changed m ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER memory_comes AFTER INSERT ON "memory"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memory_changes_are_noted();
CREATE TRIGGER memory_goes AFTER DELETE ON "memory"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memory_changes_are_noted();

-- The outbox. ----------------------------------------------------------------------------------------------------
-- The two functions of before say it of one row, and go on saying it of every update.
DROP TRIGGER publication_is_approved ON "publication";
DROP TRIGGER publication_does_what_was_approved ON "publication";
CREATE TRIGGER publication_is_approved BEFORE UPDATE ON "publication"
  FOR EACH ROW EXECUTE FUNCTION publication_is_approved();
CREATE TRIGGER publication_does_what_was_approved BEFORE UPDATE ON "publication"
  FOR EACH ROW EXECUTE FUNCTION publication_does_what_was_approved();

CREATE FUNCTION publications_are_approved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wrong text;
BEGIN
  SELECT rule."broken" INTO wrong
    FROM added n
    LEFT JOIN "approval_item" i ON i."id" = n."approval_id" AND i."skill_name" = n."skill_name"
      AND i."state"::text = CASE n."kind" WHEN 'RESTORE' THEN 'REJECTED' ELSE 'APPROVED' END
    LEFT JOIN "memory" m ON m."id" = i."supersedes_id"
    CROSS JOIN LATERAL (SELECT CASE
        WHEN i."id" IS NULL
          -- The author of the commit is who decided.
          OR NOT EXISTS (
            SELECT 1 FROM "approval_decision" d JOIN "principal" p ON p."id" = d."principal_id"
             WHERE d."item_id" = i."id" AND d."artifact_sha256" = i."artifact_sha256"
               AND CASE n."kind" WHEN 'RESTORE' THEN d."verdict" = 'REJECTED' ELSE d."verdict" IN ('APPROVED', 'OVERRIDE') END
               AND p."name" = n."author_name" AND p."email" = n."author_email")
          OR NOT CASE n."kind" WHEN 'RESTORE' THEN
              i."edit" IS NOT NULL AND m."id" IS NOT NULL AND m."scope" = 'ORG' AND m."skill_name" = n."skill_name"
                AND m."version" = n."version" AND m."content_sha256" = n."artifact_sha256" AND m."superseded_at" IS NULL
            ELSE i."artifact_sha256" = n."artifact_sha256" AND i."version" = n."version" END
          THEN 'only approved bytes are published'
        WHEN n."kind" <> 'RESTORE' AND (i."kind" = 'RETIRE') <> (n."kind" = 'RETIRE')
          THEN 'an approval publishes, and a retirement takes away'
        WHEN n."renamed_from" IS DISTINCT FROM
            CASE WHEN i."kind" = 'AMEND' AND i."state" = 'APPROVED' AND m."skill_name" <> i."skill_name" THEN m."skill_name" END
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
