-- Who wrote a revision is not for background work to say: it could free whoever wrote one of the four eyes, or name
-- somebody who never saw it. Asked with submissions and revisions alone, and of the worker's role alone.
CREATE FUNCTION approval_item_in_its_own_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW."editor_id" IS NULL AND cardinality(COALESCE(NEW."earlier_editor_ids", '{}')) = 0 THEN
      RETURN NEW;
    END IF;
  ELSIF NEW."editor_id" IS NOT DISTINCT FROM OLD."editor_id"
    AND NEW."earlier_editor_ids" IS NOT DISTINCT FROM OLD."earlier_editor_ids" THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'gate: background work writes in no person''s name' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER approval_item_in_its_own_name BEFORE INSERT OR UPDATE OF "editor_id", "earlier_editor_ids" ON "approval_item"
  FOR EACH ROW WHEN (current_user = worker_role()) EXECUTE FUNCTION approval_item_in_its_own_name();
