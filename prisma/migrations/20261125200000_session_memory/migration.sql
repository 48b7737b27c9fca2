-- What agents keep from one session to the next. Data of the agent. No foreign key, as in memory: what an agent said stays
-- for the audit until it is deleted. An entry that ended stays as a tombstone with its reason; a deleted one keeps its hash
-- and loses its text.
CREATE TABLE "session_entry" (
    "id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "project" TEXT,
    "session_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "tags" TEXT[],
    "pinned" BOOLEAN NOT NULL,
    "written_by" TEXT NOT NULL,
    "writer" TEXT,
    "figures" JSONB,
    "content_sha256" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "last_recalled_at" TIMESTAMPTZ(3),
    "recall_count" INTEGER NOT NULL DEFAULT 0,
    "ended_at" TIMESTAMPTZ(3),
    "end_reason" TEXT,
    "superseded_by_id" UUID,
    "ended_by_run_id" UUID,

    CONSTRAINT "session_entry_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "session_entry_kind" CHECK ("kind" IN ('fact', 'decision', 'preference', 'session-summary', 'open-thread')),
    CONSTRAINT "session_entry_written_by" CHECK ("written_by" IN ('agent', 'rules', 'model', 'person')),
    CONSTRAINT "session_entry_ends_with_reason" CHECK (("ended_at" IS NULL) = ("end_reason" IS NULL))
);
CREATE INDEX "session_entry_agent_id_project_created_at_idx" ON "session_entry"("agent_id", "project", "created_at");
CREATE INDEX "session_entry_agent_id_session_id_idx" ON "session_entry"("agent_id", "session_id");
CREATE INDEX "session_entry_of_run" ON "session_entry"("ended_by_run_id") WHERE "ended_by_run_id" IS NOT NULL;
-- A session has one summary. Two processes that write it at once agree.
CREATE UNIQUE INDEX "session_entry_one_summary" ON "session_entry"("agent_id", "session_id")
  WHERE "kind" = 'session-summary' AND "ended_at" IS NULL;
-- Consolidation ends entries; it writes none.
COMMENT ON TABLE "session_entry" IS 'worker: SELECT, UPDATE ("ended_at", "end_reason", "superseded_by_id", "ended_by_run_id")';

-- A session of an agent, from its first entry or its report. Data of the agent.
CREATE TABLE "agent_session" (
    "agent_id" UUID NOT NULL,
    "session_id" TEXT NOT NULL,
    "project" TEXT,
    "about" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "turns" INTEGER,
    "cost_usd" DOUBLE PRECISION,
    "summary_state" TEXT NOT NULL DEFAULT 'open',
    "execution_id" UUID,
    "reported_at" TIMESTAMPTZ(3),

    CONSTRAINT "agent_session_pkey" PRIMARY KEY ("agent_id", "session_id"),
    CONSTRAINT "agent_session_summary_state" CHECK ("summary_state" IN ('open', 'written'))
);
CREATE INDEX "agent_session_started_at_idx" ON "agent_session"("started_at");
-- Sessions that still need a summary.
CREATE INDEX "agent_session_open" ON "agent_session"("started_at") WHERE "summary_state" = 'open';
COMMENT ON TABLE "agent_session" IS 'worker: SELECT';
