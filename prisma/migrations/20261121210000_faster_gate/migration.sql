-- CreateIndex
CREATE INDEX "approval_item_supersedes_id_idx" ON "approval_item"("supersedes_id");

-- The rules of before (the override's migration), for less: the rows are compared as rows and not as JSON, and an
-- override is looked for only where the votes do not do.
CREATE OR REPLACE FUNCTION approval_item_moves_by_decision() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  unchanged "approval_item";
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
  IF NEW."revision" <= OLD."revision" THEN
    -- Named is what may change, so that a column of tomorrow is voted on until somebody says otherwise.
    unchanged := OLD;
    unchanged."state" := NEW."state";
    unchanged."updated_at" := NEW."updated_at";
    unchanged."decided_at" := NEW."decided_at";
    unchanged."expires_at" := NEW."expires_at";
    IF NEW IS DISTINCT FROM unchanged THEN
      RAISE EXCEPTION 'gate: what people vote on changes only as a new revision' USING ERRCODE = 'check_violation';
    END IF;
  END IF;
  IF NEW."state" = 'REJECTED' AND NOT EXISTS (
    SELECT 1 FROM "approval_decision" d WHERE d."item_id" = NEW."id" AND d."revision" = NEW."revision"
      AND d."artifact_sha256" = NEW."artifact_sha256" AND d."verdict" = 'REJECTED') THEN
    RAISE EXCEPTION 'gate: approval item % has no such decision by a person', NEW."id" USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."state" = 'APPROVED' THEN
    -- A vote counts while its person is an active reviewer of such items, and once, however often it was cast.
    SELECT count(DISTINCT p."id"), COALESCE(bool_or(p."id" IS DISTINCT FROM NEW."editor_id"), false)
      INTO given, by_others
      FROM "approval_decision" d JOIN "principal" p ON p."id" = d."principal_id"
     WHERE d."item_id" = NEW."id" AND d."revision" = NEW."revision" AND d."artifact_sha256" = NEW."artifact_sha256"
       AND d."verdict" = 'APPROVED' AND p."kind" = 'PERSON' AND p."is_reviewer" AND p."disabled_at" IS NULL
       AND remit_covers(p."remit", NEW."audience");
    IF given > 0 AND given >= NEW."votes_needed" AND by_others THEN
      RETURN NEW;
    END IF;
    -- Two people's override does without the remit and the number of votes. Two people are four eyes.
    IF EXISTS (
      SELECT 1 FROM approval_overrides(NEW."id", NEW."revision", NEW."artifact_sha256") one
        JOIN approval_overrides(NEW."id", NEW."revision", NEW."artifact_sha256") other
          ON other."principal_id" <> one."principal_id"
         AND other."decided_at" >= one."decided_at" AND other."decided_at" < one."decided_at" + interval '1 hour') THEN
      RETURN NEW;
    END IF;
    IF given = 0 THEN
      RAISE EXCEPTION 'gate: approval item % has no such decision by a person', NEW."id" USING ERRCODE = 'check_violation';
    END IF;
    IF given < NEW."votes_needed" THEN
      RAISE EXCEPTION 'gate: approval item % has % of % votes', NEW."id", given, NEW."votes_needed"
        USING ERRCODE = 'check_violation';
    END IF;
    RAISE EXCEPTION 'gate: whoever edited approval item % is not its only approver', NEW."id"
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
