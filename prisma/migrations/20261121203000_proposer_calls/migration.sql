-- AlterTable
ALTER TABLE "analysis_payload" ADD COLUMN     "stand_in_id" UUID;

-- CreateTable
CREATE TABLE "proposer_call" (
    "id" UUID NOT NULL,
    "payload_id" UUID NOT NULL,
    "execution_id" UUID NOT NULL,
    "agent_id" UUID NOT NULL,
    "proposer" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "reserved_at" TIMESTAMPTZ(3) NOT NULL,
    "settled_at" TIMESTAMPTZ(3),
    "outcome" TEXT,
    "input_tokens" INTEGER NOT NULL,
    "cache_write_tokens" INTEGER NOT NULL,
    "cache_read_tokens" INTEGER NOT NULL,
    "output_tokens" INTEGER NOT NULL,
    "cost_nano" BIGINT NOT NULL,
    "memory_id" UUID,

    CONSTRAINT "proposer_call_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "proposer_call_reserved_at_idx" ON "proposer_call"("reserved_at");

-- CreateIndex
CREATE INDEX "proposer_call_execution_id_idx" ON "proposer_call"("execution_id");

-- CreateIndex
CREATE INDEX "proposer_call_memory_id_idx" ON "proposer_call"("memory_id");

-- What a call used is written once it is settled, and never again; a row is never deleted: the budgets count over them.
CREATE FUNCTION proposer_call_settles_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR OLD."settled_at" IS NOT NULL
     OR (NEW."id", NEW."payload_id", NEW."execution_id", NEW."agent_id", NEW."proposer", NEW."model", NEW."reserved_at")
        IS DISTINCT FROM (OLD."id", OLD."payload_id", OLD."execution_id", OLD."agent_id", OLD."proposer", OLD."model", OLD."reserved_at") THEN
    RAISE EXCEPTION 'proposer_call: a call is settled once and kept' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER proposer_call_settles_once BEFORE UPDATE OR DELETE ON "proposer_call"
  FOR EACH ROW EXECUTE FUNCTION proposer_call_settles_once();
ALTER TABLE "proposer_call" ADD CONSTRAINT "proposer_call_counts_up"
  CHECK ("input_tokens" >= 0 AND "cache_write_tokens" >= 0 AND "cache_read_tokens" >= 0 AND "output_tokens" >= 0 AND "cost_nano" >= 0);

COMMENT ON TABLE "proposer_call" IS 'worker: SELECT, INSERT, UPDATE';
-- A lesson of the rules that was proposed again, or will not be, does not await the proposer any more.
COMMENT ON TABLE "memory" IS 'worker: SELECT, INSERT, UPDATE ("superseded_by_id", "superseded_at", "awaiting_proposer")';
