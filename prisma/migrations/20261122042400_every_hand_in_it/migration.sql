-- Four eyes over revisions: whoever wrote an earlier one is not the only approver of what somebody else reworded, or a
-- second hand would free the first one's words. What waited before stays under the rule of its time.
ALTER TABLE "approval_item" ADD COLUMN "earlier_editor_ids" UUID[] DEFAULT ARRAY[]::UUID[];

-- Beside the rules of votes, which count them and look at the last editor. Two people's words are four eyes.
CREATE FUNCTION approval_item_by_every_hand() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  given int;
  by_others boolean;
BEGIN
  SELECT count(DISTINCT v."id"), COALESCE(bool_or(v."id" <> ALL (NEW."earlier_editor_ids")), false)
    INTO given, by_others
    FROM (
      SELECT p."id" FROM "approval_decision" d JOIN "principal" p ON p."id" = d."principal_id"
       WHERE d."item_id" = NEW."id" AND d."revision" = NEW."revision" AND d."artifact_sha256" = NEW."artifact_sha256"
         AND d."verdict" = 'APPROVED' AND p."kind" = 'PERSON' AND p."is_reviewer" AND p."disabled_at" IS NULL
         AND remit_covers(p."remit", NEW."audience")
      UNION ALL
      SELECT o."principal_id" FROM approval_overrides(NEW."id", NEW."revision", NEW."artifact_sha256") o) v("id");
  IF given > 1 OR by_others THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'gate: whoever wrote an earlier revision of approval item % is not its only approver', NEW."id"
    USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER approval_item_by_every_hand BEFORE UPDATE OF "state" ON "approval_item"
  FOR EACH ROW WHEN (NEW."state" = 'APPROVED' AND cardinality(NEW."earlier_editor_ids") > 0)
  EXECUTE FUNCTION approval_item_by_every_hand();
