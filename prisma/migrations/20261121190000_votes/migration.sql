-- Quorum and four eyes. Every decision on exactly these bytes is a vote; a person has one of each kind on a revision.
DROP INDEX "approval_decision_item_id_principal_id_artifact_sha256_key";
CREATE UNIQUE INDEX "approval_decision_item_id_principal_id_revision_verdict_key"
  ON "approval_decision"("item_id", "principal_id", "revision", "verdict");

-- What was submitted before stays under the rule that it was submitted under: one reviewer.
ALTER TABLE "approval_item" ADD COLUMN "editor_id" UUID, ADD COLUMN "reopened_from_id" UUID, ADD COLUMN "cluster" UUID,
  ADD COLUMN "votes_needed" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "approval_item" ALTER COLUMN "votes_needed" DROP DEFAULT;
ALTER TABLE "approval_item" DISABLE TRIGGER approval_item_moves_by_decision;
UPDATE "approval_item" SET "cluster" = "id";
ALTER TABLE "approval_item" ENABLE TRIGGER approval_item_moves_by_decision;
ALTER TABLE "approval_item" ALTER COLUMN "cluster" SET NOT NULL;
CREATE INDEX "approval_item_state_cluster_idx" ON "approval_item"("state", "cluster");
ALTER TABLE "approval_item" ADD CONSTRAINT "approval_item_editor_id_fkey"
  FOREIGN KEY ("editor_id") REFERENCES "principal"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "approval_item" ADD CONSTRAINT "approval_item_needs_a_person" CHECK ("votes_needed" >= 1);

-- An item becomes approved only by enough people's votes on the bytes that it holds, and rejected by one.
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
  IF NEW."state" = 'APPROVED' THEN
    -- A vote counts while its person is an active reviewer, and once, however often it was cast.
    SELECT count(DISTINCT p."id"), COALESCE(bool_or(p."id" IS DISTINCT FROM NEW."editor_id"), false)
      INTO given, by_others
      FROM "approval_decision" d JOIN "principal" p ON p."id" = d."principal_id"
     WHERE d."item_id" = NEW."id" AND d."revision" = NEW."revision" AND d."artifact_sha256" = NEW."artifact_sha256"
       AND d."verdict" = 'APPROVED' AND p."kind" = 'PERSON' AND p."is_reviewer" AND p."disabled_at" IS NULL;
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
