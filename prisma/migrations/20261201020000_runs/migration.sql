-- Runs of background work in one table. A kind adds what it was started with and its report, both as JSON: ids, times,
-- counts and reasons, no text of a lesson.
CREATE TABLE "run" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    "dry_run" BOOLEAN NOT NULL,
    "agent_id" UUID,
    "input" JSONB NOT NULL,
    "state" TEXT NOT NULL,
    "phase" TEXT,
    "report" JSONB,
    "failure" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "undone_at" TIMESTAMPTZ(3),

    CONSTRAINT "run_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "run_kinds" CHECK ("kind" IN ('upkeep', 'consolidation', 'retention')),
    CONSTRAINT "run_states" CHECK (
        "state" IN ('running', 'completed', 'failed') AND ("state" = 'running') = ("finished_at" IS NULL))
);
CREATE INDEX "run_kind_started_at_idx" ON "run"("kind", "started_at");
CREATE INDEX "run_agent_id_started_at_idx" ON "run"("agent_id", "started_at");
-- Background work removes no report and undoes nothing.
COMMENT ON TABLE "run" IS 'worker: SELECT, INSERT, UPDATE ("state", "phase", "report", "failure", "finished_at")';
ALTER TABLE "run" ENABLE ROW LEVEL SECURITY;
CREATE POLICY run_is_of_memory ON "run" USING ("kind" IN ('upkeep', 'consolidation'));

-- The version before reads and writes one table for each kind. Until a later version drops those, each side mirrors what
-- the other one writes, so that neither loses a run while both are there. A mirrored row is not mirrored back.

-- A row of `upkeep_run`, `consolidation_run` or `retention_run` as a run.
CREATE FUNCTION run_of(kind text, was jsonb) RETURNS "run" LANGUAGE sql STABLE AS $$
  SELECT (was ->> 'id')::uuid, kind, was ->> 'trigger', coalesce((was ->> 'dry_run')::boolean, false),
    (was ->> 'agent_id')::uuid,
    CASE kind
      WHEN 'consolidation' THEN jsonb_build_object('project', was -> 'project', 'sessions', was -> 'sessions')
      WHEN 'retention' THEN jsonb_build_object(
        'reportsBefore', was -> 'reports_before', 'deliveriesBefore', was -> 'deliveries_before')
      ELSE '{}' END,
    CASE WHEN was ->> 'finished_at' IS NULL THEN 'running'
      WHEN was ->> 'state' IN ('failed', 'interrupted') THEN 'failed' ELSE 'completed' END,
    was ->> 'phase',
    CASE kind
      WHEN 'retention' THEN jsonb_build_object('reports', was -> 'reports', 'cited', was -> 'cited',
        'deliveries', was -> 'deliveries', 'retrievals', was -> 'retrievals')
      ELSE nullif(was -> 'report', 'null') END,
    was ->> 'failure', (was ->> 'started_at')::timestamptz, (was ->> 'finished_at')::timestamptz,
    (was ->> 'undone_at')::timestamptz
$$;

CREATE FUNCTION run_of_version_before() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO "run" SELECT (run_of(TG_ARGV[0], to_jsonb(NEW))).*
  ON CONFLICT ("id") DO UPDATE SET "input" = excluded."input", "state" = excluded."state", "phase" = excluded."phase",
    "report" = excluded."report", "failure" = excluded."failure", "finished_at" = excluded."finished_at",
    "undone_at" = excluded."undone_at";
  RETURN NULL;
END $$;

CREATE FUNCTION run_for_version_before() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF NEW."kind" = 'upkeep' THEN
    INSERT INTO "upkeep_run" ("id", "trigger", "dry_run", "started_at", "finished_at", "report", "undone_at")
      VALUES (NEW."id", NEW."trigger", NEW."dry_run", NEW."started_at", NEW."finished_at", NEW."report", NEW."undone_at")
    ON CONFLICT ("id") DO UPDATE SET "finished_at" = excluded."finished_at", "report" = excluded."report",
      "undone_at" = excluded."undone_at";
  ELSIF NEW."kind" = 'consolidation' THEN
    INSERT INTO "consolidation_run" ("id", "agent_id", "project", "trigger", "dry_run", "state", "phase", "sessions",
        "started_at", "finished_at", "failure", "report", "undone_at")
      VALUES (NEW."id", NEW."agent_id", NEW."input" ->> 'project', NEW."trigger", NEW."dry_run", NEW."state",
        NEW."phase", (NEW."input" ->> 'sessions')::int, NEW."started_at", NEW."finished_at", NEW."failure",
        NEW."report", NEW."undone_at")
    ON CONFLICT ("id") DO UPDATE SET "state" = excluded."state", "phase" = excluded."phase",
      "finished_at" = excluded."finished_at", "failure" = excluded."failure", "report" = excluded."report",
      "undone_at" = excluded."undone_at";
  ELSE
    INSERT INTO "retention_run" ("id", "trigger", "state", "started_at", "finished_at", "reports_before",
        "deliveries_before", "reports", "cited", "deliveries", "retrievals")
      VALUES (NEW."id", NEW."trigger", CASE NEW."state" WHEN 'failed' THEN 'interrupted' ELSE NEW."state" END,
        NEW."started_at", NEW."finished_at", (NEW."input" ->> 'reportsBefore')::timestamptz,
        (NEW."input" ->> 'deliveriesBefore')::timestamptz, (NEW."report" ->> 'reports')::int,
        (NEW."report" ->> 'cited')::int, (NEW."report" ->> 'deliveries')::int, (NEW."report" ->> 'retrievals')::int)
    ON CONFLICT ("id") DO UPDATE SET "state" = excluded."state", "finished_at" = excluded."finished_at",
      "reports" = excluded."reports", "cited" = excluded."cited", "deliveries" = excluded."deliveries",
      "retrievals" = excluded."retrievals";
  END IF;
  RETURN NULL;
END $$;

DO $$ DECLARE f text; BEGIN
  FOREACH f IN ARRAY ARRAY['run_of(text, jsonb)', 'run_of_version_before()', 'run_for_version_before()'] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', f, current_schema());
  END LOOP;
END $$;

CREATE TRIGGER upkeep_run_is_a_run AFTER INSERT OR UPDATE ON "upkeep_run"
  FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION run_of_version_before('upkeep');
CREATE TRIGGER consolidation_run_is_a_run AFTER INSERT OR UPDATE ON "consolidation_run"
  FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION run_of_version_before('consolidation');
CREATE TRIGGER retention_run_is_a_run AFTER INSERT OR UPDATE ON "retention_run"
  FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION run_of_version_before('retention');
CREATE TRIGGER run_is_of_its_kind AFTER INSERT OR UPDATE ON "run"
  FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION run_for_version_before();

-- After the triggers: what is written meanwhile is there by one of both ways.
INSERT INTO "run"
  SELECT (run_of('upkeep', to_jsonb(t))).* FROM "upkeep_run" t
  UNION ALL SELECT (run_of('consolidation', to_jsonb(t))).* FROM "consolidation_run" t
  UNION ALL SELECT (run_of('retention', to_jsonb(t))).* FROM "retention_run" t
ON CONFLICT ("id") DO NOTHING;
