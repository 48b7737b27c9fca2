-- Lessons for a role or a department (decision 31): one row that every agent of the group reads, now and later. A person
-- with the reviewer role shares it; background work and agents never do.
ALTER TABLE "memory" ADD COLUMN "shared_by_id" UUID;

ALTER TABLE "memory" DROP CONSTRAINT "memory_copies_are_private";
ALTER TABLE "memory" ADD CONSTRAINT "memory_copies_are_private" CHECK (
    "propagated_from_id" IS NULL OR ("scope" <> 'org' AND "propagated_from_id" <> "id"));
-- It belongs to one group and to no agent, and is a copy: it ends with its source and is worth no more.
ALTER TABLE "memory" ADD CONSTRAINT "memory_shared_with_one_group" CHECK (
    CASE "scope"
      WHEN 'role' THEN "role" IS NOT NULL AND "department" IS NULL AND "agent_id" IS NULL
        AND "propagated_from_id" IS NOT NULL AND "shared_by_id" IS NOT NULL
      WHEN 'department' THEN "department" IS NOT NULL AND "role" IS NULL AND "agent_id" IS NULL
        AND "propagated_from_id" IS NOT NULL AND "shared_by_id" IS NOT NULL
      ELSE "shared_by_id" IS NULL END);
CREATE UNIQUE INDEX "memory_shared_once" ON "memory"("propagated_from_id", "scope")
  WHERE "scope" IN ('role', 'department') AND "superseded_at" IS NULL;

-- The person is an active reviewer whose review scope covers the whole group.
CREATE FUNCTION memory_written_for_group_by_reviewer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT 1 FROM "principal" p WHERE p."id" = NEW."shared_by_id" AND p."kind" = 'person' AND p."is_reviewer"
       AND p."disabled_at" IS NULL
       AND review_scope_covers(p."review_scope",
             jsonb_build_array(jsonb_build_object('department', NEW."department", 'role', NEW."role")))) THEN
    RAISE EXCEPTION 'gate: only a reviewer for the whole group shares a lesson with a role or department'
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER memory_written_for_group_by_reviewer BEFORE INSERT ON "memory"
  FOR EACH ROW WHEN (NEW."scope" IN ('role', 'department')) EXECUTE FUNCTION memory_written_for_group_by_reviewer();

-- While it is live, only its use, its provenance and its end change. It is never restored, and no row turns into one.
CREATE FUNCTION memory_written_for_group_is_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE mutable_columns CONSTANT text[] := ARRAY['superseded_by_id', 'superseded_at', 'end_reason', 'provenance',
  'application_count', 'last_applied_at', 'relevance_count', 'last_retrieved_at'];
BEGIN
  IF NEW."scope" IS DISTINCT FROM OLD."scope"
     OR (OLD."superseded_at" IS NOT NULL AND NEW."superseded_at" IS NULL)
     OR (OLD."superseded_at" IS NULL
         AND (to_jsonb(NEW) - mutable_columns) IS DISTINCT FROM (to_jsonb(OLD) - mutable_columns)) THEN
    RAISE EXCEPTION 'gate: a lesson for a role or department never changes in place' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER memory_written_for_group_is_frozen BEFORE UPDATE ON "memory"
  FOR EACH ROW WHEN (NEW."scope" IN ('role', 'department') OR OLD."scope" IN ('role', 'department'))
  EXECUTE FUNCTION memory_written_for_group_is_frozen();

-- A table of a session must not hide the tables that these functions read (see roles).
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION memory_written_for_group_by_reviewer() SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION memory_written_for_group_is_frozen() SET search_path = %I, pg_temp', current_schema());
END $$;

-- Background work ends shared lessons with their sources. Its column privileges let it change nothing else of them, and
-- it still writes private lessons only.
DROP POLICY memory_changed_is_private ON "memory";
CREATE POLICY memory_changed_is_private ON "memory" FOR UPDATE USING (true) WITH CHECK ("scope" <> 'org');
