-- Reports and deliveries are removed by day, if the settings say so (decision 35). One row for each run: numbers and
-- times, no person's data. Each batch adds to its row in its own transaction, so that a kill loses no count. Background
-- work removes no report: without a comment it may do nothing with this table.
CREATE TABLE "retention_run" (
    "id" UUID NOT NULL,
    "trigger" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "reports_before" TIMESTAMPTZ(3),
    "deliveries_before" TIMESTAMPTZ(3),
    "reports" INTEGER NOT NULL DEFAULT 0,
    -- Old reports that stay, because something cites them.
    "cited" INTEGER NOT NULL DEFAULT 0,
    "deliveries" INTEGER NOT NULL DEFAULT 0,
    "retrievals" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "retention_run_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "retention_run_triggers" CHECK ("trigger" IN ('schedule', 'request')),
    CONSTRAINT "retention_run_states" CHECK (
        "state" IN ('running', 'completed', 'interrupted') AND ("state" = 'running') = ("finished_at" IS NULL))
);
CREATE INDEX "retention_run_started_at_idx" ON "retention_run"("started_at");

-- A run asks of each old report whether something cites it.
CREATE INDEX "memory_source_execution_id_idx" ON "memory"("source_execution_id");
CREATE INDEX "memory_witness_execution_id_idx" ON "memory_witness"("execution_id");
CREATE INDEX "memory_evidence_execution_id_idx" ON "memory_evidence"("execution_id");
CREATE INDEX "memory_retrieval_at_idx" ON "memory_retrieval"("at");
