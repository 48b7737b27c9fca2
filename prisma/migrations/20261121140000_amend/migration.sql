-- Hand edits and renames come back as items: a person decides on them, and a rejected one gives way to what was approved.
ALTER TYPE "ApprovalKind" ADD VALUE 'AMEND';
ALTER TYPE "PublicationKind" ADD VALUE 'RESTORE';

-- What somebody wrote by hand, as it was found. Frozen with the item once it is decided.
ALTER TABLE "approval_item" ADD COLUMN "edit" JSONB;
ALTER TABLE "publication" ADD COLUMN "renamed_from" TEXT;

-- The outbox: approved bytes, or, where a change by hand was rejected, the bytes of the live skill that it had changed.
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
     WHERE i."id" = NEW."approval_id" AND i."state"::text = wanted AND d."verdict"::text = wanted
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

-- A retirement takes away and everything else publishes. A folder goes in the same commit only as the item renames it.
CREATE OR REPLACE FUNCTION publication_does_what_was_approved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."kind" <> 'RESTORE' AND EXISTS (SELECT 1 FROM "approval_item"
             WHERE "id" = NEW."approval_id" AND ("kind" = 'RETIRE') <> (NEW."kind" = 'RETIRE')) THEN
    RAISE EXCEPTION 'gate: an approval publishes, and a retirement takes away' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."renamed_from" IS DISTINCT FROM (
    SELECT m."skill_name" FROM "approval_item" i JOIN "memory" m ON m."id" = i."supersedes_id"
     WHERE i."id" = NEW."approval_id" AND i."kind" = 'AMEND' AND i."state" = 'APPROVED'
       AND m."skill_name" <> i."skill_name") THEN
    RAISE EXCEPTION 'gate: a skill is renamed only as it was approved' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
