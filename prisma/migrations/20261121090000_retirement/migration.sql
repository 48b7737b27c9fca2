-- A live skill can be taken back: retirements in the queue, in org memory and in the outbox.
ALTER TYPE "ApprovalKind" ADD VALUE 'RETIRE';
CREATE TYPE "PublicationKind" AS ENUM ('PUBLISH', 'RETIRE');

ALTER TABLE "publication" ADD COLUMN "kind" "PublicationKind" NOT NULL DEFAULT 'PUBLISH';
ALTER TABLE "publication" ALTER COLUMN "kind" DROP DEFAULT;

-- A live skill ends only by a person's decision that names it: to replace it or to retire it.
CREATE FUNCTION memory_org_ends_by_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."scope" = 'ORG' AND OLD."superseded_at" IS NOT NULL AND NEW."superseded_at" IS DISTINCT FROM OLD."superseded_at" THEN
    RAISE EXCEPTION 'gate: a skill that has ended does not come back in place' USING ERRCODE = 'check_violation';
  END IF;
  IF OLD."scope" = 'ORG' AND OLD."superseded_at" IS NULL AND NEW."superseded_at" IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM "approval_item" i JOIN "approval_decision" d ON d."item_id" = i."id"
     WHERE i."supersedes_id" = OLD."id" AND i."state" = 'APPROVED' AND d."verdict" = 'APPROVED') THEN
    RAISE EXCEPTION 'gate: a skill is replaced or retired only by a person''s decision' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER memory_org_ends_by_decision BEFORE UPDATE ON "memory"
  FOR EACH ROW EXECUTE FUNCTION memory_org_ends_by_decision();

-- A retirement names the bytes that go. Its approval brings nothing in: neither org memory nor a file.
CREATE FUNCTION memory_org_not_by_retirement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."scope" = 'ORG'
     AND EXISTS (SELECT 1 FROM "approval_item" WHERE "id" = NEW."approval_id" AND "kind" = 'RETIRE') THEN
    RAISE EXCEPTION 'gate: a retirement admits nothing' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER memory_org_not_by_retirement BEFORE INSERT OR UPDATE ON "memory"
  FOR EACH ROW EXECUTE FUNCTION memory_org_not_by_retirement();
CREATE FUNCTION publication_does_what_was_approved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM "approval_item"
             WHERE "id" = NEW."approval_id" AND ("kind" = 'RETIRE') <> (NEW."kind" = 'RETIRE')) THEN
    RAISE EXCEPTION 'gate: an approval publishes, and a retirement takes away' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER publication_does_what_was_approved BEFORE INSERT OR UPDATE ON "publication"
  FOR EACH ROW EXECUTE FUNCTION publication_does_what_was_approved();
