-- One table for what agents know. Entries of session memories become memories of the scope `project`, which everything that
-- reads lessons leaves out. The version before asks for no scope in places: see what follows, and docs/upgrade.md.

-- No process writes an entry between its copy and the end of the old table. One that waits for the lock goes on with the view.
-- Everything waits behind a lock that waits, so it waits for seconds only; the next start tries again.
SET LOCAL lock_timeout = '10s';
LOCK TABLE "session_entry", "memory", "promotion" IN ACCESS EXCLUSIVE MODE;

ALTER TABLE "memory" ADD COLUMN "kind" TEXT NOT NULL DEFAULT 'lesson';
ALTER TABLE "memory" ADD COLUMN "project" TEXT;
ALTER TABLE "memory" ADD COLUMN "written_by" TEXT;
ALTER TABLE "memory" ADD COLUMN "figures" JSONB;
ALTER TABLE "memory" ADD COLUMN "updated_at" TIMESTAMPTZ(3);

ALTER TABLE "memory" ADD CONSTRAINT "memory_kinds" CHECK (
    "kind" IN ('lesson', 'note', 'core', 'fact', 'decision', 'preference', 'session-summary', 'open-thread'));
-- The gate: no entry of a session memory is org memory, is shared, or is more than unverified.
ALTER TABLE "memory" ADD CONSTRAINT "memory_entries_stay_in_their_project" CHECK (
    ("scope" = 'project') = ("kind" IN ('fact', 'decision', 'preference', 'session-summary', 'open-thread')));
ALTER TABLE "memory" ADD CONSTRAINT "memory_entries_are_complete" CHECK (
    "scope" <> 'project' OR (
      "agent_id" IS NOT NULL AND "session_id" IS NOT NULL AND "updated_at" IS NOT NULL AND "written_by" IS NOT NULL
      AND "written_by" IN ('agent', 'rules', 'model', 'person') AND ("superseded_at" IS NULL) = ("end_reason" IS NULL)
      AND "provenance" = 'unverified' AND NOT "awaiting_proposer" AND "proposal_id" IS NULL AND "skill_name" IS NULL
      AND "version" IS NULL AND "propagated_from_id" IS NULL AND "shared_by_id" IS NULL AND "created_by_run_id" IS NULL));
-- A run ends entries, pinned ones, too, for another one that is pinned.
ALTER TABLE "memory" DROP CONSTRAINT "memory_upkeep_ends_private_lessons";
ALTER TABLE "memory" ADD CONSTRAINT "memory_upkeep_ends_private_lessons" CHECK (
    "ended_by_run_id" IS NULL OR ("superseded_at" IS NOT NULL
      AND ("scope" = 'project' OR ("scope" = 'agent' AND "pinned_at" IS NULL))));
ALTER TABLE "memory" DROP CONSTRAINT "memory_runs_write_private_lessons";
ALTER TABLE "memory" ADD CONSTRAINT "memory_runs_write_private_lessons" CHECK (
    ("created_by_run_id" IS NULL AND "restored_from_run_id" IS NULL) OR "scope" IN ('agent', 'project'));

CREATE INDEX "memory_of_project" ON "memory"("agent_id", "project", "created_at") WHERE "scope" = 'project';
CREATE INDEX "memory_of_session" ON "memory"("agent_id", "session_id") WHERE "scope" = 'project';
-- A session has one summary. Two processes that write it at once agree.
CREATE UNIQUE INDEX "memory_one_summary" ON "memory"("agent_id", "session_id")
  WHERE "kind" = 'session-summary' AND "superseded_at" IS NULL;

-- The version before names no kind. The next migration names those that are stored; the next version removes this one.
CREATE FUNCTION memory_names_notes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."kind" := CASE WHEN NEW."category" = 'SEMANTIC' AND 'core' = ANY (NEW."tags") THEN 'core' ELSE 'note' END;
  RETURN NEW;
END $$;
CREATE TRIGGER memory_names_notes BEFORE INSERT ON "memory" FOR EACH ROW
  WHEN (NEW."kind" = 'lesson' AND NEW."scope" = 'agent' AND NEW."proposer" = 'the agent itself'
    AND NEW."propagated_from_id" IS NULL)
  EXECUTE FUNCTION memory_names_notes();

-- The search of lessons reads the changes of memories: it has no use for those of entries, and in the version before it
-- would take them for lessons. A kind is not searched.
CREATE OR REPLACE FUNCTION note_memory_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "memory_change" ("transaction", "memory_id")
    SELECT pg_current_xact_id()::text::bigint, m."id" FROM changed m WHERE m."scope" <> 'project' ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
DROP TRIGGER memory_updated ON "memory";
CREATE TRIGGER memory_updated AFTER UPDATE ON "memory" FOR EACH ROW
  WHEN (NEW."scope" <> 'project'
    AND (to_jsonb(NEW) - '{application_count,last_applied_at,relevance_count,last_retrieved_at,kind}'::text[])
      IS DISTINCT FROM (to_jsonb(OLD) - '{application_count,last_applied_at,relevance_count,last_retrieved_at,kind}'::text[]))
  EXECUTE FUNCTION note_memory_change();

-- No entry is corroborated. The version before would enrol every one.
CREATE FUNCTION promotion_is_of_a_lesson() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM "memory" WHERE "id" = NEW."memory_id" AND "scope" = 'project') THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER promotion_is_of_a_lesson BEFORE INSERT ON "promotion"
  FOR EACH ROW EXECUTE FUNCTION promotion_is_of_a_lesson();

INSERT INTO "memory" ("id", "scope", "kind", "category", "agent_id", "project", "session_id", "discovery", "condition",
    "action", "rationale", "steps", "confidence", "tags", "control_tags", "provenance", "proposer", "awaiting_proposer",
    "written_by", "figures", "content_sha256", "created_at", "updated_at", "pinned_at", "last_retrieved_at",
    "relevance_count", "superseded_at", "end_reason", "superseded_by_id", "ended_by_run_id", "restored_from_run_id")
  SELECT "id", 'project', "kind", CASE WHEN "kind" IN ('session-summary', 'open-thread') THEN 'EPISODIC' ELSE 'SEMANTIC' END,
         "agent_id", "project", "session_id", '', '', "content", '', '[]', 0.5, coalesce("tags", '{}'), '{}', 'unverified',
         coalesce("writer", ''), false, "written_by", "figures", "content_sha256", "created_at", "updated_at",
         CASE WHEN "pinned" THEN "created_at" END, "last_recalled_at", "recall_count", "ended_at", "end_reason",
         "superseded_by_id",
         -- A live entry that named a run was restored when a person undid that run.
         CASE WHEN "end_reason" IN ('merged', 'pruned') THEN "ended_by_run_id" END,
         CASE WHEN "end_reason" IS NULL OR "end_reason" NOT IN ('merged', 'pruned') THEN "ended_by_run_id" END
    FROM "session_entry";
DROP TABLE "session_entry";

-- The version before reads and writes the one table through this view while its processes run beside those of this version.
-- The next version removes it.
CREATE VIEW "session_entry" AS
  SELECT "id", "agent_id", "project", "session_id", "kind", "action" AS "content", "tags", "pinned_at" IS NOT NULL AS "pinned",
         "written_by", nullif("proposer", '') AS "writer", "figures", "content_sha256", "created_at", "updated_at",
         "last_retrieved_at" AS "last_recalled_at", "relevance_count" AS "recall_count", "superseded_at" AS "ended_at",
         "end_reason", "superseded_by_id", coalesce("ended_by_run_id", "restored_from_run_id") AS "ended_by_run_id"
    FROM "memory" WHERE "scope" = 'project';

-- NEW is made of what the statement saw, and nothing locked that row: it is written only if no other transaction has edited,
-- ended or erased the entry since. Otherwise no row counts as changed, as where a condition no longer holds.
CREATE FUNCTION session_entry_writes_memory() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE ending CONSTANT text[] := ARRAY['ended_at', 'end_reason', 'superseded_by_id', 'ended_by_run_id'];
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM "memory" WHERE "id" = OLD."id" AND "scope" = 'project';
  ELSIF TG_OP = 'UPDATE' AND NEW."ended_at" IS NOT NULL AND (to_jsonb(NEW) - ending) = (to_jsonb(OLD) - ending) THEN
    -- Background work may change these columns only.
    UPDATE "memory" SET "superseded_at" = NEW."ended_at", "end_reason" = NEW."end_reason",
           "superseded_by_id" = NEW."superseded_by_id",
           "ended_by_run_id" = CASE WHEN NEW."end_reason" IN ('merged', 'pruned') THEN NEW."ended_by_run_id" END
     WHERE "id" = OLD."id" AND "scope" = 'project'
       AND ("updated_at", "content_sha256", "superseded_at", "end_reason")
         IS NOT DISTINCT FROM (OLD."updated_at", OLD."content_sha256", OLD."ended_at", OLD."end_reason");
  ELSE
    IF TG_OP = 'INSERT' THEN
      NEW."recall_count" := coalesce(NEW."recall_count", 0);
      INSERT INTO "memory" ("id", "scope", "kind", "category", "discovery", "condition", "action", "rationale", "steps",
          "confidence", "control_tags", "provenance", "proposer", "awaiting_proposer", "agent_id", "session_id",
          "written_by", "content_sha256", "created_at", "updated_at", "relevance_count")
        VALUES (NEW."id", 'project', NEW."kind", 'SEMANTIC', '', '', NEW."content", '', '[]', 0.5, '{}', 'unverified', '',
          false, NEW."agent_id", NEW."session_id", NEW."written_by", NEW."content_sha256", NEW."created_at",
          NEW."updated_at", NEW."recall_count");
    END IF;
    UPDATE "memory" SET "kind" = NEW."kind",
           "category" = CASE WHEN NEW."kind" IN ('session-summary', 'open-thread') THEN 'EPISODIC' ELSE 'SEMANTIC' END,
           "project" = NEW."project", "session_id" = NEW."session_id", "action" = NEW."content",
           "tags" = coalesce(NEW."tags", '{}'), "pinned_at" = CASE WHEN NEW."pinned" THEN NEW."created_at" END,
           -- What it contradicts was found for its text.
           "control_tags" = CASE WHEN "action" = NEW."content" THEN "control_tags" ELSE '{}' END,
           "written_by" = NEW."written_by", "proposer" = coalesce(NEW."writer", ''), "figures" = NEW."figures",
           "content_sha256" = NEW."content_sha256", "created_at" = NEW."created_at", "updated_at" = NEW."updated_at",
           "last_retrieved_at" = greatest("last_retrieved_at", NEW."last_recalled_at"),
           "relevance_count" = "relevance_count" + coalesce(NEW."recall_count" - OLD."recall_count", 0),
           "superseded_at" = NEW."ended_at", "end_reason" = NEW."end_reason", "superseded_by_id" = NEW."superseded_by_id",
           "ended_by_run_id" = CASE WHEN NEW."end_reason" IN ('merged', 'pruned') THEN NEW."ended_by_run_id" END,
           "restored_from_run_id" = CASE WHEN NEW."end_reason" IS NULL THEN NEW."ended_by_run_id" END
     WHERE "id" = NEW."id" AND "scope" = 'project'
       AND (TG_OP = 'INSERT' OR ("updated_at", "content_sha256", "superseded_at", "end_reason")
         IS NOT DISTINCT FROM (OLD."updated_at", OLD."content_sha256", OLD."ended_at", OLD."end_reason"));
  END IF;
  IF NOT FOUND THEN
    RETURN NULL;
  ELSIF TG_OP = 'DELETE' THEN
    RETURN OLD;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER session_entry_writes_memory INSTEAD OF INSERT OR UPDATE OR DELETE ON "session_entry"
  FOR EACH ROW EXECUTE FUNCTION session_entry_writes_memory();

DO $$
BEGIN
  -- A table of a session must not hide the tables that these functions read and write (see roles).
  EXECUTE format('ALTER FUNCTION session_entry_writes_memory() SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION memory_names_notes() SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION note_memory_changes() SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION promotion_is_of_a_lesson() SET search_path = %I, pg_temp', current_schema());
  IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = worker_role()) THEN
    EXECUTE format('GRANT SELECT, UPDATE ("ended_at", "end_reason", "superseded_by_id", "ended_by_run_id") ON "session_entry" TO %I',
      worker_role());
  END IF;
END $$;
