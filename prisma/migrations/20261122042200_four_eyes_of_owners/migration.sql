-- Four eyes for evidence: whoever owns every agent that a proposal was learned from is not its only approver. Who that
-- is stands in the row, as of the revision; what waited before stays under the rule of its time until its next one.
ALTER TABLE "approval_item" ADD COLUMN "source_owner_id" UUID;

-- AddForeignKey
ALTER TABLE "approval_item" ADD CONSTRAINT "approval_item_source_owner_id_fkey" FOREIGN KEY ("source_owner_id") REFERENCES "principal"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Beside the rules of votes, which count them. An override is two people, and so includes another one.
CREATE FUNCTION approval_item_by_source_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT 1 FROM "approval_decision" d JOIN "principal" p ON p."id" = d."principal_id"
     WHERE d."item_id" = NEW."id" AND d."revision" = NEW."revision" AND d."artifact_sha256" = NEW."artifact_sha256"
       AND d."verdict" = 'APPROVED' AND p."id" <> NEW."source_owner_id"
       AND p."kind" = 'PERSON' AND p."is_reviewer" AND p."disabled_at" IS NULL AND remit_covers(p."remit", NEW."audience"))
    OR EXISTS (
    SELECT 1 FROM approval_overrides(NEW."id", NEW."revision", NEW."artifact_sha256") o
     WHERE o."principal_id" <> NEW."source_owner_id") THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'gate: whoever owns the agents that approval item % was learned from is not its only approver', NEW."id"
    USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER approval_item_by_source_owner BEFORE UPDATE OF "state" ON "approval_item"
  FOR EACH ROW WHEN (NEW."state" = 'APPROVED' AND NEW."source_owner_id" IS NOT NULL)
  EXECUTE FUNCTION approval_item_by_source_owner();
