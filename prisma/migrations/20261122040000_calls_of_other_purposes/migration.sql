-- A call is made about an execution, or to word a proposal of a cycle: both count in the same budgets.
ALTER TABLE "proposer_call" ADD COLUMN     "cycle_id" UUID,
ADD COLUMN     "pattern" TEXT,
ADD COLUMN     "purpose" TEXT NOT NULL DEFAULT 'lesson',
ALTER COLUMN "payload_id" DROP NOT NULL,
ALTER COLUMN "execution_id" DROP NOT NULL,
ALTER COLUMN "agent_id" DROP NOT NULL;

-- CreateIndex
CREATE INDEX "proposer_call_cycle_id_idx" ON "proposer_call"("cycle_id");

ALTER TABLE "proposer_call" ADD CONSTRAINT "proposer_call_is_about_something" CHECK (
  ("purpose" = 'lesson' AND "payload_id" IS NOT NULL AND "execution_id" IS NOT NULL AND "agent_id" IS NOT NULL
    AND "cycle_id" IS NULL AND "pattern" IS NULL)
  OR ("purpose" = 'wording' AND "cycle_id" IS NOT NULL AND "pattern" IS NOT NULL
    AND "payload_id" IS NULL AND "execution_id" IS NULL AND "agent_id" IS NULL AND "memory_id" IS NULL AND "batch_id" IS NULL));

-- As before, and neither what a call was made for changes.
CREATE OR REPLACE FUNCTION proposer_call_settles_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR OLD."settled_at" IS NOT NULL
     OR (NEW."id", NEW."payload_id", NEW."execution_id", NEW."agent_id", NEW."proposer", NEW."model", NEW."reserved_at",
         NEW."purpose", NEW."cycle_id", NEW."pattern")
        IS DISTINCT FROM (OLD."id", OLD."payload_id", OLD."execution_id", OLD."agent_id", OLD."proposer", OLD."model",
         OLD."reserved_at", OLD."purpose", OLD."cycle_id", OLD."pattern") THEN
    RAISE EXCEPTION 'proposer_call: a call is settled once and kept' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
