-- Consolidation of what an agent or a project remembers.

-- Lessons that a run wrote from others, and those that a person got back by undoing a run: later runs leave them alone.
ALTER TABLE "memory" ADD COLUMN "created_by_run_id" UUID;
ALTER TABLE "memory" ADD COLUMN "restored_from_run_id" UUID;
-- Only background work writes lessons from others, and only private ones.
ALTER TABLE "memory" ADD CONSTRAINT "memory_runs_write_private_lessons" CHECK (
    ("created_by_run_id" IS NULL AND "restored_from_run_id" IS NULL) OR "scope" = 'agent');
CREATE INDEX "memory_created_by_run" ON "memory"("created_by_run_id") WHERE "created_by_run_id" IS NOT NULL;

-- Witnesses that a run gave to a lesson which stays as it is. An undo takes them back.
ALTER TABLE "memory_witness" ADD COLUMN "added_by_run_id" UUID;
CREATE INDEX "memory_witness_added_by_run" ON "memory_witness"("added_by_run_id") WHERE "added_by_run_id" IS NOT NULL;

-- One run over the lessons of an agent, or over the session memory of a project with the agent that keeps it. Data of
-- that agent: ids, counts and reasons, and no text of a lesson.
CREATE TABLE "consolidation_run" (
    "id" UUID NOT NULL,
    "agent_id" UUID,
    "project" TEXT,
    "trigger" TEXT NOT NULL,
    "dry_run" BOOLEAN NOT NULL,
    "state" TEXT NOT NULL,
    "phase" TEXT,
    "sessions" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "failure" TEXT,
    "report" JSONB,
    "undone_at" TIMESTAMPTZ(3),

    CONSTRAINT "consolidation_run_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "consolidation_run_is_of_one_memory" CHECK ("agent_id" IS NOT NULL OR "project" IS NOT NULL),
    CONSTRAINT "consolidation_run_states" CHECK (
        "state" IN ('running', 'completed', 'failed')
        AND ("state" = 'running') = ("finished_at" IS NULL)
        AND ("state" = 'failed') = ("failure" IS NOT NULL)),
    CONSTRAINT "consolidation_run_phases" CHECK ("phase" IN ('orient', 'gather', 'consolidate', 'prune')),
    CONSTRAINT "consolidation_run_triggers" CHECK ("trigger" IN ('schedule', 'request'))
);
CREATE INDEX "consolidation_run_started_at_idx" ON "consolidation_run"("started_at");
CREATE INDEX "consolidation_run_agent_id_started_at_idx" ON "consolidation_run"("agent_id", "started_at");
COMMENT ON TABLE "consolidation_run" IS 'worker: SELECT, INSERT, UPDATE ("state", "phase", "sessions", "finished_at", "failure", "report")';

-- While a row is there, no run starts: for one agent, or for all of them.
CREATE TABLE "consolidation_pause" (
    "id" UUID NOT NULL,
    "agent_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "consolidation_pause_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "consolidation_pause_once" ON "consolidation_pause"(coalesce("agent_id", '00000000-0000-0000-0000-000000000000'::uuid));
COMMENT ON TABLE "consolidation_pause" IS 'worker: SELECT';

-- A lesson written from others keeps their uses: otherwise the lessons that agents use most would be the first to be
-- evicted. No more than the most used live lesson of that agent has. All else is as before.
DROP POLICY memory_new_is_private ON "memory";
CREATE POLICY memory_new_is_private ON "memory" FOR INSERT WITH CHECK (
  "scope" = 'agent'
  AND ("provenance" <> 'verified' OR EXISTS (
    SELECT 1 FROM "memory" s WHERE s."id" = "memory"."propagated_from_id" AND s."provenance" = 'verified'
       AND s."superseded_at" IS NULL AND (s."discovery", s."condition", s."action", s."rationale", s."steps", coalesce(s."parts", '{}'))
         = ("memory"."discovery", "memory"."condition", "memory"."action", "memory"."rationale", "memory"."steps",
            coalesce("memory"."parts", '{}'))))
  AND "pinned_at" IS NULL AND "proposal_id" IS NULL AND "restored_from_run_id" IS NULL
  AND "skill_name" IS NULL AND "version" IS NULL AND "application_count" = 0 AND "last_applied_at" IS NULL
  AND ("relevance_count" = 0 AND "last_retrieved_at" IS NULL OR "created_by_run_id" IS NOT NULL AND EXISTS (
    SELECT 1 FROM "memory" s WHERE s."agent_id" = "memory"."agent_id" AND s."scope" = 'agent' AND s."superseded_at" IS NULL
    HAVING max(s."relevance_count") >= "memory"."relevance_count"
       AND ("memory"."last_retrieved_at" IS NULL OR max(s."last_retrieved_at") >= "memory"."last_retrieved_at"))));

DROP POLICY lease_is_a_jobs ON "lease";
CREATE POLICY lease_is_a_jobs ON "lease" USING (
  "name" IN ('evolver-cycle', 'skill-watch', 'memory-upkeep', 'proposer-batch') OR "name" LIKE 'consolidation:%');

-- Background work sees which lessons a person judged, and leaves those alone. It sees no verdict and no reason.
COMMENT ON TABLE "memory_evidence" IS 'worker: SELECT ("memory_id", "kind")';
