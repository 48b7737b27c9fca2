-- CreateTable
CREATE TABLE "memory_evidence" (
    "id" UUID NOT NULL,
    "memory_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "stance" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "whole" BOOLEAN NOT NULL,
    "agent_id" UUID,
    "owner" TEXT,
    "reason" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "memory_evidence_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "promotion" (
    "memory_id" UUID NOT NULL,
    "state" TEXT NOT NULL,
    "because" TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    "promoted_by" TEXT,
    "attempts" INTEGER NOT NULL,
    "queued_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "checked_at" TIMESTAMPTZ(3),
    "asked_at" TIMESTAMPTZ(3),
    "token" UUID,

    CONSTRAINT "promotion_pkey" PRIMARY KEY ("memory_id")
);

-- CreateIndex
CREATE INDEX "memory_evidence_memory_id_at_idx" ON "memory_evidence"("memory_id", "at");

-- CreateIndex
CREATE INDEX "promotion_due_at_idx" ON "promotion"("due_at");

-- CreateIndex
CREATE INDEX "promotion_state_due_at_idx" ON "promotion"("state", "due_at");

-- CreateIndex
CREATE INDEX "promotion_asked_at_idx" ON "promotion"("asked_at");

-- CreateIndex
CREATE INDEX "execution_patterns_idx" ON "execution" USING GIN ("patterns");

-- CreateIndex
CREATE INDEX "memory_created_at_idx" ON "memory"("created_at");

-- What was said for a memory and against it stays as it was said.
CREATE TRIGGER memory_evidence_append_only BEFORE UPDATE OR DELETE ON "memory_evidence"
  FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER memory_evidence_no_truncate BEFORE TRUNCATE ON "memory_evidence"
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

ALTER TABLE "memory_evidence" ADD CONSTRAINT "memory_evidence_kinds"
  CHECK ("kind" IN ('person', 'primary_source', 'tool_result', 'second_model')
    AND "stance" IN ('supports', 'contradicts', 'unsure'));
ALTER TABLE "promotion" ADD CONSTRAINT "promotion_states"
  CHECK ("state" IN ('queued', 'unresolved', 'verified') AND ("state" = 'verified') = ("promoted_by" IS NOT NULL));

-- Neither table has a comment for the role of background work: who proposes lessons does not corroborate them.

-- A copy for a peer rests on what its original rests on.
COMMENT ON TABLE "memory_source" IS 'worker: SELECT, INSERT';
