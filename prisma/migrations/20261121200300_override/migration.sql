-- An override: two people, each for themselves and within an hour, do without the remit and the number of votes.
ALTER TYPE "Verdict" ADD VALUE 'OVERRIDE';

-- A first half that lapsed can be given again; every other decision is given once.
DROP INDEX "approval_decision_item_id_principal_id_revision_verdict_key";
CREATE UNIQUE INDEX "approval_decision_once" ON "approval_decision"("item_id", "principal_id", "revision", "verdict")
  WHERE "verdict" IN ('APPROVED', 'REJECTED');
CREATE INDEX "approval_decision_item_id_idx" ON "approval_decision"("item_id");

CREATE OR REPLACE FUNCTION approval_decision_is_human() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  their_remit jsonb;
BEGIN
  SELECT "remit" INTO their_remit FROM "principal" WHERE "id" = NEW."principal_id"
     AND "kind" = 'PERSON' AND "is_reviewer" AND "disabled_at" IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'gate: only an active person with the reviewer role decides' USING ERRCODE = 'check_violation';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM "approval_item" WHERE "id" = NEW."item_id"
                 AND "revision" = NEW."revision" AND "artifact_sha256" = NEW."artifact_sha256"
                 AND "state" = 'PENDING' AND "expires_at" > NEW."decided_at") THEN
    RAISE EXCEPTION 'gate: a decision names the bytes of a pending item''s current revision' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."verdict"::text = 'OVERRIDE' THEN
    IF COALESCE(NEW."reason", '') = '' THEN
      RAISE EXCEPTION 'gate: an override says why' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END IF;
  IF NOT EXISTS (SELECT 1 FROM "approval_item" WHERE "id" = NEW."item_id" AND remit_covers(their_remit, "audience")) THEN
    RAISE EXCEPTION 'gate: the item lies outside this reviewer''s remit' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;

-- The halves of overrides of exactly these bytes, by people who are active reviewers now.
CREATE FUNCTION approval_overrides(item uuid, of_revision int, bytes text)
  RETURNS TABLE ("principal_id" uuid, "decided_at" timestamptz) LANGUAGE sql STABLE AS $$
  SELECT d."principal_id", d."decided_at"
    FROM "approval_decision" d JOIN "principal" p ON p."id" = d."principal_id"
   WHERE d."item_id" = item AND d."revision" = of_revision AND d."artifact_sha256" = bytes
     AND d."verdict"::text = 'OVERRIDE' AND p."kind" = 'PERSON' AND p."is_reviewer" AND p."disabled_at" IS NULL
$$;

-- As before, or by an override. Two people are four eyes.
CREATE OR REPLACE FUNCTION approval_item_moves_by_decision() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- Named is what may change, so that a column of tomorrow is voted on until somebody says otherwise.
  life CONSTANT text[] := ARRAY['state', 'updated_at', 'decided_at', 'expires_at'];
  given int;
  by_others boolean;
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW."state" <> 'PENDING' THEN
      RAISE EXCEPTION 'gate: an approval item starts pending' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END IF;
  IF OLD."state" <> 'PENDING' THEN
    RAISE EXCEPTION 'gate: approval item % is decided and cannot change', OLD."id" USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."revision" <= OLD."revision" AND (to_jsonb(NEW) - life) IS DISTINCT FROM (to_jsonb(OLD) - life) THEN
    RAISE EXCEPTION 'gate: what people vote on changes only as a new revision' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."state" = 'REJECTED' AND NOT EXISTS (
    SELECT 1 FROM "approval_decision" d WHERE d."item_id" = NEW."id" AND d."revision" = NEW."revision"
      AND d."artifact_sha256" = NEW."artifact_sha256" AND d."verdict" = 'REJECTED') THEN
    RAISE EXCEPTION 'gate: approval item % has no such decision by a person', NEW."id" USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."state" = 'APPROVED' AND NOT EXISTS (
    SELECT 1 FROM approval_overrides(NEW."id", NEW."revision", NEW."artifact_sha256") one
      JOIN approval_overrides(NEW."id", NEW."revision", NEW."artifact_sha256") other
        ON other."principal_id" <> one."principal_id"
       AND other."decided_at" >= one."decided_at" AND other."decided_at" < one."decided_at" + interval '1 hour') THEN
    -- A vote counts while its person is an active reviewer of such items, and once, however often it was cast.
    SELECT count(DISTINCT p."id"), COALESCE(bool_or(p."id" IS DISTINCT FROM NEW."editor_id"), false)
      INTO given, by_others
      FROM "approval_decision" d JOIN "principal" p ON p."id" = d."principal_id"
     WHERE d."item_id" = NEW."id" AND d."revision" = NEW."revision" AND d."artifact_sha256" = NEW."artifact_sha256"
       AND d."verdict" = 'APPROVED' AND p."kind" = 'PERSON' AND p."is_reviewer" AND p."disabled_at" IS NULL
       AND remit_covers(p."remit", NEW."audience");
    IF given = 0 THEN
      RAISE EXCEPTION 'gate: approval item % has no such decision by a person', NEW."id" USING ERRCODE = 'check_violation';
    END IF;
    IF given < NEW."votes_needed" THEN
      RAISE EXCEPTION 'gate: approval item % has % of % votes', NEW."id", given, NEW."votes_needed"
        USING ERRCODE = 'check_violation';
    END IF;
    IF NOT by_others THEN
      RAISE EXCEPTION 'gate: whoever edited approval item % is not its only approver', NEW."id"
        USING ERRCODE = 'check_violation';
    END IF;
  END IF;
  RETURN NEW;
END $$;

-- What two people overrode is approved as well: org memory and the outbox take it.
CREATE OR REPLACE FUNCTION memory_org_is_approved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE life CONSTANT text[] := ARRAY['superseded_by_id', 'superseded_at', 'application_count', 'last_applied_at',
                                      'relevance_count', 'last_retrieved_at'];
BEGIN
  -- Named is what may change, so that a column of tomorrow is frozen until somebody says otherwise.
  IF TG_OP = 'UPDATE' AND OLD."scope" = 'ORG' AND (
       (to_jsonb(NEW) - life) IS DISTINCT FROM (to_jsonb(OLD) - life)
       OR (OLD."superseded_at" IS NOT NULL AND NEW."superseded_at" IS NULL)) THEN
    RAISE EXCEPTION 'gate: an approved skill never changes in place' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."scope" = 'ORG' AND NOT EXISTS (
    SELECT 1 FROM "approval_item" i JOIN "approval_decision" d ON d."item_id" = i."id"
      JOIN "principal" p ON p."id" = d."principal_id"
     WHERE i."id" = NEW."approval_id" AND i."state" = 'APPROVED' AND i."artifact_sha256" = NEW."content_sha256"
       AND d."verdict"::text IN ('APPROVED', 'OVERRIDE') AND d."artifact_sha256" = NEW."content_sha256" AND p."kind" = 'PERSON'
       -- What agents will be told is what the approved item says, under the name that it was approved for.
       AND i."skill_name" = NEW."skill_name" AND i."version" = NEW."version"
       AND i."proposal" @> jsonb_build_object('discovery', NEW."discovery", 'condition', NEW."condition",
             'action', NEW."action", 'rationale', NEW."rationale")
       AND i."proposal" -> 'steps' = NEW."steps" AND i."proposal" -> 'tags' = to_jsonb(NEW."tags")) THEN
    RAISE EXCEPTION 'gate: org memory needs a person''s approval of exactly these bytes' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION publication_is_approved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE life CONSTANT text[] := ARRAY['state', 'attempts', 'last_error', 'commit', 'published_at'];
DECLARE wanted CONSTANT text := CASE WHEN NEW."kind" = 'RESTORE' THEN 'REJECTED' ELSE 'APPROVED' END;
BEGIN
  IF TG_OP = 'UPDATE' AND (to_jsonb(NEW) - life) IS DISTINCT FROM (to_jsonb(OLD) - life) THEN
    RAISE EXCEPTION 'gate: a publication never changes its bytes' USING ERRCODE = 'check_violation';
  END IF;
  IF NOT EXISTS (
    SELECT 1 FROM "approval_item" i JOIN "approval_decision" d ON d."item_id" = i."id"
      JOIN "principal" p ON p."id" = d."principal_id"
     WHERE i."id" = NEW."approval_id" AND i."state"::text = wanted
       AND (d."verdict"::text = wanted OR wanted = 'APPROVED' AND d."verdict"::text = 'OVERRIDE')
       AND i."skill_name" = NEW."skill_name" AND d."artifact_sha256" = i."artifact_sha256"
       AND CASE WHEN NEW."kind" = 'RESTORE' THEN i."edit" IS NOT NULL AND EXISTS (
             SELECT 1 FROM "memory" m WHERE m."id" = i."supersedes_id" AND m."scope" = 'ORG'
               AND m."skill_name" = NEW."skill_name" AND m."version" = NEW."version"
               AND m."content_sha256" = NEW."artifact_sha256" AND (TG_OP = 'UPDATE' OR m."superseded_at" IS NULL))
           ELSE i."artifact_sha256" = NEW."artifact_sha256" AND i."version" = NEW."version" END
       -- The author of the commit is who decided; a person renamed later does not hold the publisher up.
       AND (TG_OP = 'UPDATE' OR (p."name" = NEW."author_name" AND p."email" = NEW."author_email"))) THEN
    RAISE EXCEPTION 'gate: only approved bytes are published' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION memory_org_ends_by_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."scope" = 'ORG' AND OLD."superseded_at" IS NOT NULL AND NEW."superseded_at" IS DISTINCT FROM OLD."superseded_at" THEN
    RAISE EXCEPTION 'gate: a skill that has ended does not come back in place' USING ERRCODE = 'check_violation';
  END IF;
  IF OLD."scope" = 'ORG' AND OLD."superseded_at" IS NULL AND NEW."superseded_at" IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM "approval_item" i JOIN "approval_decision" d ON d."item_id" = i."id"
     WHERE i."supersedes_id" = OLD."id" AND i."state" = 'APPROVED' AND d."verdict"::text IN ('APPROVED', 'OVERRIDE')) THEN
    RAISE EXCEPTION 'gate: a skill is replaced or retired only by a person''s decision' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
