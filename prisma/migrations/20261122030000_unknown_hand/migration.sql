-- Four eyes for what somebody changed by hand: nobody knows who wrote it, so one person alone might be approving their
-- own words. What waited before stays under the rule of its time until its next revision.
CREATE FUNCTION approval_item_by_unknown_hand() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'gate: nobody knows who wrote approval item %, so that it takes two people', NEW."id"
    USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER approval_item_by_unknown_hand BEFORE INSERT OR UPDATE OF "revision" ON "approval_item"
  FOR EACH ROW WHEN (NEW."kind" = 'AMEND' AND NEW."edit" IS NOT NULL AND NEW."votes_needed" < 2)
  EXECUTE FUNCTION approval_item_by_unknown_hand();
