-- AlterTable
ALTER TABLE "memory" ADD COLUMN     "ended_because" TEXT,
ADD COLUMN     "ended_by_run_id" UUID,
ADD COLUMN     "pinned_at" TIMESTAMPTZ(3),
ADD COLUMN     "propagated_from_id" UUID;

-- CreateTable
CREATE TABLE "upkeep_run" (
    "id" UUID NOT NULL,
    "trigger" TEXT NOT NULL,
    "dry_run" BOOLEAN NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "report" JSONB,
    "undone_at" TIMESTAMPTZ(3),

    CONSTRAINT "upkeep_run_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "upkeep_run_started_at_idx" ON "upkeep_run"("started_at");

-- CreateIndex
CREATE INDEX "memory_propagated_from_id_idx" ON "memory"("propagated_from_id");

-- CreateIndex
CREATE INDEX "memory_ended_by_run_id_idx" ON "memory"("ended_by_run_id");

-- CreateIndex
CREATE UNIQUE INDEX "memory_agent_id_propagated_from_id_key" ON "memory"("agent_id", "propagated_from_id");

ALTER TABLE "memory" ADD CONSTRAINT "memory_copies_are_private"
  CHECK ("propagated_from_id" IS NULL OR ("scope" = 'AGENT' AND "propagated_from_id" <> "id"));
-- A run ends what is private and not pinned; nobody else's tombstone is its own.
ALTER TABLE "memory" ADD CONSTRAINT "memory_upkeep_ends_private_lessons"
  CHECK ("ended_by_run_id" IS NULL OR ("scope" = 'AGENT' AND "pinned_at" IS NULL AND "superseded_at" IS NOT NULL));

COMMENT ON TABLE "memory" IS 'worker: SELECT, INSERT, UPDATE ("superseded_by_id", "superseded_at", "awaiting_proposer", "ended_because", "ended_by_run_id")';
COMMENT ON TABLE "upkeep_run" IS 'worker: SELECT, INSERT, UPDATE';
