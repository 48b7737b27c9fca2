-- AlterTable
ALTER TABLE "proposer_call" ADD COLUMN     "batch_id" UUID;

-- CreateTable
CREATE TABLE "proposer_batch" (
    "id" UUID NOT NULL,
    "state" TEXT NOT NULL,
    "provider_id" TEXT,
    "payloads" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "submitted_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "note" TEXT,

    CONSTRAINT "proposer_batch_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "proposer_batch_state_created_at_idx" ON "proposer_batch"("state", "created_at");

-- CreateIndex
CREATE INDEX "proposer_call_batch_id_idx" ON "proposer_call"("batch_id");

ALTER TABLE "proposer_batch" ADD CONSTRAINT "proposer_batch_states"
  CHECK ("state" IN ('PREPARED', 'ENDED', 'LOST') OR ("state" = 'SUBMITTED' AND "provider_id" IS NOT NULL));
COMMENT ON TABLE "proposer_batch" IS 'worker: SELECT, INSERT, UPDATE';
